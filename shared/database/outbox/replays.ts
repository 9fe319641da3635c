/** Replays: parts of a partner's log that are sent anew, and how far each of them is. */
import { z } from "zod";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import type { Database, Queryable } from "../platform/database.js";
import { forgottenRefusal, type EventFilter } from "./event-log.js";
import { messageColumns, WaitingMessage } from "./outbox.js";

export interface Asker {
  readonly partnerKey: string;
  readonly userName: string;
}

/** Of one replay. */
const eventsMax = 1_000_000;
/** Numbers among which they are looked for. */
const lookedAtMax = 10_000_000;
/** Of one partner at a time. */
const openMax = 10;

const Begun = z.object({
  refused: z.enum(["ReplaysTooMany", "ReplayTooLarge"]).nullable(),
  count: z.bigint(),
});

const read = (begun: z.output<typeof Begun> | undefined): z.output<typeof Begun> => {
  if (begun === undefined) throw new Error("a function without a set gave no row");
  return begun;
};

/** Resolves to how many events will be sent. */
export const beginReplay = async (
  database: Database,
  { partnerKey, userName }: Asker,
  filter: EventFilter,
): Promise<Outcome<number, "ReplaysTooMany" | "ReplayTooLarge" | "EventsForgotten">> => {
  const { after, from, to, types } = filter;
  return database.quietTransaction(async (tx) => {
    const forgotten = await forgottenRefusal(tx, partnerKey, filter);
    if (forgotten !== undefined) return forgotten;
    const { refused, count } = read(
      await tx.row(
        Begun,
        `select refused, count from borsello.begin_replay($1, $2, 9223372036854775807,
           borsello.server_time($3), borsello.server_time_after($4), $5, $6,
           ${eventsMax}, ${lookedAtMax}, ${openMax})`,
        [partnerKey, after, from, to, types, userName],
      ),
    );
    return refused === null ? success(Number(count)) : refusal(refused);
  });
};

const Logged = z.object({
  sequence: z.bigint(),
  isHeld: z.boolean(),
  outboxId: z.bigint(),
});
export type LoggedMessage = z.output<typeof Logged>;

/** Undefined: the partner's log has no event with this id. */
export const findLogged = (
  database: Queryable,
  partnerKey: string,
  id: string,
): Promise<LoggedMessage | undefined> =>
  database.row(
    Logged,
    `select message.outbox_id as "outboxId", coalesce(message.sequence, given.sequence) as sequence,
       exists (
         select from borsello.held_message as held
         where held.outbox_id = message.outbox_id and held.destination = $1) as "isHeld"
     from borsello.outbox as message left join borsello.given_sequence as given using (outbox_id)
     where message.message_id = $2 and message.partner_key = $1
       and coalesce(message.sequence, given.sequence) > borsello.log_begin($1, null)`,
    [partnerKey, id],
  );

/** Of one event: it is never too large. */
export const beginReplayOf = async (
  database: Database,
  { partnerKey, userName }: Asker,
  { sequence }: LoggedMessage,
): Promise<Outcome<number, "ReplaysTooMany">> => {
  const { refused, count } = read(
    await database.row(
      Begun,
      `select refused, count from borsello.begin_replay($1, $2::bigint - 1, $2, null, null, null, $3,
         1, 1, ${openMax})`,
      [partnerKey, sequence, userName],
    ),
  );
  return refused === null ? success(Number(count)) : refusal("ReplaysTooMany");
};

const Retried = z.object({ retried: z.int() });

/** Has the relay try anew what the partner's topic has refused; resolves to how many these are. */
export const retryRefused = async (
  database: Database,
  partnerKey: string,
  { after, from, to, types }: EventFilter,
): Promise<number> => {
  const done = await database.command(
    Retried,
    `select borsello.retry_held($1, array(
       select outbox_id from borsello.held_message as held join borsello.outbox as message using (outbox_id)
       where held.destination = $1 and message.partner_key = $1
         and message.sequence > greatest($2::bigint, borsello.log_begin($1, null))
         and message.created_at >= coalesce(borsello.server_time($3), '-infinity')
         and message.created_at < coalesce(borsello.server_time_after($4), 'infinity')
         and ($5::text[] is null or message.subject = any ($5)))) as retried`,
    [partnerKey, after, from, to, types],
  );
  return done?.retried ?? 0;
};

export const retryRefusedOne = async (
  database: Database,
  partnerKey: string,
  { outboxId }: LoggedMessage,
): Promise<number> => {
  const done = await database.command(
    Retried,
    "select borsello.retry_held($1, array[$2::bigint]) as retried",
    [partnerKey, outboxId],
  );
  return done?.retried ?? 0;
};

/** The advisory locks of replayers: this number and the hash of a partner. */
const lockSpace = 7_071_003;

const Replay = z.object({
  replayId: z.bigint(),
  partnerKey: z.string(),
  number: z.int(),
  place: z.bigint(),
  through: z.bigint(),
  since: z.string().nullable(),
  before: z.string().nullable(),
  subjects: z.array(z.string()).nullable(),
  events: z.bigint(),
  sent: z.bigint(),
});
export type Replay = z.output<typeof Replay>;

/** The one whose turn it is; its partner is the session's until that ends. */
export const takeReplay = (
  session: Queryable,
  avoidedPartners: readonly string[],
): Promise<Replay | undefined> =>
  session.row(
    Replay,
    `select replay_id as "replayId", partner_key as "partnerKey", number, place, through,
       since::text as since, before::text as before, subjects, events, sent
     from borsello.take_replay($1, ${lockSpace})`,
    [avoidedPartners],
  );

const ReplayedMessage = WaitingMessage.extend({
  sequence: z.bigint(),
  /** Whether its topic has it, as far as the relay knows. */
  hasArrived: z.boolean(),
  /** Refused by the topic, or behind such a one: it comes by itself, or when somebody asks for it. */
  isHeld: z.boolean(),
});
export type ReplayedMessage = z.output<typeof ReplayedMessage>;

export interface ReplayPage {
  /** In order. */
  readonly messages: readonly ReplayedMessage[];
  /** What fits up to this number is all in the page. */
  readonly through: bigint;
}

/** So many numbers are looked at for a page: with a filter it may hold few of them, or none. */
const numbersPerPage = 100_000n;

/** The next messages of a replay. */
export const replayPage = async (
  session: Queryable,
  { partnerKey, place, through: end, since, before, subjects }: Replay,
  limit: number,
): Promise<ReplayPage> => {
  const through = place + numbersPerPage < end ? place + numbersPerPage : end;
  const messages = await session.rows(
    ReplayedMessage,
    `select part.sequence, ${messageColumns},
       sent_at is not null or $1 = any (delivered_to) as "hasArrived",
       exists (
         select from borsello.held_message as held where held.destination = $1
           and held.session_id = message.session_id
           and (held.given_up_at is null or held.outbox_id = message.outbox_id)) as "isHeld"
     from (
       select sequence, outbox_id from borsello.log_part($1, $2, $3, ${numbersPerPage}) as number
       where ($4::timestamptz is null or created_at >= $4) and ($5::timestamptz is null or created_at < $5)
         and ($6::text[] is null or subject = any ($6))
       order by sequence limit $7
     ) as part join lateral (
       select *, '{}'::text[] as held_at from borsello.outbox as o where o.outbox_id = part.outbox_id
     ) as message using (outbox_id)
     order by part.sequence`,
    [partnerKey, place, through, since, before, subjects, limit],
  );
  const last = messages.length < limit ? undefined : messages.at(-1);
  return { messages, through: last?.sequence ?? through };
};

/** Writes down how far it is; a replay that somebody else moved or ended meanwhile stays as it is. */
export const recordReplayed = (
  session: Queryable,
  { replayId, place }: Replay,
  done: { readonly place: bigint; readonly sent: number; readonly isOver: boolean },
): Promise<number> =>
  session.execute(
    `update borsello.replay set place = $3, sent = sent + $4, turn_at = clock_timestamp(),
       ended_at = case when $5 then clock_timestamp() end
     where replay_id = $1 and place = $2 and ended_at is null`,
    [replayId, place, done.place, done.sent, done.isOver],
  );

/** Those that ended so many days ago; resolves to how many these are. */
export const forgetReplays = (
  database: Queryable,
  days: number,
  replaysMax: number,
): Promise<number> =>
  database.execute(
    `delete from borsello.replay where replay_id in (
       select replay_id from borsello.replay
       where ended_at < now() - make_interval(days => $1) limit $2)`,
    [days, replaysMax],
  );

export const markSequences = async (database: Queryable): Promise<void> => {
  await database.execute("select borsello.mark_sequences()");
};
