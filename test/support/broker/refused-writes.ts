/** Sends that the broker or its database has to refuse, beside completions of other clients. */
import { expect } from "vitest";
import { startBroker } from "../../../local/broker/broker.js";
import { rowsOf } from "../database/connections.js";
import { createDatabase } from "../database/database.js";
import { codeOf, connect, testTopology } from "./broker.js";

export interface RefusedWritesReport {
  readonly completions: number;
  /** Completed for the client, and still there or delivered again. */
  readonly lost: number;
  readonly refused: number;
  readonly secondsTaken: number;
}

/** While a subscriber completes so many messages, one send in a few is one that cannot be written. */
export const completeBesideRefusals = async (completions: number): Promise<RefusedWritesReport> => {
  const database = await createDatabase();
  const broker = await startBroker({
    connectionString: database.url,
    topology: testTopology,
    port: 0,
    report: () => undefined,
  });
  // Stands for whatever the database will not take and nobody has thought of.
  await rowsOf(
    database.url,
    "alter table broker.message add constraint test check (message_id not like 'refused%')",
  );
  const good = connect(broker.port);
  const bad = connect(broker.port, { maxRetries: 0 });
  const source = good.createSender("other");
  const numbers = Array.from({ length: completions }, (_, body) => body);
  for (let at = 0; at < completions; at += 250)
    await source.sendMessages(numbers.slice(at, at + 250).map((body) => ({ body })));

  const startedAt = performance.now();
  const seen: unknown[] = [];
  const receiver = good.createReceiver("other");
  const errors: unknown[] = [];
  receiver.subscribe(
    {
      processMessage: async ({ body }) => void seen.push(body),
      processError: async ({ error }) => void errors.push(error),
    },
    { maxConcurrentCalls: 20 },
  );
  const hostile = bad.createSender("plain");
  const noDate = new Date(NaN);
  const attempts: readonly ((round: number) => Promise<unknown>)[] = [
    () => hostile.sendMessages({ body: 0, scheduledEnqueueTimeUtc: noDate }),
    () => hostile.sendMessages({ body: 0, scheduledEnqueueTimeUtc: new Date(8.64e15) }),
    () => hostile.scheduleMessages({ body: 0 }, noDate),
    (round) => hostile.sendMessages({ body: 0, messageId: `refused-${round}` }),
    (round) => hostile.sendMessages([{ body: 0 }, { body: 0, messageId: `refused-${round}` }]),
  ];
  let refused = 0;
  const attack = async (attempt: (round: number) => Promise<unknown>): Promise<void> => {
    for (let round = 0; seen.length < completions; round += 1)
      if ((await codeOf(attempt(round))) !== "none") refused += 1;
  };
  await Promise.all(attempts.map(attack));
  const secondsTaken = (performance.now() - startedAt) / 1000;
  const rest = () =>
    rowsOf(
      database.url,
      `select from broker.message join broker.entity using (entity_id) where path = 'other'`,
    );
  // The last completions may still be on their way.
  await expect
    .poll(async () => (await rest()).length)
    .toBe(0)
    .catch(() => undefined);
  const lost = (await rest()).length + seen.length - new Set(seen).size + errors.length;
  for (const client of [good, bad]) await client.close();
  await broker.stop();
  await database.drop();
  return { completions, lost, refused, secondsTaken: Math.round(secondsTaken * 10) / 10 };
};
