/** Service Bus triggers: receives messages, runs their functions, settles what came of it. */
import type { ServiceBusReceivedMessage } from "@azure/service-bus";
import { expandSettings } from "../settings/host-config.js";
import type { ServiceBusConfig } from "../settings/host-json.js";
import type { Call, HostedFunction } from "../app/hosted-function.js";
import type { Invoker } from "../app/invoke.js";
import type { HostLog } from "../app/log.js";
import { errorText } from "../../failures.js";
import { withTimeLimit } from "../app/time-limit.js";
import type { OutputSender } from "./output-bindings.js";
import type { Consumer, Pump } from "./consumer.js";
import { pumpBatches, pumpMessages } from "./pumps.js";
import type { EntityAddress, ServiceBusConnections } from "./connections.js";
import { batchBody, batchMetadata, singleBody, singleMetadata } from "./metadata.js";
import { pumpSessions } from "./sessions.js";

export interface ServiceBusOptions {
  readonly functions: readonly HostedFunction[];
  readonly invoker: Invoker;
  readonly log: HostLog;
  readonly settings: Readonly<Record<string, string>>;
  readonly connections: ServiceBusConnections;
  readonly config: ServiceBusConfig;
  readonly sendOutputs: OutputSender;
}

/** Longer than the functions in work are waited for, and their receivers' closing. */
const stopLimitMs = 15_000;

export const isServiceBusTrigger = (fn: HostedFunction): boolean =>
  fn.trigger.type.toLowerCase() === "servicebustrigger";

const isBatch = (fn: HostedFunction): boolean =>
  typeof fn.trigger["cardinality"] === "string" &&
  fn.trigger["cardinality"].toLowerCase() === "many";

const callOf = (fn: HostedFunction, messages: readonly ServiceBusReceivedMessage[]): Call => {
  const [first] = messages;
  if (isBatch(fn) || first === undefined)
    return { trigger: batchBody(messages), triggerMetadata: batchMetadata(messages) };
  return { trigger: singleBody(first), triggerMetadata: singleMetadata(first) };
};

/** All Service Bus functions of the app. */
export class ServiceBusTriggers {
  readonly #options: ServiceBusOptions;
  readonly #pumps: Pump[] = [];

  constructor(options: ServiceBusOptions) {
    this.#options = options;
    for (const fn of options.functions)
      if (isServiceBusTrigger(fn)) options.connections.check(this.#addressOf(fn).connection);
  }

  async start(): Promise<void> {
    for (const fn of this.#options.functions)
      if (isServiceBusTrigger(fn)) this.#pumps.push(await this.#startPump(fn));
  }

  /** Takes no more messages; those in work are finished and settled first, as far as time allows. */
  async stop(): Promise<void> {
    await Promise.all(this.#pumps.splice(0).map((pump) => this.#stopPump(pump)));
  }

  async #stopPump(pump: Pump): Promise<void> {
    try {
      await withTimeLimit(stopLimitMs, "Stopping a Service Bus trigger", pump.stop());
    } catch (error) {
      this.#options.log.host("warning", "ServiceBus", errorText(error));
    }
  }

  #addressOf({ trigger }: HostedFunction): EntityAddress {
    const text = (name: string): string | undefined => {
      const value = trigger[name];
      return typeof value === "string" && value !== ""
        ? expandSettings(value, this.#options.settings)
        : undefined;
    };
    return {
      connection: text("connection"),
      entity: text("queueName") ?? text("topicName") ?? "",
      subscription: text("subscriptionName"),
    };
  }

  async #startPump(fn: HostedFunction): Promise<Pump> {
    const { connections, config, log } = this.#options;
    const consumer: Consumer = {
      name: fn.name,
      address: this.#addressOf(fn),
      config,
      log,
      run: (messages) => this.#run(fn, messages),
    };
    if (fn.trigger["isSessionsEnabled"] === true)
      return pumpSessions(consumer, connections, isBatch(fn));
    const receiver = await connections.receiver(consumer.address, config);
    return isBatch(fn) ? pumpBatches(consumer, receiver) : pumpMessages(consumer, receiver);
  }

  async #run(fn: HostedFunction, messages: readonly ServiceBusReceivedMessage[]): Promise<void> {
    const { invoker, log, sendOutputs } = this.#options;
    try {
      const outcome = await invoker.invoke(fn, callOf(fn, messages));
      if (fn.outputs.length > 0) await sendOutputs(fn, await outcome.respond(outcome.result));
    } catch (error) {
      const ids = messages.map(({ messageId }) => String(messageId)).join(", ");
      log.host("error", "ServiceBus", `${fn.name} failed for message ${ids}: ${errorText(error)}`);
      throw error;
    }
  }
}
