/** Relays before a broker that refuses what a test names: what it took, and what the outbox holds back. */
import { ServiceBusError } from "@azure/service-bus";
import { z } from "zod";
import type { Database } from "../../../shared/database/platform/database.js";
import type { BackgroundSender } from "../../../shared/events/background-sender.js";
import { startOutboxRelay } from "../../../shared/events/outbox-relay.js";
import type { OutgoingMessage, ServiceBus } from "../../../shared/events/service-bus.js";
import { noFaultPoints, type FaultPoints } from "../../../shared/platform/fault-points.js";
import { createLogger } from "../../../shared/platform/logger.js";
import { countOf, openBankTest } from "../wallet/bank-fixtures.js";

const Held = z.object({
  failures: z.int(),
  waitSeconds: z.number().nullable(),
  isGivenUp: z.boolean(),
});
type Held = z.output<typeof Held>;

type Sender = Pick<ServiceBus, "send">;

interface RelayOptions {
  readonly database?: Database;
  readonly faults?: FaultPoints;
  readonly bus?: Sender;
}

export interface RefusingBroker {
  readonly database: Database;
  readonly url: string;
  readonly bus: Sender;
  /** What a destination has taken, as `session:number`. */
  taken(destination: string): readonly string[];
  /** The same of one session: whole wallets may overtake each other, no message of a wallet another. */
  takenOf(sessionId: string, destination: string): readonly string[];
  /** It refuses whole pieces for one of these; of nothing else any more. */
  refuse(destination: string, ...messages: readonly string[]): void;
  /** It takes nothing, for this reason; null: it is back. */
  setAway(destination: string, failure: Error | null): void;
  startRelay(options?: RelayOptions): BackgroundSender;
  /** Each for the topic of acme and for the flows. */
  publish(sessionId: string, ...numbers: readonly number[]): Promise<unknown>;
  /** As if the waits until the next attempts were over. */
  endWaits(): Promise<unknown>;
  waiting(): Promise<number>;
  held(): Promise<Held[]>;
  linesOf(level: "warn" | "error"): number;
  /** Closes the relays and forgets everything. */
  reset(): Promise<void>;
  end(): Promise<void>;
}

const nameOf = ({ sessionId = "", body }: OutgoingMessage): string =>
  `${sessionId}:${z.object({ number: z.int() }).parse(JSON.parse(body)).number}`;

export const openRefusingBroker = async (): Promise<RefusingBroker> => {
  const bank = await openBankTest();
  const { database } = bank;
  const taken = new Map<string, string[]>();
  const refused = new Map<string, ReadonlySet<string>>();
  const away = new Map<string, Error>();
  const levels: string[] = [];
  const relays: BackgroundSender[] = [];
  const logger = createLogger("warn", (level) => levels.push(level));

  const bus: Sender = {
    send: async (destination, messages) => {
      const failure = away.get(destination);
      if (failure !== undefined) return { acknowledged: 0, failure };
      const names = messages.map(nameOf);
      if (names.some((name) => refused.get(destination)?.has(name) === true))
        return { acknowledged: 0, failure: new ServiceBusError("no", "MessageSizeExceeded") };
      taken.set(destination, [...(taken.get(destination) ?? []), ...names]);
      return { acknowledged: messages.length };
    },
  };

  const reset = async (): Promise<void> => {
    for (const relay of relays.splice(0)) await relay.close();
    for (const known of [taken, refused, away]) known.clear();
    levels.length = 0;
    await database.execute(
      "truncate borsello.outbox, borsello.held_message, borsello.given_sequence",
    );
  };

  return {
    database,
    url: bank.url,
    bus,
    taken: (destination) => taken.get(destination) ?? [],
    takenOf: (sessionId, destination) =>
      (taken.get(destination) ?? []).filter((name) => name.startsWith(`${sessionId}:`)),
    refuse: (destination, ...messages) => void refused.set(destination, new Set(messages)),
    setAway: (destination, failure) => {
      if (failure === null) away.delete(destination);
      else away.set(destination, failure);
    },
    startRelay: (options) => {
      const relay = startOutboxRelay({ database, bus, faults: noFaultPoints, logger, ...options });
      relays.push(relay);
      return relay;
    },
    publish: (sessionId, ...numbers) =>
      database.execute(
        `insert into borsello.outbox (destinations, session_id, subject, partner_key, body)
         select '{acme,platform-events}', $1, 'WalletUpdated', 'acme',
           json_build_object('number', number)
         from unnest($2::integer[]) as number`,
        [sessionId, numbers],
      ),
    endWaits: () =>
      database.execute(
        `update borsello.held_message set next_attempt_at = clock_timestamp()
         where next_attempt_at is not null`,
      ),
    waiting: () => countOf(database, "select count(*) from borsello.outbox where sent_at is null"),
    held: () =>
      database.rows(
        Held,
        `select failures, given_up_at is not null as "isGivenUp",
           round(extract(epoch from next_attempt_at - last_failed_at))::float8 as "waitSeconds"
         from borsello.held_message order by outbox_id, destination`,
      ),
    linesOf: (level) => levels.filter((one) => one === level).length,
    reset,
    end: async () => {
      await reset();
      await bank.end();
    },
  };
};

export const names = (sessionId: string, ...numbers: readonly number[]): string[] =>
  numbers.map((number) => `${sessionId}:${number}`);
