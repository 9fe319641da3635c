/** The route of the event log: a partner's events by their numbers (contract 3.4 and 4.7). */
import { z } from "zod";
import { Moment } from "../date-range.js";
import { count, notWhole } from "../pages.js";
import { Identifier } from "../identifier.js";
import { route } from "../route.js";
import { eventNames } from "./catalogue.js";

const eventsMax = 100;

/** Far more than any partner's log ever counts, and as exact as a JSON number can be. */
const sequenceMax = Number.MAX_SAFE_INTEGER;
const sequenceDigits = /^\d{1,16}$/;

const Sequence = z
  .string()
  .max(16)
  .transform((text) => (sequenceDigits.test(text) ? Number(text) : Number.NaN))
  .pipe(z.int(notWhole).min(0).max(sequenceMax))
  .meta({
    type: "integer",
    format: "int64",
    minimum: 0,
    maximum: sequenceMax,
    description:
      "A sequence number: the page begins after it. 0 or absent: with the first event that is kept.",
  });

const isEventName = (name: string): boolean => eventNames.includes(name);

const typesSentence =
  "must be names of events, separated by commas, such as WalletCreated,WalletClosed";

const EventNames = z
  .string()
  .max(4_000)
  .transform((text) => text.split(","))
  .refine((names) => names.every(isEventName), typesSentence)
  .meta({ type: "string", maxLength: 4_000, description: "Names of events, separated by commas." });

export const LoggedEvent = z
  .object({
    sequence: z.int(),
    id: z.uuid(),
    type: z.string(),
    sessionId: z.string(),
    publishedAt: z.iso.datetime({ offset: true }).describe("The body's `messagePublishDate`."),
    body: z.record(z.string(), z.unknown()).describe("The message's body, word for word."),
  })
  .meta({ id: "LoggedEvent" });

export const EventPage = z
  .object({
    items: z.array(LoggedEvent).max(eventsMax),
    nextAfter: z
      .int()
      .describe(
        "The `after` of the next page. Where it is the `after` of this one, nothing is left.",
      ),
  })
  .meta({ id: "EventPage" });
export type EventPage = z.output<typeof EventPage>;

export const listEventsRoute = route({
  id: "listEvents",
  api: "wallet",
  method: "GET",
  path: "events",
  query: {
    after: Sequence.optional(),
    types: EventNames.optional(),
    from: Moment.optional(),
    to: Moment.optional(),
    limit: count(1, eventsMax, eventsMax),
  },
  role: "Operation.Read",
  ok: { status: 200, schema: EventPage },
  errors: ["QueryParameterInvalid", "DateRangeInvalid", "EventsForgotten"],
  summary: "Read the partner's event log",
  result: "The events after the place that was asked for, and where to go on.",
  description:
    "Every event that goes to the partner's topic, in the order of its `sequence`, which counts 1, 2, 3 … without " +
    "a gap; an event is here before it is on the topic. Events are kept for 30 days: whoever asks for what is gone, by " +
    "`after` or `from`, is told so. `from` and `to` are moments of publication, both included. A page may have fewer " +
    "events than `limit`, with a filter none, without being the last one: go on with `nextAfter` until it no longer " +
    "changes, and keep it to ask for what comes later.",
});

const typesMax = 100;

const Replayed = z
  .object({ count: z.int().describe("So many events are sent anew.") })
  .meta({ id: "ReplayedEvents" });

const replaying = {
  api: "wallet",
  method: "POST",
  role: "Flow.Trigger",
  ok: { status: 202, schema: Replayed },
} as const;

const whatIsSent =
  "Body and sequence number are as before, and so is the event's `id`; the message's id is the event's with `#` and " +
  "the number of the replay behind it, so that the broker does not take it for the first one: consumers know what they " +
  "had by `id`. ";

export const replayEventRoute = route({
  ...replaying,
  id: "replayEvent",
  path: "events/{id}/replay",
  params: { id: Identifier },
  errors: ["EventNotFound", "ReplaysTooMany"],
  summary: "Send an event to the partner's topic anew",
  result: "The event is queued to be sent anew.",
  description: `${whatIsSent}What the topic has refused is tried anew under its own id. Whoever asks twice is sent it twice.`,
});

export const replayEventsRoute = route({
  ...replaying,
  id: "replayEvents",
  path: "events/replay",
  body: z.strictObject({
    after: z
      .int()
      .min(0)
      .max(sequenceMax)
      .optional()
      .describe("A sequence number: what follows it is sent."),
    from: Moment.optional(),
    to: Moment.optional(),
    types: z
      .array(
        z
          .string()
          .max(64)
          .refine(isEventName, "must be the name of an event, such as WalletCreated"),
      )
      .min(1)
      .max(typesMax)
      .optional(),
    onlyUndelivered: z
      .boolean()
      .default(false)
      .describe("Only what the topic has refused, which is tried anew under its own id."),
  }),
  errors: ["DateRangeInvalid", "EventsForgotten", "ReplaysTooMany", "ReplayTooLarge"],
  summary: "Send a part of the event log to the partner's topic anew",
  result: "The events are queued to be sent anew.",
  description:
    `What the log has now, in its order, beside what happens meanwhile. ${whatIsSent}What is still on its way to the ` +
    "topic comes before what follows it. At most a million events at once, and ten replays at a time.",
});
