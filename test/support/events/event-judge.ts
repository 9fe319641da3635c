/** What a partner must have read from its topic once all is over: every number once, in order, as it was written. */
import { expect } from "vitest";
import { z } from "zod";
import type { ReceivedEvent } from "../../../bench/platform/topic-reader.js";
import type { Published } from "./event-publishers.js";

const Written = z.array(
  z.object({
    sequence: z.coerce.number(),
    id: z.string(),
    walletId: z.string(),
    name: z.string(),
    body: z.string(),
  }),
);
export type Written = z.output<typeof Written>;

/** All of a partner's events up to now as the database holds them, by number: settlement may go on telling. */
export const writtenEvents = async (
  query: (text: string, values: readonly unknown[]) => Promise<unknown>,
  partnerKey: string,
): Promise<Written> =>
  Written.parse(
    await query(
      `select coalesce(o.sequence, g.sequence) as sequence, message_id as id, session_id as "walletId",
         subject as name, body::text
       from borsello.outbox as o left join borsello.given_sequence as g using (outbox_id)
       where $1 = any (destinations) and coalesce(o.sequence, g.sequence) is not null order by 1`,
      [partnerKey],
    ),
  ).map((event) => ({ ...event, body: JSON.stringify(JSON.parse(event.body)) }));

/** The first delivery of each event, in the order of arrival. */
export const firstSightings = (deliveries: readonly ReceivedEvent[]): readonly ReceivedEvent[] => {
  const first = new Map<string, ReceivedEvent>();
  for (const delivery of deliveries) if (!first.has(delivery.id)) first.set(delivery.id, delivery);
  return [...first.values()];
};

const bySession = (events: readonly ReceivedEvent[]): Map<string, ReceivedEvent[]> => {
  const sessions = new Map<string, ReceivedEvent[]>();
  for (const event of events) {
    const others = sessions.get(event.walletId);
    if (others === undefined) sessions.set(event.walletId, [event]);
    else others.push(event);
  }
  return sessions;
};

const ascending = (numbers: readonly number[]): readonly number[] =>
  numbers.toSorted((one, other) => one - other);

/** Nothing is missing, nothing was made up, nothing differs, and each wallet's events came in their order. */
export const judgeDeliveries = (deliveries: readonly ReceivedEvent[], written: Written): void => {
  expect(written.map(({ sequence }) => sequence)).toEqual(written.map((_, index) => index + 1));
  const texts = (events: Written | readonly ReceivedEvent[]): Set<string> =>
    new Set(
      events.map(({ sequence, id, walletId, name, body }) =>
        JSON.stringify([sequence, id, walletId, name, body]),
      ),
    );
  // A number under two ids, an id under two numbers and two bodies under one id are one too many.
  expect(texts(deliveries)).toEqual(texts(written));
  for (const events of bySession(firstSightings(deliveries)).values()) {
    const numbers = events.map(({ sequence }) => sequence);
    expect(numbers).toEqual(ascending(numbers));
  }
};

const OfOperation = z.looseObject({ operationId: z.string() });

const hasConfirmed = (ended: string): boolean => !["Initialized", "Cancelled"].includes(ended);
const hasCancelled = (ended: string): boolean => ["Cancelled", "Terminated"].includes(ended);

/** Each answered command is told once, and nothing that nobody asked for. */
export const judgeCommands = (
  deliveries: readonly ReceivedEvent[],
  { accounts, rounds, forced }: Published,
): void => {
  const sightings = firstSightings(deliveries);
  const told = (name: string): string[] =>
    sightings
      .filter((event) => event.name === name)
      .map(({ body }) => OfOperation.parse(JSON.parse(body)).operationId)
      .sort();
  const operations = accounts.flatMap((account) => [...account.operations.values()]);
  const asked = (isAsked: (ended: string) => boolean): string[] =>
    operations
      .filter(({ ended }) => isAsked(ended))
      .map(({ operationId }) => operationId)
      .sort();
  expect(told("OperationInitialized")).toEqual(asked(() => true));
  expect(told("OperationConfirmed")).toEqual(asked(hasConfirmed));
  expect(told("OperationCancelled")).toEqual(asked(hasCancelled));

  const ids = new Set(sightings.map(({ id }) => id));
  expect(forced.filter((id) => !ids.has(id))).toEqual([]);

  const changes = new Set(["WalletSuspended", "WalletReactivated"]);
  const sessions = bySession(sightings.filter(({ name }) => changes.has(name)));
  for (const [walletId, count] of rounds)
    expect((sessions.get(walletId) ?? []).map(({ name }) => name)).toEqual(
      Array.from({ length: count }, () => [...changes]).flat(),
    );
};
