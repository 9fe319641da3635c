/** A broker on a database of its own, for tests with the genuine client. */
import { createHmac } from "node:crypto";
import {
  ServiceBusClient,
  type ServiceBusReceivedMessage,
  type ServiceBusReceiver,
} from "@azure/service-bus";
import { startBroker, type Broker, type BrokerOptions } from "../../../local/broker/broker.js";
import { parseTopology } from "../../../local/broker/topology.js";
import { createDatabase } from "../database/database.js";

/** Entities for tests, in the configuration format: one second is long enough for a lock here. */
export const testConfiguration = {
  UserConfig: {
    Namespaces: [
      {
        Name: "test",
        Queues: [
          { Name: "plain", Properties: { MaxDeliveryCount: 3 } },
          { Name: "other" },
          { Name: "crossing" },
          { Name: "brief", Properties: { LockDuration: "PT1S", MaxDeliveryCount: 2 } },
          {
            Name: "mortal",
            Properties: {
              DefaultMessageTimeToLive: "PT1S",
              DeadLetteringOnMessageExpiration: true,
            },
          },
          { Name: "forgetful", Properties: { DefaultMessageTimeToLive: "PT1S" } },
          { Name: "sessions", Properties: { RequiresSession: true, MaxDeliveryCount: 3 } },
          {
            Name: "brief-sessions",
            Properties: { RequiresSession: true, LockDuration: "PT1S" },
          },
          {
            Name: "unique",
            Properties: {
              RequiresDuplicateDetection: true,
              DuplicateDetectionHistoryTimeWindow: "PT1M",
            },
          },
          {
            Name: "soon-forgotten",
            Properties: {
              RequiresDuplicateDetection: true,
              DuplicateDetectionHistoryTimeWindow: "PT1S",
            },
          },
        ],
        Topics: [
          {
            Name: "news",
            Properties: { RequiresDuplicateDetection: true },
            Subscriptions: [
              { Name: "all" },
              {
                Name: "sports",
                Rules: [
                  {
                    Name: "sport",
                    Properties: {
                      FilterType: "Sql",
                      SqlFilter: { SqlExpression: "section = 'sport' and stars >= 3" },
                    },
                  },
                ],
              },
              {
                Name: "urgent",
                Rules: [
                  {
                    Name: "label",
                    Properties: {
                      FilterType: "Correlation",
                      CorrelationFilter: { Label: "urgent", Properties: { desk: 7 } },
                    },
                  },
                ],
              },
              { Name: "ruled" },
            ],
          },
        ],
      },
    ],
  },
};

export const testTopology = parseTopology(testConfiguration);

const rootKeyName = "RootManageSharedAccessKey";

export const connectionString = (
  port: number,
  key = "SAS_KEY_VALUE",
  keyName = rootKeyName,
): string =>
  `Endpoint=sb://127.0.0.1:${port};SharedAccessKeyName=${keyName};` +
  `SharedAccessKey=${key};UseDevelopmentEmulator=true;`;

/** A shared access signature, of the emulator's key where no other is given. */
export const token = (
  audience: string,
  {
    key = "SAS_KEY_VALUE",
    keyName = rootKeyName,
    lifeS = 600,
  }: { key?: string; keyName?: string; lifeS?: number } = {},
): string => {
  const resource = encodeURIComponent(audience);
  const expiry = Math.floor(Date.now() / 1000) + lifeS;
  const signature = createHmac("sha256", key).update(`${resource}\n${expiry}`).digest("base64");
  return (
    `SharedAccessSignature sr=${resource}&sig=${encodeURIComponent(signature)}` +
    `&se=${expiry}&skn=${keyName}`
  );
};

/** A client that does not wait long before it tries again. */
export const connect = (
  port: number,
  options: {
    readonly key?: string;
    readonly keyName?: string;
    readonly maxRetries?: number;
    readonly timeoutInMs?: number;
  } = {},
): ServiceBusClient => {
  const { key, keyName, maxRetries = 1, timeoutInMs = 10_000 } = options;
  return new ServiceBusClient(connectionString(port, key, keyName), {
    retryOptions: { maxRetries, retryDelayInMs: 100, timeoutInMs },
  });
};

export interface BrokerFixture {
  readonly broker: Broker;
  readonly client: ServiceBusClient;
  stop(): Promise<void>;
}

export const brokerFixture = async (
  options: Pick<
    BrokerOptions,
    "report" | "handshakeTimeouts" | "certificateFolder" | "idleClock" | "accessRules"
  > = {},
): Promise<BrokerFixture> => {
  const database = await createDatabase();
  const broker = await startBroker({
    connectionString: database.url,
    topology: testTopology,
    port: 0,
    ...options,
  });
  const client = connect(broker.port);
  return {
    broker,
    client,
    stop: async () => {
      await client.close();
      await broker.stop();
      await database.drop();
    },
  };
};

export const bodies = (messages: readonly ServiceBusReceivedMessage[]): unknown[] =>
  messages.map(({ body }) => body as unknown);

/** The `code` of what a call rejects with, or "none" where it does not reject. */
export const codeOf = async (call: Promise<unknown>): Promise<unknown> => {
  try {
    await call;
    return "none";
  } catch (error) {
    // After several attempts the client tells of each of them.
    const last: unknown = error instanceof AggregateError ? error.errors.at(-1) : error;
    return last instanceof Error && "code" in last ? last.code : last;
  }
};

/** So many messages, however long they take, and what comes with them beyond these. */
export const receiveExactly = async (
  receiver: ServiceBusReceiver,
  count: number,
): Promise<ServiceBusReceivedMessage[]> => {
  const received: ServiceBusReceivedMessage[] = [];
  while (received.length < count)
    received.push(...(await receiver.receiveMessages(count - received.length)));
  return [...received, ...(await receiver.receiveMessages(100, { maxWaitTimeInMs: 80 }))];
};

/** The one message that is expected, or a failure that says that there was none. */
export const one = (messages: readonly ServiceBusReceivedMessage[]): ServiceBusReceivedMessage => {
  const [message] = messages;
  if (message === undefined || messages.length > 1)
    throw new Error(`one message was expected, ${messages.length} came`);
  return message;
};
