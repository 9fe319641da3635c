/** What an affiliate must still be told: once it has heard it, it is told no more; until then, again and again. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { openAffiliates, type Affiliates } from "../../../functions/kit/affiliates.js";
import { findPartner } from "../../../shared/database/access/partners.js";
import { lateAnswer } from "../../../shared/database/authorisations/late-answers.js";
import {
  claimPushes,
  pushLater,
  reversalOf,
  withdrawPush,
} from "../../../shared/database/authorisations/o2i-pushes.js";
import {
  o2iTargetOf,
  setSandboxTarget,
} from "../../../shared/database/authorisations/o2i-targets.js";
import type { O2iMessage } from "../../../shared/contracts/authorisations/affiliate.js";
import { createLogger } from "../../../shared/platform/logger.js";
import {
  answerJson,
  answerOf,
  approving,
  someRequest,
  startFakeAffiliate,
  type FakeAffiliate,
} from "../../support/affiliates/fake-affiliate.js";
import { openWalletTest, type WalletTest } from "../../support/wallet/wallet-fixtures.js";

let wallets: WalletTest;
let acme: FakeAffiliate;
let globex: FakeAffiliate;
let lines: string[];
let affiliates: Affiliates;

beforeAll(async () => {
  [wallets, acme, globex] = await Promise.all([
    openWalletTest(),
    startFakeAffiliate(),
    startFakeAffiliate(),
  ]);
  await setSandboxTarget(wallets.database, "acme", { endpoint: acme.url, standIn: null });
  await setSandboxTarget(wallets.database, "globex", { endpoint: globex.url, standIn: null });
});
afterAll(async () => {
  await Promise.all([wallets.end(), acme.stop(), globex.stop()]);
});

beforeEach(() => {
  acme.behave(approving);
  lines = [];
  const { database } = wallets;
  affiliates = openAffiliates({
    config: { environment: "testing", affiliateSecrets: new Map() },
    database,
    partners: { byKey: (partnerKey) => findPartner(database, partnerKey) },
    logger: createLogger("error", (_level, line) => lines.push(line)),
    note: (work, error) => {
      throw new Error(work, { cause: error });
    },
    wallet: {
      ask: (_affiliate, _kind, { transactionId }) =>
        Promise.resolve({ reached: true, answer: answerOf(transactionId) }),
    },
    keepLate: (late) => lateAnswer(database, late),
  });
});
afterEach(() => affiliates.close());

type Request = O2iMessage;

const reverseLater = (request: Request, afterSeconds = 0, partnerKey = "acme"): Promise<void> =>
  pushLater(wallets.database, {
    ...{ partnerKey, kind: "reversal", request: reversalOf(request), afterSeconds },
  });

const pass = (seconds: number): Promise<number> =>
  wallets.database.execute("update borsello.sandbox_clock set offset_ms = offset_ms + $1", [
    seconds * 1_000,
  ]);

const told = ({ asked }: FakeAffiliate, { transactionId }: Request) =>
  asked.filter(({ body }) => body.refTransactionId === transactionId);

const Kept = z.object({ status: z.string(), code: z.string().nullable(), attempts: z.int() });

const kept = (request: Request) =>
  wallets.database.row(
    Kept,
    `select status, response_code as code, attempts from borsello.o2i_push
     where transaction_id = $1`,
    [reversalOf(request).transactionId],
  );

test("a reversal names what it reverses, and is the same message however often it is asked for", async () => {
  const request = someRequest();
  await Promise.all([reverseLater(request), reverseLater(request), reverseLater(request, 30)]);
  await affiliates.tellDue();
  await reverseLater(request);
  await affiliates.tellDue();
  const reversal = reversalOf(request);
  expect(told(acme, request).map(({ body }) => body)).toEqual([
    { ...request, ...reversal, refTransactionId: request.transactionId },
  ]);
  expect(reversal.transactionId).not.toBe(request.transactionId);
  expect(told(acme, request)[0]?.headers["x-o2i-operation"]).toBe("reversal");
  expect(await kept(request)).toEqual({ status: "Told", code: "00", attempts: 1 });
});

test("it is told again, by the settings' waits, until it is heard; a decline is heard, too", async () => {
  const request = someRequest();
  const words = [{ status: 500 }, { status: 500 }, { code: "96" }, { code: "12" }];
  acme.behave((response, { body }) => {
    const { status = 200, code = "00" } = words.shift() ?? {};
    answerJson(response, answerOf(body.transactionId, code), status);
  });
  await reverseLater(request);
  await affiliates.tellDue();
  expect(told(acme, request)).toHaveLength(2);
  await affiliates.tellDue();
  expect(told(acme, request)).toHaveLength(2);
  await pass(5);
  await affiliates.tellDue();
  expect(told(acme, request)).toHaveLength(3);
  await pass(200);
  await affiliates.tellDue();
  expect(await kept(request)).toMatchObject({ status: "Waiting", attempts: 2 });
  await pass(100);
  await affiliates.tellDue();
  expect(await kept(request)).toEqual({ status: "Told", code: "12", attempts: 3 });
  expect(new Set(told(acme, request).map(({ text }) => text)).size).toBe(1);
});

test("after the last wait somebody is asked to tell it, and the platform tells it no more", async () => {
  const request = someRequest();
  acme.behave((response) => void response.destroy());
  await reverseLater(request);
  for (let attempt = 0; attempt < 9; attempt += 1) {
    await affiliates.tellDue();
    await pass(36_000);
  }
  expect(await kept(request)).toEqual({ status: "GivenUp", code: null, attempts: 8 });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(reversalOf(request).transactionId);
});

test("what a sender that was killed had claimed is told by the next one", async () => {
  const request = someRequest();
  await reverseLater(request);
  const [claimed] = await claimPushes(wallets.database, 20);
  expect(claimed).toMatchObject({ partnerKey: "acme", attempts: 1 });
  await affiliates.tellDue();
  expect(told(acme, request)).toEqual([]);
  await pass(30);
  await affiliates.tellDue();
  expect(told(acme, request)).toHaveLength(1);
});

test("two senders at once tell each message once", async () => {
  const requests = Array.from({ length: 30 }, someRequest);
  for (const request of requests) await reverseLater(request);
  const claims = await Promise.all(
    Array.from({ length: 4 }, () => claimPushes(wallets.database, 20)),
  );
  const ids = claims.flat().map(({ transactionId }) => transactionId);
  expect(new Set(ids).size).toBe(ids.length);
  await pass(30);
  await affiliates.tellDue();
  for (const request of requests) expect(told(acme, request)).toHaveLength(1);
});

test("what waits for one affiliate keeps another's from nothing", async () => {
  acme.behave((response) => void response.destroy());
  for (let n = 0; n < 50; n += 1) await reverseLater(someRequest());
  const request = someRequest();
  await reverseLater(request, 0, "globex");
  const [claimed] = (await claimPushes(wallets.database, 20)).filter(
    ({ partnerKey }) => partnerKey === "globex",
  );
  expect(claimed).toBeDefined();
  await wallets.database.execute("delete from borsello.o2i_push where partner_key = 'acme'");
});

test("what nobody was told can be withdrawn, and what somebody may have been told cannot", async () => {
  const { database } = wallets;
  const [never, waiting, claimed, done] = Array.from({ length: 4 }, someRequest);
  if (!never || !waiting || !claimed || !done) throw new Error("four requests");
  const withdraw = (request: Request) =>
    withdrawPush(database, "acme", reversalOf(request).transactionId);
  await reverseLater(done);
  await affiliates.tellDue();
  await reverseLater(claimed);
  await claimPushes(database, 20);
  await reverseLater(waiting, 30);
  expect(await Promise.all([never, waiting, claimed, done].map(withdraw))).toEqual([
    ...[true, true, false, false],
  ]);
  await pass(60);
  await affiliates.tellDue();
  expect([waiting, claimed, done].map((request) => told(acme, request).length)).toEqual([0, 1, 1]);
});

test("an affiliate that is a wallet is told in the wallet, and one without an endpoint later", async () => {
  const { database } = wallets;
  const request = someRequest();
  await setSandboxTarget(database, "globex", { endpoint: null, standIn: "05" });
  await reverseLater(request, 0, "globex");
  await affiliates.tellDue();
  expect(await kept(request)).toMatchObject({ status: "Waiting", attempts: 1 });
  await setSandboxTarget(database, "globex", { endpoint: "wallet", standIn: null });
  await pass(5);
  await affiliates.tellDue();
  expect(await kept(request)).toEqual({ status: "Told", code: "00", attempts: 2 });
  expect(told(globex, request)).toEqual([]);
});

test("the sandbox's word counts outside production alone, and without the settings' key", async () => {
  const { database } = wallets;
  const auth = { kind: "key", header: "X-Key", secretSetting: "AFFILIATE_SECRET_A" } as const;
  const o2i = { endpoint: "https://affiliate.example/", auth, standIn: "05" };
  const partner = (partnerKey: string) => ({ partnerKey, settings: { cards: { o2i } } });
  expect(await o2iTargetOf(database, partner("acme"), true)).toEqual({
    ...{ endpoint: acme.url, standIn: null, auth: { kind: "none" } },
  });
  expect(await o2iTargetOf(database, partner("acme"), false)).toEqual(o2i);
  expect(await o2iTargetOf(database, partner("umbrella"), true)).toEqual(o2i);
});

test("an approval that comes too late is reversed at once, and a decline ends the doubt", async () => {
  const { database } = wallets;
  const [approved, declined] = [someRequest(), someRequest()];
  const late = (request: Request, responseCode: string) =>
    lateAnswer(database, {
      ...{ partnerKey: "acme", kind: "request", request },
      answer: answerOf(request.transactionId, responseCode),
    });
  await reverseLater(approved, 30);
  await reverseLater(declined, 30);
  await late(approved, "00");
  await late(declined, "51");
  await affiliates.tellDue();
  await pass(60);
  await affiliates.tellDue();
  expect([approved, declined].map((request) => told(acme, request).length)).toEqual([1, 0]);
});
