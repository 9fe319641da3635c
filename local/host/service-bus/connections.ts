/** Connections to Service Bus by the names of their settings, each opened when first asked for. */
import type {
  ServiceBusClient,
  ServiceBusReceiver,
  ServiceBusReceiverOptions,
  ServiceBusSender,
  ServiceBusSessionReceiver,
} from "@azure/service-bus";
import type { HostLog } from "../app/log.js";
import { errorText } from "../../failures.js";
import { withTimeLimit } from "../app/time-limit.js";
import { StartError } from "../../start-error.js";
import type { ServiceBusConfig } from "../settings/host-json.js";

/** A queue, or a topic's subscription, behind a connection. */
export interface EntityAddress {
  readonly connection: string | undefined;
  readonly entity: string;
  readonly subscription: string | undefined;
}

/** A lost broker is tried again at once: the defaults would leave a local one alone for 30 s. */
const retryOptions = { retryDelayInMs: 200, maxRetryDelayInMs: 2000, maxRetries: 3 };
const closeLimitMs = 2_000;
const defaultConnection = "ServiceBus";

type Settings = Readonly<Record<string, string>>;

const setting = (settings: Settings, name: string): string | undefined => {
  const value = settings[name] ?? settings[`AzureWebJobs${name}`];
  return value === "" ? undefined : value;
};

const missingConnection = (name: string): StartError =>
  new StartError(
    `The Service Bus connection "${name}" has neither a setting "${name}" nor "${name}__fullyQualifiedNamespace".`,
  );

/** By connection string, or by the name of a namespace and the identity that this process has. */
const openClient = async (settings: Settings, name: string): Promise<ServiceBusClient> => {
  const { ServiceBusClient: Client } = await import("@azure/service-bus");
  const connectionString = setting(settings, name);
  if (connectionString !== undefined) return new Client(connectionString, { retryOptions });
  const namespace = setting(settings, `${name}__fullyQualifiedNamespace`);
  if (namespace === undefined) throw missingConnection(name);
  const { DefaultAzureCredential } = await import("@azure/identity");
  return new Client(namespace, new DefaultAzureCredential(), { retryOptions });
};

const receiverOptions = (config: ServiceBusConfig): ServiceBusReceiverOptions => ({
  receiveMode: "peekLock",
  skipParsingBodyAsJson: true,
  maxAutoLockRenewalDurationInMs: config.maxAutoLockRenewalDuration,
});

export class ServiceBusConnections {
  readonly #settings: Settings;
  readonly #log: HostLog;
  readonly #clients = new Map<string, Promise<ServiceBusClient>>();
  readonly #senders = new Map<string, Promise<ServiceBusSender>>();

  constructor(settings: Settings, log: HostLog) {
    this.#settings = settings;
    this.#log = log;
  }

  client(connection: string | undefined): Promise<ServiceBusClient> {
    const name = connection ?? defaultConnection;
    let client = this.#clients.get(name);
    if (client === undefined) {
      client = openClient(this.#settings, name);
      this.#clients.set(name, client);
    }
    return client;
  }

  /** Throws where the settings say nothing about the connection. */
  check(connection: string | undefined): void {
    const name = connection ?? defaultConnection;
    const known =
      setting(this.#settings, name) ?? setting(this.#settings, `${name}__fullyQualifiedNamespace`);
    if (known === undefined) throw missingConnection(name);
  }

  async receiver(address: EntityAddress, config: ServiceBusConfig): Promise<ServiceBusReceiver> {
    const client = await this.client(address.connection);
    const options = receiverOptions(config);
    return address.subscription === undefined
      ? client.createReceiver(address.entity, options)
      : client.createReceiver(address.entity, address.subscription, options);
  }

  /** Waits for a session with messages; rejects with `ServiceTimeout` where none comes. */
  async nextSession(
    address: EntityAddress,
    config: ServiceBusConfig,
    abortSignal: AbortSignal,
  ): Promise<ServiceBusSessionReceiver> {
    const client = await this.client(address.connection);
    const options = { ...receiverOptions(config), abortSignal };
    return address.subscription === undefined
      ? client.acceptNextSession(address.entity, options)
      : client.acceptNextSession(address.entity, address.subscription, options);
  }

  sender(connection: string | undefined, entity: string): Promise<ServiceBusSender> {
    const key = `${connection ?? defaultConnection}/${entity}`;
    let sender = this.#senders.get(key);
    if (sender === undefined) {
      sender = this.client(connection).then((client) => client.createSender(entity));
      this.#senders.set(key, sender);
    }
    return sender;
  }

  /** Closes one after another. What does not close is left: the process is about to end. */
  async close(): Promise<void> {
    for (const [name, opening] of this.#clients)
      try {
        const client = await opening;
        await withTimeLimit(closeLimitMs, "Closing a connection", client.close());
      } catch (error) {
        this.#log.host("warning", "ServiceBus", `${name}: not closed: ${errorText(error)}`);
      }
    this.#clients.clear();
    this.#senders.clear();
  }
}
