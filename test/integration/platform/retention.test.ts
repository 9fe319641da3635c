/** What only tells of the past goes after its time; what waits stays, however old it is. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { forgetPast } from "../../../functions/schedule/retention.js";
import { purgeCompleted } from "../../../shared/durable/flow-client.js";
import { openBankTest, type BankTest } from "../../support/wallet/bank-fixtures.js";

let bank: BankTest;
beforeAll(async () => {
  bank = await openBankTest();
});
afterAll(() => bank.end());

const settings = { eventDays: 30, runDays: 30, answerHours: 24, auditDays: null };

const write = (session: string, count: number, daysOld: number, sentDaysAgo: number | null) =>
  bank.database.execute(
    `insert into borsello.outbox (destinations, session_id, subject, body, created_at, sent_at)
     select '{acme}', $1, 'Test', '{}', now() - make_interval(days => $3),
       now() - make_interval(days => $4) from generate_series(1, $2::integer)`,
    [session, count, daysOld, sentDaysAgo],
  );

const left = async () =>
  Object.fromEntries(
    (
      await bank.database.rows(
        z.object({ session: z.string(), count: z.int() }),
        `select session_id as session, count(*)::int as count from borsello.outbox
         group by 1 order by 1`,
      )
    ).map(({ session, count }) => [session, count]),
  );

test("messages sent a month ago are forgotten, those that wait or were sent late are not", async () => {
  await write("stuck", 2_500, 90, null);
  await write("old", 4_300, 60, 60);
  await write("late", 3, 50, 2);
  await write("old", 700, 31, 31);
  await write("young", 2_100, 3, 3);
  let pieces = 0;
  const stopped = await forgetPast(bank, settings, () => pieces++ < 2);
  expect(stopped.events).toBeLessThan(5_000);
  const { events } = await forgetPast(bank, settings, () => true);
  expect(stopped.events + events).toBe(5_000);
  expect(await left()).toEqual({ late: 3, stuck: 2_500, young: 2_100 });
  expect((await forgetPast(bank, settings, () => true)).events).toBe(0);
});

test("runs that ended a month ago are forgotten, all of them", async () => {
  await bank.database.execute(
    `insert into borsello.flow_run (partner_key, flow, actor, up_to, is_scheduled, status, ended_at)
     select 'acme', 'Harvestings', 'timer', now(), false, 'Completed',
       now() - make_interval(days => case when number <= 2500 then 31 else 29 end)
     from generate_series(1, 2600) as number`,
  );
  expect((await forgetPast(bank, settings, () => true)).runs).toBe(2_500);
});

test("audit rows are kept for ever where no setting says otherwise", async () => {
  expect((await forgetPast(bank, settings, () => true)).audits).toBe(0);
});

test("of the engine's instances those that are completed are purged, and no others", async () => {
  const asked: unknown[] = [];
  const month = new Date("2026-05-01T00:00:00Z");
  await purgeCompleted(
    {
      purgeInstanceHistoryBy: (filter) => {
        asked.push(filter);
        return Promise.resolve();
      },
    },
    month,
  );
  expect(asked).toEqual([
    { createdTimeFrom: new Date(0), createdTimeTo: month, runtimeStatus: ["Completed"] },
  ]);
});

test("an engine that is away while it purges is an outage", async () => {
  const away = { purgeInstanceHistoryBy: () => Promise.reject(new Error("HTTP 503")) };
  await expect(purgeCompleted(away, new Date(0))).rejects.toThrow("the durable engine");
});
