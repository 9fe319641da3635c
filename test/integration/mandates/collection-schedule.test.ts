/** Collections by the clock: a run a day for each partner that has some, and no flow that is lost. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import {
  collectionSweep,
  requestDailyDeposits,
} from "../../../functions/schedule/mandate-deposits.js";
import { sweepFlowsOf } from "../../../functions/schedule/sweep.js";
import { findRun, requestRun, workRun } from "../../../shared/database/settlement/runs.js";
import { termsOf, type SettlementTerms } from "../../../shared/database/settlement/terms.js";
import { noteStartedFlows } from "../../support/durable/started-flows.js";
import { silentLogger } from "../../support/wallet/bank-fixtures.js";
import {
  bankTells,
  collect,
  collectionsOf,
  mandateNow,
  moveTo,
  moveToBankDay,
  openDueMandate,
} from "../../support/wallet/collections.js";
import { openWalletTest, type WalletTest } from "../../support/wallet/wallet-fixtures.js";

let wallets: WalletTest;
let terms: SettlementTerms;
beforeAll(async () => {
  wallets = await openWalletTest();
  terms = await termsOf(wallets.database, "acme", { silenceSeconds: 10, collectionAccount: null });
  await moveToBankDay(wallets.database);
});
afterAll(() => wallets.end());

const workOff = async (runId: string): Promise<void> => {
  while (!(await workRun(wallets.database, runId, terms)).isLast);
};

const Run = z.object({ runId: z.string(), partnerKey: z.string() });
const openRuns = () =>
  wallets.database.rows(
    Run,
    `select run_id as "runId", partner_key as "partnerKey" from borsello.flow_run
     where flow = 'MandateDepositRequest' and status = 'Queued' order by run_id`,
    [],
  );

describe("the morning's timer", () => {
  test("begins one run for a partner with something due, works it off, and begins none after it", async () => {
    const [one, other] = [
      await openDueMandate(wallets.database),
      await openDueMandate(wallets.database),
    ];
    await Promise.all([requestDailyDeposits(wallets), requestDailyDeposits(wallets)]);
    await requestDailyDeposits(wallets);
    const [run, ...others] = await openRuns();
    expect(others).toEqual([]);
    expect(run).toMatchObject({ partnerKey: "acme" });
    await workOff(run?.runId ?? "");
    expect(await findRun(wallets.database, "acme", run?.runId ?? "")).toMatchObject({
      ...{ status: "Completed", items: 2, failures: 0 },
    });
    for (const { mandateId } of [one, other])
      expect(await collectionsOf(wallets.database, mandateId)).toHaveLength(1);
    await requestDailyDeposits(wallets);
    expect(await openRuns()).toEqual([]);
    // Its next date finds it again, in whatever month that is.
    const { nextDepositRequestDate } = await mandateNow(wallets.database, one);
    await moveTo(wallets.database, nextDepositRequestDate ?? "");
    await requestDailyDeposits(wallets);
    const [next] = await openRuns();
    await workOff(next?.runId ?? "");
    expect(await collectionsOf(wallets.database, one.mandateId)).toHaveLength(2);
  });
});

describe("a run", () => {
  test("of the timer and one of a trigger at the same moment ask once, and say what they did", async () => {
    const opened = await openDueMandate(wallets.database);
    const begin = async (subjectId: string | null) => {
      const run = await requestRun(wallets.database, {
        ...{ partnerKey: "acme", flow: "MandateDepositRequest", actor: "test", type: null },
        ...{ subjectId, upTo: "now", isScheduled: subjectId === null, isIgnored: false },
      });
      return run?.runId ?? "";
    };
    const runs = [await begin(null), await begin(opened.mandateId)];
    expect(await begin(null)).toBe("");
    await Promise.all(runs.map(workOff));
    expect(await collectionsOf(wallets.database, opened.mandateId)).toHaveLength(1);
    const ended = await Promise.all(runs.map((runId) => findRun(wallets.database, "acme", runId)));
    expect(ended[0]).toMatchObject({ status: "Completed" });
    expect(ended[1]).toMatchObject({
      status: (ended[1]?.items ?? 0) === 1 ? "Completed" : "Ignored",
    });
  });
});

test("the sweep starts the flows of what the bank has not decided, once, and of nothing else", async () => {
  const opened = await openDueMandate(wallets.database);
  const decided = await collect(wallets.database, opened);
  await bankTells(wallets.database, decided, "booked");
  const open = await collect(wallets.database, opened);
  const { client, instances } = noteStartedFlows();
  const means = { database: wallets.database, logger: silentLogger };
  const started = await sweepFlowsOf(means, client, collectionSweep(means));
  expect(started).toContain(`deposit-${open}`);
  expect(started).not.toContain(`deposit-${decided}`);
  expect(new Set(started)).toEqual(instances);
});
