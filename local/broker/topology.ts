/** The queues, topics and subscriptions to serve, read from the official emulator's configuration format. */
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { StartError } from "../start-error.js";
import { durationMs } from "./duration.js";
import { matchAll, type RuleDefinition } from "./filters/rule.js";

export const entityStatuses = ["Active", "Disabled", "SendDisabled", "ReceiveDisabled"] as const;
export type EntityStatus = (typeof entityStatuses)[number];

export interface QueueSettings {
  readonly lockMs: number;
  readonly deliveryCountMax: number;
  /** Null: messages live until they are consumed. */
  readonly timeToLiveMs: number | null;
  readonly deadLettersExpired: boolean;
  readonly requiresSession: boolean;
  /** Where all messages go on to, and where the dead letters do; null where they stay. */
  readonly forwardTo: string | null;
  readonly forwardDeadLettersTo: string | null;
  readonly status: EntityStatus;
}

export interface QueueDefinition {
  readonly path: string;
  readonly settings: QueueSettings;
  /** How long a message id is remembered; null where duplicates are not looked for. */
  readonly duplicateWindowMs: number | null;
}

export interface SubscriptionDefinition {
  readonly name: string;
  readonly settings: QueueSettings;
  readonly rules: readonly RuleDefinition[];
}

export interface TopicDefinition {
  readonly path: string;
  readonly timeToLiveMs: number | null;
  readonly duplicateWindowMs: number | null;
  readonly status: EntityStatus;
  readonly subscriptions: readonly SubscriptionDefinition[];
}

export interface Topology {
  readonly queues: readonly QueueDefinition[];
  readonly topics: readonly TopicDefinition[];
}

const Duration = z.string().transform((text, context) => {
  const parsed = durationMs(text);
  if (parsed !== undefined) return parsed;
  context.addIssue({ code: "custom", message: `${text} is not an ISO 8601 duration` });
  return z.NEVER;
});

/** Longer than this is the service's way of saying "for ever". */
export const foreverMs = 100 * 365 * 86_400_000;
const TimeToLive = Duration.transform((ms) => (ms >= foreverMs ? null : ms)).default(null);
const Target = z
  .string()
  .default("")
  .transform((path) => (path === "" ? null : path));

const Consumption = z.object({
  LockDuration: Duration.default(60_000),
  MaxDeliveryCount: z.int().min(1).max(2000).default(10),
  DefaultMessageTimeToLive: TimeToLive,
  DeadLetteringOnMessageExpiration: z.boolean().default(false),
  RequiresSession: z.boolean().default(false),
  ForwardTo: Target,
  ForwardDeadLetteredMessagesTo: Target,
});

const Duplicates = z.object({
  RequiresDuplicateDetection: z.boolean().default(false),
  DuplicateDetectionHistoryTimeWindow: Duration.default(600_000),
});

const Property = z.union([z.string(), z.number(), z.boolean()]);

const Action = z.object({ SqlExpression: z.string() });

const Rule = z.object({
  Name: z.string().min(1),
  Properties: z.discriminatedUnion("FilterType", [
    z.object({
      FilterType: z.literal("Sql"),
      SqlFilter: z.object({ SqlExpression: z.string() }),
      Action: Action.optional(),
    }),
    z.object({
      FilterType: z.literal("Correlation"),
      CorrelationFilter: z.object({
        ContentType: z.string().optional(),
        CorrelationId: z.string().optional(),
        Label: z.string().optional(),
        MessageId: z.string().optional(),
        ReplyTo: z.string().optional(),
        ReplyToSessionId: z.string().optional(),
        SessionId: z.string().optional(),
        To: z.string().optional(),
        Properties: z.record(z.string(), Property).default({}),
      }),
      Action: Action.optional(),
    }),
  ]),
});

const Name = z.string().regex(/^[A-Za-z0-9][\w./-]*$/, "a name is letters, digits and . - _ /");

const Configuration = z.object({
  UserConfig: z.object({
    Namespaces: z
      .array(
        z.object({
          Name: z.string(),
          Queues: z
            .array(
              z.object({
                Name,
                Properties: z.object({ ...Consumption.shape, ...Duplicates.shape }).prefault({}),
              }),
            )
            .default([]),
          Topics: z
            .array(
              z.object({
                Name,
                Properties: z
                  .object({ DefaultMessageTimeToLive: TimeToLive, ...Duplicates.shape })
                  .prefault({}),
                Subscriptions: z
                  .array(
                    z.object({
                      Name,
                      Properties: Consumption.prefault({}),
                      Rules: z.array(Rule).default([]),
                    }),
                  )
                  .default([]),
              }),
            )
            .default([]),
        }),
      )
      .length(1, "one namespace is served"),
  }),
});

const settingsOf = (properties: z.output<typeof Consumption>): QueueSettings => ({
  lockMs: properties.LockDuration,
  deliveryCountMax: properties.MaxDeliveryCount,
  timeToLiveMs: properties.DefaultMessageTimeToLive,
  deadLettersExpired: properties.DeadLetteringOnMessageExpiration,
  requiresSession: properties.RequiresSession,
  forwardTo: properties.ForwardTo,
  forwardDeadLettersTo: properties.ForwardDeadLetteredMessagesTo,
  status: "Active",
});

const duplicateWindowOf = (properties: z.output<typeof Duplicates>): number | null =>
  properties.RequiresDuplicateDetection ? properties.DuplicateDetectionHistoryTimeWindow : null;

const ruleOf = ({ Name: name, Properties: properties }: z.output<typeof Rule>): RuleDefinition => {
  const action = properties.Action?.SqlExpression ?? null;
  if (properties.FilterType === "Sql") {
    const { SqlExpression: expression } = properties.SqlFilter;
    return { name, filter: { kind: "sql", expression }, action };
  }
  const { CorrelationFilter: wanted } = properties;
  return {
    name,
    action,
    filter: {
      kind: "correlation",
      contentType: wanted.ContentType,
      correlationId: wanted.CorrelationId,
      subject: wanted.Label,
      messageId: wanted.MessageId,
      replyTo: wanted.ReplyTo,
      replyToSessionId: wanted.ReplyToSessionId,
      sessionId: wanted.SessionId,
      to: wanted.To,
      properties: wanted.Properties,
    },
  };
};

/** Entities that clients make may be gone at any time: the file forwards to its own alone. */
const checkForwarding = ({ queues, topics }: Topology): void => {
  const targets = new Set([...queues, ...topics].map(({ path }) => path.toLowerCase()));
  const sources = [
    ...queues,
    ...topics.flatMap(({ path, subscriptions }) =>
      subscriptions.map(({ name, settings }) => ({ path: `${path}/${name}`, settings })),
    ),
  ];
  for (const { path, settings } of sources) {
    for (const target of [settings.forwardTo, settings.forwardDeadLettersTo])
      if (target !== null && !targets.has(target.toLowerCase()))
        throw new StartError(`'${path}' forwards to '${target}', which is no queue or topic here`);
    if (settings.forwardTo !== null && settings.requiresSession)
      throw new StartError(`'${path}' requires sessions, so that it cannot forward`);
  }
};

/** Throws an error that names the first wrong place of the configuration. */
export const parseTopology = (configuration: unknown): Topology => {
  const [namespace] = Configuration.parse(configuration).UserConfig.Namespaces;
  const topology: Topology = {
    queues: (namespace?.Queues ?? []).map(({ Name: path, Properties: properties }) => ({
      path,
      settings: settingsOf(properties),
      duplicateWindowMs: duplicateWindowOf(properties),
    })),
    topics: (namespace?.Topics ?? []).map((topic) => ({
      path: topic.Name,
      timeToLiveMs: topic.Properties.DefaultMessageTimeToLive,
      duplicateWindowMs: duplicateWindowOf(topic.Properties),
      status: "Active" as const,
      subscriptions: topic.Subscriptions.map(({ Name: name, Properties: properties, Rules }) => ({
        name,
        settings: settingsOf(properties),
        rules: Rules.length === 0 ? [matchAll] : Rules.map(ruleOf),
      })),
    })),
  };
  checkForwarding(topology);
  return topology;
};

export const readTopology = async (file: string): Promise<Topology> => {
  const text = await readFile(file, "utf8");
  try {
    return parseTopology(JSON.parse(text));
  } catch (error) {
    const reason =
      error instanceof z.ZodError
        ? z.prettifyError(error)
        : error instanceof StartError
          ? error.message
          : String(error);
    throw new StartError(`${file} cannot be used: ${reason}`);
  }
};
