/** The onboarding's tables: view, review, reminders, ends, and which flows ought to run. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { Database } from "../../../shared/database/platform/database.js";
import { mandateState } from "../../../shared/database/mandates/flow-state.js";
import { dueFlows, ibanState } from "../../../shared/database/onboarding/flow-state.js";
import { retryTransfers } from "../../../shared/database/bank/retries.js";
import { matchSct } from "../../../shared/database/onboarding/iban-validations.js";
import { requestRevocation } from "../../../shared/database/mandates/revocation.js";
import {
  expireOnboarding,
  findOnboarding,
  reviewOnboarding,
} from "../../../shared/database/onboarding/onboarding.js";
import {
  countOf,
  openBankTest,
  receive,
  sctFor,
  writeWaitingWallet,
  type BankTest,
} from "../../support/wallet/bank-fixtures.js";

let bank: BankTest;
let database: Database;

beforeAll(async () => {
  bank = await openBankTest();
  ({ database } = bank);
  await database.execute(
    `insert into borsello.partner (partner_key, client_id, client_secret_salt, client_secret_hash,
       auth_key_salt, auth_key_hash, roles, settings)
     values ('initech', 'initech-client', '\\x', '\\x', '\\x', '\\x', '{}',
       '{"activationFlowEnabled": false, "onboarding": {"mandate": "none"}}')`,
  );
  await database.execute(
    `update borsello.partner set settings = settings ||
       '{"activationFlowEnabled": true, "onboarding": {"mandate": "required"}}'
     where partner_key = 'acme'`,
  );
});
afterAll(async () => {
  await bank.end();
});

const firstOf = (walletId: string) => ({ walletId, attempt: 1 });

const reader = { partnerKey: "acme", isOperator: false };

const validate = (walletId: string) =>
  database.execute(
    `with validation as (
       update borsello.iban_validation set status = 'Validated', ended_at = borsello.platform_now()
       where wallet_id = $1)
     update borsello.wallet set is_iban_validated = true where wallet_id = $1`,
    [walletId],
  );

const moveClock = (days: number) =>
  database.execute("update borsello.sandbox_clock set offset_ms = offset_ms + $1", [
    days * 86_400_000,
  ]);

const auditsOf = (walletId: string, action: string) =>
  countOf(
    database,
    `select count(*) from borsello.audit
     where entity = 'Onboarding' and entity_id = $1 and action = $2`,
    [walletId, action],
  );

describe("the view", () => {
  test("shows an onboarding that runs, before its flow has looked at it", async () => {
    const { walletId, code } = await writeWaitingWallet(database);
    const found = await findOnboarding(database, reader, walletId);
    expect(found).toMatchObject({ ok: true, value: { status: "Running", endedAt: null } });
    expect(found.ok && found.value.steps[0]?.detail).toContain(code);
  });

  test("is refused to another partner, but not to operators", async () => {
    const { walletId } = await writeWaitingWallet(database);
    const other = { partnerKey: "initech", isOperator: false };
    expect(await findOnboarding(database, other, walletId)).toMatchObject({
      code: "WalletOfAnotherPartner",
    });
    const operator = { partnerKey: "platform", isOperator: true };
    expect((await findOnboarding(database, operator, walletId)).ok).toBe(true);
    const nobody = "0190a6b0-5a51-7000-8000-000000000001";
    expect(await findOnboarding(database, operator, nobody)).toMatchObject({
      code: "WalletNotFound",
    });
  });

  test("keeps the steps as they stood at the end", async () => {
    const { walletId } = await writeWaitingWallet(database);
    await reviewOnboarding(database, firstOf(walletId));
    await expireOnboarding(database, firstOf(walletId));
    const before = await findOnboarding(database, reader, walletId);
    await validate(walletId);
    expect(await findOnboarding(database, reader, walletId)).toEqual(before);
    expect(before).toMatchObject({ ok: true, value: { status: "Expired" } });
  });
});

describe("the review", () => {
  test("finds the onboarding that began with the wallet, for ninety days", async () => {
    const { walletId } = await writeWaitingWallet(database);
    const [first, second] = await Promise.all([
      reviewOnboarding(database, firstOf(walletId)),
      reviewOnboarding(database, firstOf(walletId)),
    ]);
    expect(second).toEqual(first);
    expect(first.status).toBe("Running");
    const view = await findOnboarding(database, reader, walletId);
    if (!view.ok) throw new Error("the onboarding is not there");
    const days = (Date.parse(first.expiresAt) - Date.parse(view.value.startedAt)) / 86_400_000;
    expect(days).toBe(90);
  });

  test("completes without contract and mandate where the partner needs neither", async () => {
    const { walletId } = await writeWaitingWallet(database);
    await database.execute(
      "update borsello.wallet set partner_key = 'initech' where wallet_id = $1",
      [walletId],
    );
    expect((await reviewOnboarding(database, firstOf(walletId))).status).toBe("Running");
    await validate(walletId);
    expect((await reviewOnboarding(database, firstOf(walletId))).status).toBe("Completed");
    expect(await auditsOf(walletId, "end")).toBe(1);
    const view = await findOnboarding(database, { ...reader, partnerKey: "initech" }, walletId);
    expect(view.ok && view.value.steps.map(({ status }) => status)).toEqual([
      "Completed",
      "Skipped",
      "Skipped",
    ]);
  });

  test("fails the onboarding of a closed wallet", async () => {
    const { walletId } = await writeWaitingWallet(database);
    await database.execute("update borsello.wallet set status = 'Closed' where wallet_id = $1", [
      walletId,
    ]);
    expect((await reviewOnboarding(database, firstOf(walletId))).status).toBe("Failed");
  });

  test("of a wallet that is gone says that it is over", async () => {
    const nobody = "0190a6b0-5a51-7000-8000-000000000001";
    expect((await reviewOnboarding(database, firstOf(nobody))).status).toBe("Failed");
  });

  test("an end is final: the one that comes first stays", async () => {
    const { walletId } = await writeWaitingWallet(database);
    await reviewOnboarding(database, firstOf(walletId));
    await expireOnboarding(database, firstOf(walletId));
    await database.execute("update borsello.wallet set status = 'Closed' where wallet_id = $1", [
      walletId,
    ]);
    expect((await reviewOnboarding(database, firstOf(walletId))).status).toBe("Expired");
    expect(await auditsOf(walletId, "end")).toBe(1);
  });
});

describe("what a flow reads", () => {
  const Inserted = z.object({ id: z.string() });

  test("a transfer is to be tried once, and again when somebody says so", async () => {
    const wallet = await writeWaitingWallet(database);
    const { walletId, code } = wallet;
    const wrong = sctFor(wallet, { debtorName: "Somebody Else" });
    const { bankNotificationId } = await receive(database, wrong);
    await receive(database, sctFor(wallet, { reason: "ZZZZZZZZ" }));
    const attempt = { walletId, attempt: 1 };
    const untried = async () => (await ibanState(database, attempt))?.untried;
    expect(await ibanState(database, attempt)).toMatchObject({ status: "Waiting", code });
    expect(await untried()).toEqual([bankNotificationId]);
    await matchSct(database, { ...attempt, bankNotificationId });
    expect(await untried()).toEqual([]);
    await retryTransfers(database, walletId);
    expect(await untried()).toEqual([bankNotificationId]);
    expect(await ibanState(database, { walletId, attempt: 2 })).toBeUndefined();
  });

  const writeMandate = async (walletId: string, status: string): Promise<string> => {
    const row = await database.row(
      Inserted,
      `insert into borsello.mandate (wallet_id, partner_key, mandate_unique_reference, debtor_name,
         debtor_iban, amount_cents, frequency, status)
       values ($1, 'acme', left(gen_random_uuid()::text, 35), 'Maria Rossi', 'X', 2500, 'Monthly', $2)
       returning mandate_id as id`,
      [walletId, status],
    );
    return row?.id ?? "";
  };

  test("a filled mandate counts as signed only once its signature is asked for", async () => {
    const { walletId } = await writeWaitingWallet(database);
    const mandateId = await writeMandate(walletId, "Filled");
    expect(await mandateState(database, mandateId)).toMatchObject({ status: "Filled" });
    await database.execute(
      "update borsello.mandate set sign_requested_at = now() where mandate_id = $1",
      [mandateId],
    );
    expect(await mandateState(database, mandateId)).toMatchObject({ status: "Signed" });
  });

  test("a revocation is asked for once by those who know the same, and again later", async () => {
    const { walletId } = await writeWaitingWallet(database);
    const mandateId = await writeMandate(walletId, "DisableRequested");
    const unasked = { seen: null, reference: undefined };
    const asked = await Promise.all(
      [1, 2, 3].map(() => requestRevocation(database, mandateId, unasked)),
    );
    expect(asked.filter(Boolean)).toHaveLength(1);
    const { requestedAt: seen, outcome, reference } = await mandateState(database, mandateId);
    expect(outcome).toBeNull();
    await moveClock(20);
    expect(await requestRevocation(database, mandateId, { seen, reference })).toBe(true);
    expect(await requestRevocation(database, mandateId, { seen, reference })).toBe(false);
  });
});

test("flows that ought to run are found in pages of their owners, young ones left out", async () => {
  const { walletId } = await writeWaitingWallet(database);
  const mine = async (max: number) => {
    const found: string[] = [];
    let after: string | null = null;
    for (;;) {
      const page = await dueFlows(database, after, max);
      found.push(...page.filter((due) => due.subjectId === walletId).map(({ flow }) => flow));
      if (new Set(page.map((due) => due.subjectId)).size < max) return found.toSorted();
      after = page.at(-1)?.subjectId ?? null;
    }
  };
  expect(await mine(2)).toEqual([]);
  await moveClock(1);
  expect(await mine(2)).toEqual(["ibanValidation", "walletOnboarding"]);
  expect(await mine(1_000)).toEqual(["ibanValidation", "walletOnboarding"]);
});
