/** Customers, their bank, clock moves and kills, all by chance; then everything must add up. */
import { expect } from "vitest";
import { setTimeout as sleep } from "node:timers/promises";
import { sender, type Send } from "../../../bench/platform/onboarding.js";
import { acme, headersFor } from "../../../bench/platform/session.js";
import { requestDailyDeposits } from "../../../functions/schedule/mandate-deposits.js";
import { runDueNotifications } from "../../../functions/schedule/bank-notifications.js";
import { proveBook } from "../../../shared/database/accounting/prove.js";
import { openPool } from "../database/connections.js";
import { openStackDatabase } from "../platform/api.js";
import { startTestStack } from "../platform/stack.js";
import { seededRandom } from "../platform/seeded-random.js";
import { looseEnds, stillOpen, unsettled } from "./loose-ends.js";
import { openRandomBank } from "./random-bank.js";
import { openRandomCustomer, type RandomCustomer, type World } from "./random-customer.js";

export interface RandomRun {
  readonly seed: number;
  readonly customers: number;
  readonly rounds: number;
  readonly kills: number;
}

const patienceMs = 60_000;
const dayMs = 86_400_000;
const pollMs = 20;

/** fetch rejects with a TypeError where a kill cut the call. */
const unlessCut = (error: unknown): undefined => {
  if (!(error instanceof TypeError)) throw error;
  return undefined;
};

export const runRandomly = async ({ seed, customers, rounds, kills }: RandomRun): Promise<void> => {
  const random = seededRandom(seed);
  const chance = (share: number): boolean => random() < share;
  const stack = await startTestStack({ environment: { SANDBOX_BANK: "off" } });
  const judge = openPool(stack.databaseUrl, 1);
  const database = openStackDatabase(stack);
  const rowsOf = async (text: string): Promise<Record<string, unknown>[]> =>
    (await judge.query<Record<string, unknown>>(text)).rows;
  const [account] = await rowsOf(
    "select borsello.collection_account(p) as iban from borsello.partner as p where partner_key = 'acme'",
  );
  const bank = openRandomBank(random, String(account?.["iban"]));
  try {
    bank.connect(stack.brokerConnectionString);
    let sendOnce = sender(stack.url, await headersFor(stack.url, acme));
    const send: Send = async (method, path, body) => {
      const deadline = performance.now() + patienceMs;
      for (;;) {
        const answer = await sendOnce(method, path, body).catch(unlessCut);
        if (answer !== undefined && answer.status !== 503) return answer;
        if (performance.now() > deadline)
          throw new Error(`${method} ${path}: ${answer?.status ?? "cut"} for too long`);
        await sleep(pollMs);
      }
    };
    const quiet = async (): Promise<void> => {
      const left = async () => [bank.isSilent, ...(await rowsOf(unsettled))];
      await expect.poll(left, { timeout: patienceMs, interval: pollMs }).toEqual([true]);
    };
    let now = Date.now();
    const moveClock = async (days: number): Promise<void> => {
      now = Math.max(now, Date.now()) + days * dayMs;
      const { status, body } = await send("PUT", "/sandbox/clock", {
        now: new Date(now).toISOString(),
      });
      if (status !== 200) throw new Error(`The clock: ${status} ${JSON.stringify(body)}`);
    };
    /** What the timers do by then. */
    const runFlows = async (): Promise<void> => {
      await requestDailyDeposits({ database });
      await runDueNotifications({ database });
      const { status, body } = await send("POST", "/wallet/flows/accountingoperations");
      if (status !== 202) throw new Error(`The run: ${status} ${JSON.stringify(body)}`);
    };
    /** Twice: what the first time credits is settled by the second. */
    const settle = async (): Promise<void> => {
      for (let times = 0; times < 2; times += 1) {
        await runFlows();
        await quiet();
      }
    };
    const restart = async (): Promise<void> => {
      await stack.kill9();
      await bank.disconnect();
      await stack.restart();
      sendOnce = sender(stack.url, await headersFor(stack.url, acme));
      bank.connect(stack.brokerConnectionString);
    };
    const world: World = { send, bank, transfers: new Map(), quiet };
    const deeds: string[] = [];
    const people: RandomCustomer[] = [];
    for (let index = 0; index < customers; index += 1)
      people.push(await openRandomCustomer(world, index, seededRandom(seed + 1 + index)));

    const killRounds = new Set(
      Array.from({ length: kills }, (_, index) => Math.floor(((index + 0.5) * rounds) / kills)),
    );
    for (let round = 0; round < rounds; round += 1) {
      const acting = Promise.all(
        people.map(async (person) => {
          for (let left = 1 + Math.floor(random() * 3); left > 0; left -= 1)
            deeds.push(await person.act());
        }),
      );
      const killing = killRounds.has(round) ? sleep(random() * 100).then(restart) : undefined;
      await Promise.all([acting, killing]);
      if (chance(0.3)) await quiet();
      if (chance(0.3)) await moveClock(Math.ceil(random() * random() * 40));
      if (chance(0.4)) bank.answerLate();
      if (chance(0.5)) await runFlows();
    }

    bank.calmDown();
    // Refused revocations are asked anew on the next bank day, unanswered ones after ten of them.
    for (let days = 0; days < 3; days += 1) {
      await quiet();
      await moveClock(8);
      await runFlows();
    }
    await quiet();
    await settle();
    const told = { seed, deeds };
    expect(
      await looseEnds({ rowsOf, bank, transfers: world.transfers }),
      JSON.stringify(told, null, 1),
    ).toEqual([]);
    for (const person of people) await person.finish();
    await settle();
    expect(await looseEnds({ rowsOf, bank, transfers: world.transfers })).toEqual([]);
    const unfinished = await rowsOf(stillOpen);
    expect(unfinished).toEqual([]);
    const proof = await proveBook({ kind: "url", url: stack.databaseUrl });
    expect(proof.findings).toEqual([]);
  } finally {
    await judge.end();
    await database.close();
    await bank.disconnect();
    await stack.stop();
  }
};
