/** Buckets and limits on a real database: what is listed, what a resync puts right, what counts as used. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { partnerSettings } from "../../../shared/contracts/platform/partner-settings.js";
import { listBuckets, resyncBuckets } from "../../../shared/database/ledger/buckets.js";
import { limitBounds } from "../../../shared/database/ledger/limit-bounds.js";
import { findLimits } from "../../../shared/database/ledger/wallet-limits.js";
import { outboxOf } from "../../support/wallet/bank-fixtures.js";
import { creditWallet, holdFunds } from "../../support/wallet/funds.js";
import { envelope } from "../../support/wallet/wallet-events.js";
import {
  acme,
  auditOf,
  globex,
  made,
  openWallet,
  openWalletTest,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

let wallets: WalletTest;
beforeAll(async () => {
  wallets = await openWalletTest();
});
afterAll(() => wallets.end());

const reader = { ...acme, isOperator: false };

const bucketsOf = async (walletId: string) =>
  made(await listBuckets(wallets.database, reader, walletId));

const resync = async (walletId: string) =>
  made(await resyncBuckets(wallets.database, acme, walletId));

describe("the list", () => {
  test("has each bucket with what can be spent of it, oldest first", async () => {
    const { walletId } = await openWallet(wallets.database);
    expect(await bucketsOf(walletId)).toEqual([]);
    await creditWallet(wallets.database, walletId, 1_050n);
    await creditWallet(wallets.database, walletId, 300n, {
      type: "LoyaltyDeposit",
      fundsType: "Loyalty",
    });
    await holdFunds(wallets.database, walletId, 50n);
    const date = expect.stringMatching(/Z$/) as unknown;
    const dates = { creationDate: date, lastIncomingDate: date, lastOutgoingDate: null };
    const id = expect.any(String) as unknown;
    expect(await bucketsOf(walletId)).toEqual([
      {
        ...{ bucketId: id, walletId, partnerKey: "acme", ...dates },
        ...{ availableBalance: 10, isWithdrawable: true },
      },
      {
        ...{ bucketId: id, walletId, partnerKey: "acme", ...dates },
        ...{ availableBalance: 3, isWithdrawable: false },
      },
    ]);
  });

  test("is for the wallet's own partner and for operators", async () => {
    const { walletId } = await openWallet(wallets.database);
    const list = (isOperator: boolean) =>
      listBuckets(wallets.database, { ...globex, isOperator }, walletId);
    expect(await list(false)).toMatchObject({ code: "WalletOfAnotherPartner" });
    expect(await list(true)).toEqual({ ok: true, value: [] });
  });
});

describe("a resync", () => {
  test("changes nothing where all is right", async () => {
    const { walletId } = await openWallet(wallets.database);
    expect(await resync(walletId)).toEqual({ createdBuckets: 0, updatedBuckets: 0 });
    await creditWallet(wallets.database, walletId, 100n);
    const before = await bucketsOf(walletId);
    const messages = (await outboxOf(wallets.database, walletId)).length;
    expect(await resync(walletId)).toEqual({ createdBuckets: 0, updatedBuckets: 0 });
    expect(await bucketsOf(walletId)).toEqual(before);
    expect(await outboxOf(wallets.database, walletId)).toHaveLength(messages);
  });

  test("puts balances and dates right by the entries, and notes what they were", async () => {
    const { walletId } = await openWallet(wallets.database);
    await creditWallet(wallets.database, walletId, 100n);
    await creditWallet(wallets.database, walletId, 40n, { fundsType: "Loyalty" });
    const before = await bucketsOf(walletId);
    await wallets.database.execute(
      `update borsello.bucket set balance_cents = 99, last_incoming_date = null,
         last_outgoing_date = now() where wallet_id = $1 and funds_type = 'Standard'`,
      [walletId],
    );
    expect(await bucketsOf(walletId)).not.toEqual(before);
    expect(await resync(walletId)).toEqual({ createdBuckets: 0, updatedBuckets: 1 });
    expect(await bucketsOf(walletId)).toEqual(before);
    expect(await auditOf(wallets.database, before[0]?.bucketId ?? "")).toEqual([
      { actor: "acme-client", entity: "Bucket", action: "resync", toStatus: null },
    ]);
  });

  test("opens the bucket of standard funds where a deposit went elsewhere, and tells of it", async () => {
    const { walletId } = await openWallet(wallets.database);
    await creditWallet(wallets.database, walletId, 40n, { fundsType: "Loyalty" });
    expect(await resync(walletId)).toEqual({ createdBuckets: 1, updatedBuckets: 0 });
    const standard = (await bucketsOf(walletId)).find(({ isWithdrawable }) => isWithdrawable);
    const message = (await outboxOf(wallets.database, walletId)).at(-1);
    expect(message).toMatchObject({ subject: "BucketCreated" });
    expect(message?.body).toEqual({
      ...envelope(message?.messageId ?? ""),
      ...standard,
      fundsType: "Standard",
      fundsExpiryDate: null,
    });
    expect(await resync(walletId)).toEqual({ createdBuckets: 0, updatedBuckets: 0 });
  });
});

describe("limits", () => {
  const limitsOf = async (walletId: string, given = {}) =>
    made(
      await findLimits(wallets.database, reader, walletId, async () =>
        limitBounds(partnerSettings.parse({ limits: given })),
      ),
    );

  const unused = (limit: number) => ({
    limit,
    current: 0,
    remainingAmountToLimit: limit,
    exceedAmountFromLimit: 0,
  });

  test("of a new wallet are the defaults, with nothing used", async () => {
    const { walletId } = await openWallet(wallets.database);
    expect(await limitsOf(walletId)).toEqual({
      maximum: unused(1000),
      minimum: unused(1),
      maximumLastMonthCashDeposit: unused(2500),
      maximumLastMonthCashWithdrawal: unused(1000),
      maximumLastMonthSddDeposit: unused(1250),
    });
  });

  test("count what was done in thirty days and not undone, and say when they are violated", async () => {
    const { walletId } = await openWallet(wallets.database);
    for (const cents of [1_000n, 2_050n, 400n])
      await creditWallet(wallets.database, walletId, cents);
    const undo = `update borsello.operation set status = 'Terminated'
      where wallet_id = $1 and amount_cents = 400`;
    await wallets.database.execute(undo, [walletId]);
    const age = `update borsello.operation set creation_date = creation_date - interval '31 days'
      where wallet_id = $1 and amount_cents = 1000`;
    await creditWallet(wallets.database, walletId, 7n, { type: "SddDeposit" });
    expect(await limitsOf(walletId)).toMatchObject({
      maximumLastMonthCashDeposit: { current: 30.5, remainingAmountToLimit: 2469.5 },
      maximumLastMonthSddDeposit: { current: 0.07 },
    });
    await wallets.database.execute(age, [walletId]);
    const limits = await limitsOf(walletId, { lastMonthCashDepositCents: 2_000 });
    expect(limits.maximumLastMonthCashDeposit).toEqual({
      limit: 20,
      current: 20.5,
      remainingAmountToLimit: 0,
      exceedAmountFromLimit: 0.5,
      violationMessage: "The cash deposits of the last 30 days exceed their limit.",
    });
  });
});
