/** How entities are described to administrators: fields as texts, and the settings that they stand for. */
import { z } from "zod";
import { durationMs, durationText } from "../duration.js";
import type { BareTopic } from "../entities/directory.js";
import { BrokerError, conditions } from "../errors.js";
import type { RuleDefinition } from "../filters/rule.js";
import type { EntityKind } from "../storage/definition-store.js";
import {
  entityStatuses,
  foreverMs,
  type QueueDefinition,
  type QueueSettings,
  type SubscriptionDefinition,
} from "../topology.js";

export type Fields = Readonly<Record<string, string>>;

/** The longest duration that the service's own language has. */
const forever = "P10675199DT2H48M5.4775807S";
const second = 1000;
const minute = 60 * second;
const day = 24 * 60 * minute;

const Flag = (fallback: boolean) =>
  z
    .string()
    .toLowerCase()
    .pipe(z.enum(["true", "false"], "is true or false"))
    .default(fallback ? "true" : "false");

const Whole = (min: number, max: number, fallback: number) =>
  z
    .string()
    .refine(
      (text) => /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max,
      `is a number from ${min} to ${max}`,
    )
    .default(String(fallback));

const Duration = (min: number, max: number, fallback: string) =>
  z
    .string()
    .max(64)
    .refine(
      (text) => {
        const ms = durationMs(text);
        return ms !== undefined && ms >= min && ms <= max;
      },
      `is an ISO 8601 duration from ${durationText(min)} on${max < Infinity ? ` to ${durationText(max)}` : ""}`,
    )
    .default(fallback);

/** Clients write the address of the target, with its host; what counts is the path. */
const Target = z
  .string()
  .max(400)
  .transform((address) => address.replace(/^[a-z]+:\/\/[^/]*\//i, "").replace(/\/+$/, ""))
  .optional();

const Status = z.enum(entityStatuses).default("Active");
const UserMetadata = z.string().max(1024).optional();
const MaxSizeInMegabytes = Whole(1, 81_920, 1024);
const MaxMessageSizeInKilobytes = Whole(256, 256, 256);
const TimeToLive = Duration(second, Infinity, forever);
const DuplicateWindow = Duration(20 * second, 7 * day, "PT10M");
const AutoDeleteOnIdle = Duration(5 * minute, Infinity, forever);

const shapes = {
  queue: z.object({
    LockDuration: Duration(second, 5 * minute, "PT1M"),
    MaxSizeInMegabytes,
    RequiresDuplicateDetection: Flag(false),
    RequiresSession: Flag(false),
    DefaultMessageTimeToLive: TimeToLive,
    DeadLetteringOnMessageExpiration: Flag(false),
    DuplicateDetectionHistoryTimeWindow: DuplicateWindow,
    MaxDeliveryCount: Whole(1, 2000, 10),
    EnableBatchedOperations: Flag(true),
    Status,
    ForwardTo: Target,
    UserMetadata,
    AutoDeleteOnIdle,
    EnablePartitioning: Flag(false),
    ForwardDeadLetteredMessagesTo: Target,
    EnableExpress: Flag(false),
    MaxMessageSizeInKilobytes,
  }),
  topic: z.object({
    DefaultMessageTimeToLive: TimeToLive,
    MaxSizeInMegabytes,
    RequiresDuplicateDetection: Flag(false),
    DuplicateDetectionHistoryTimeWindow: DuplicateWindow,
    EnableBatchedOperations: Flag(true),
    Status,
    UserMetadata,
    SupportOrdering: Flag(true),
    AutoDeleteOnIdle,
    EnablePartitioning: Flag(false),
    EnableExpress: Flag(false),
    MaxMessageSizeInKilobytes,
  }),
  subscription: z.object({
    LockDuration: Duration(second, 5 * minute, "PT1M"),
    RequiresSession: Flag(false),
    DefaultMessageTimeToLive: TimeToLive,
    DeadLetteringOnMessageExpiration: Flag(false),
    DeadLetteringOnFilterEvaluationExceptions: Flag(true),
    MaxDeliveryCount: Whole(1, 2000, 10),
    EnableBatchedOperations: Flag(true),
    Status,
    ForwardTo: Target,
    UserMetadata,
    ForwardDeadLetteredMessagesTo: Target,
    AutoDeleteOnIdle,
  }),
} as const satisfies Record<EntityKind, z.ZodType>;

const parse = <T>(shape: z.ZodType<T>, given: Fields): T => {
  const { success, data, error } = shape.safeParse(given);
  if (success) return data;
  const [issue] = error.issues;
  const field = issue?.path.join(".") ?? "";
  throw new BrokerError(conditions.invalidField, `${field} ${issue?.message ?? "is not valid"}`);
};

const withoutMissing = (fields: Readonly<Record<string, string | undefined>>): Fields =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])),
  );

/** All fields of a description, those left out with the service's defaults. Throws for a wrong one. */
export const fieldsOf = (kind: EntityKind, given: Fields): Fields =>
  withoutMissing(parse<Record<string, string | undefined>>(shapes[kind], given));

const fixed = ["RequiresSession", "RequiresDuplicateDetection", "EnablePartitioning"];
/** What an update leaves out is taken away; of all else it stays as it is. */
const removable = ["ForwardTo", "ForwardDeadLetteredMessagesTo", "UserMetadata"];

/** The fields after an update. Throws where one is wrong, or cannot be changed. */
export const updatedFields = (kind: EntityKind, before: Fields, given: Fields): Fields => {
  const kept = Object.entries(before).filter(([name]) => !removable.includes(name));
  const fields = fieldsOf(kind, { ...Object.fromEntries(kept), ...given });
  for (const name of fixed)
    if (fields[name] !== before[name])
      throw new BrokerError(
        conditions.invalidField,
        `SubCode=40000. ${name} cannot be changed; delete the entity and create it anew.`,
      );
  return fields;
};

/** Null is for ever. */
const lifeOf = (text: string): number | null => {
  const ms = durationMs(text) ?? foreverMs;
  return ms >= foreverMs ? null : ms;
};

const settingsOf = (
  fields: z.output<typeof shapes.queue> | z.output<typeof shapes.subscription>,
): QueueSettings => ({
  lockMs: durationMs(fields.LockDuration) ?? minute,
  deliveryCountMax: Number(fields.MaxDeliveryCount),
  timeToLiveMs: lifeOf(fields.DefaultMessageTimeToLive),
  deadLettersExpired: fields.DeadLetteringOnMessageExpiration === "true",
  requiresSession: fields.RequiresSession === "true",
  forwardTo: fields.ForwardTo ?? null,
  forwardDeadLettersTo: fields.ForwardDeadLetteredMessagesTo ?? null,
  status: fields.Status,
});

const duplicateWindowOf = (
  fields: z.output<typeof shapes.queue> | z.output<typeof shapes.topic>,
): number | null =>
  fields.RequiresDuplicateDetection === "true"
    ? (durationMs(fields.DuplicateDetectionHistoryTimeWindow) ?? null)
    : null;

export const queueDefinition = (path: string, given: Fields): QueueDefinition => {
  const fields = parse(shapes.queue, given);
  return { path, settings: settingsOf(fields), duplicateWindowMs: duplicateWindowOf(fields) };
};

export const topicDefinition = (path: string, given: Fields): BareTopic => {
  const fields = parse(shapes.topic, given);
  return {
    path,
    timeToLiveMs: lifeOf(fields.DefaultMessageTimeToLive),
    duplicateWindowMs: duplicateWindowOf(fields),
    status: fields.Status,
  };
};

export const subscriptionDefinition = (
  name: string,
  given: Fields,
  rules: readonly RuleDefinition[],
): SubscriptionDefinition => ({
  name,
  settings: settingsOf(parse(shapes.subscription, given)),
  rules,
});

/** How long an entity may be unused; null is for ever. */
export const idleMsOf = ({ AutoDeleteOnIdle: text = forever }: Fields): number | null =>
  lifeOf(text);

const describeSettings = (settings: QueueSettings) => ({
  LockDuration: durationText(settings.lockMs),
  RequiresSession: String(settings.requiresSession),
  DefaultMessageTimeToLive:
    settings.timeToLiveMs === null ? forever : durationText(settings.timeToLiveMs),
  DeadLetteringOnMessageExpiration: String(settings.deadLettersExpired),
  MaxDeliveryCount: String(settings.deliveryCountMax),
  Status: settings.status,
  ForwardTo: settings.forwardTo ?? undefined,
  ForwardDeadLetteredMessagesTo: settings.forwardDeadLettersTo ?? undefined,
});

const describeDuplicates = (windowMs: number | null) => ({
  RequiresDuplicateDetection: String(windowMs !== null),
  DuplicateDetectionHistoryTimeWindow: windowMs === null ? undefined : durationText(windowMs),
});

/** The configuration allows what the service does not, such as shorter times: it is shown as it is. */
const shown = (kind: EntityKind, given: Readonly<Record<string, string | undefined>>): Fields => ({
  ...fieldsOf(kind, {}),
  ...withoutMissing(given),
});

export const describeQueue = ({ settings, duplicateWindowMs }: QueueDefinition): Fields =>
  shown("queue", { ...describeSettings(settings), ...describeDuplicates(duplicateWindowMs) });

export const describeTopic = ({ timeToLiveMs, duplicateWindowMs, status }: BareTopic): Fields =>
  shown("topic", {
    DefaultMessageTimeToLive: timeToLiveMs === null ? forever : durationText(timeToLiveMs),
    ...describeDuplicates(duplicateWindowMs),
    Status: status,
  });

export const describeSubscription = ({ settings }: SubscriptionDefinition): Fields =>
  shown("subscription", describeSettings(settings));
