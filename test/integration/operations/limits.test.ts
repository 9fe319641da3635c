/** Limits bind at the cent, count what is open, and give back what ended without money. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { wrongInBooks } from "../../support/operations/books.js";
import { commandsOn, defaultLimits, type Asked } from "../../support/operations/commands.js";
import { operationStates } from "../../support/operations/operation-states.js";
import { openWalletTest, type WalletTest } from "../../support/wallet/wallet-fixtures.js";

let wallets: WalletTest;
beforeAll(async () => {
  wallets = await openWalletTest();
});
afterAll(async () => {
  expect(await wrongInBooks(wallets.database)).toEqual([]);
  await wallets.end();
});

const withStates = () => ({
  states: operationStates(() => wallets.database),
  commands: commandsOn(wallets.database),
});

describe.each([
  ["CashDeposit", "maximumLastMonthCashDeposit", { cash_deposit: 2_500 }],
  ["CashWithdrawal", "maximumLastMonthCashWithdrawal", { cash_withdrawal: 2_500 }],
  ["WelfareDeposit", "maximumAnnualWelfareDeposit", { welfare_deposit: 2_500 }],
] as const)("%s: %s", (type, limitName, bounds) => {
  test("takes the last cent, refuses one more, and has room again after a cancellation", async () => {
    const { states, commands } = withStates();
    const walletId = await states.walletId();
    await states.fund(walletId, 10_000n);
    const limits = { ...defaultLimits, ...bounds };
    const given = { walletId, type, limits, feeRules: [], ...(await states.partyOf(type)) };
    // Its own funds are cash, too.
    const used = type === "CashDeposit" ? 10_000n : 0n;
    const asked = (cents: bigint): Asked => ({
      ...given,
      cents,
      limits: { ...limits, cash_deposit: limits.cash_deposit + Number(used) },
    });
    const first = await commands.initialised(asked(1_500n));
    await commands.initialised(asked(1_000n));
    expect(await commands.initialise(asked(100n))).toMatchObject({
      code: "LimitExceeded",
      properties: { limitName, exceedAmountFromLimit: "1" },
    });
    await commands.change("cancel", { walletId, type }, first.operationId);
    expect(await commands.initialise(asked(1_501n))).toMatchObject({
      properties: { limitName, exceedAmountFromLimit: "0.01" },
    });
    const whole = await commands.initialised(asked(1_500n));
    const { limits: atEnd } = asked(0n);
    expect(
      await commands.change("confirm", { walletId, type }, whole.operationId, atEnd),
    ).toMatchObject({ ok: true });
  });

  test("of twenty at once only as many are taken as the limit holds", async () => {
    const { states, commands } = withStates();
    const walletId = await states.walletId();
    await states.fund(walletId, 10_000n);
    const cash = type === "CashDeposit" ? 10_000 : 0;
    const limits = { ...defaultLimits, ...bounds };
    const asked: Asked = {
      ...{ walletId, type, cents: 300n, feeRules: [], ...(await states.partyOf(type)) },
      limits: { ...limits, cash_deposit: limits.cash_deposit + cash },
    };
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => commands.initialise(asked)),
    );
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(8);
    for (const outcome of outcomes.filter(({ ok }) => !ok))
      expect(outcome).toMatchObject({ code: "LimitExceeded", properties: { limitName } });
  });
});

test.each([
  ["CashDeposit", 499_999],
  ["CashWithdrawal", 499_999],
  ["LoyaltyDeposit", 1_000_000],
] as const)(
  "a %s is at most %d cents where the partner allows ten thousand",
  async (type, most) => {
    const { states, commands } = withStates();
    const limits = {
      ...defaultLimits,
      ...{ maximum: 1_000_000, cash_deposit: 100_000_000, cash_withdrawal: 100_000_000 },
    };
    const walletId = await states.walletId();
    await states.fund(walletId, 499_999n, "Standard", { limits });
    await states.fund(walletId, 499_999n, "Standard", { limits });
    const given = { walletId, type, limits, feeRules: [], ...(await states.partyOf(type)) };
    expect(await commands.initialise({ ...given, cents: BigInt(most) + 1n })).toMatchObject({
      properties: { limitName: "maximum", exceedAmountFromLimit: "0.01" },
    });
    expect(await commands.initialise({ ...given, cents: BigInt(most) })).toMatchObject({
      ok: true,
    });
  },
);

test("a deposit that its fee eats up moves its fee and nothing else", async () => {
  const { states, commands } = withStates();
  const walletId = await states.walletId();
  const party = await states.partyOf("CashDeposit");
  const asked: Asked = { walletId, type: "CashDeposit", cents: 100n, ...party };
  const { operationId } = await commands.confirmed(asked);
  const Moved = z.object({ kind: z.string(), cents: z.bigint() });
  expect(
    await wallets.database.rows(
      Moved,
      `select account.kind, amount_cents as cents
       from borsello.ledger_transaction join borsello.entry using (transaction_id)
         join borsello.account using (account_id) where operation_id = $1 order by kind`,
      [operationId],
    ),
  ).toEqual([
    { kind: "Fees", cents: 100n },
    { kind: "Store", cents: -100n },
  ]);
});

test("a payment's fee stays held after its confirmation", async () => {
  const { states, commands } = withStates();
  const walletId = await states.walletId();
  const bucketId = await states.fund(walletId, 1_000n);
  const feeRules = [
    {
      ...{ family: "Payment", fixedCents: 50, percent: 0, minimumCents: 0, maximumCents: null },
      ...{ beneficiary: "platform", debtor: "wallet" },
    },
  ];
  const party = await states.partyOf("Payment");
  const asked: Asked = { walletId, type: "Payment", cents: 600n, feeRules, ...party };
  await commands.confirmed(asked);
  const Funds = z.object({ balance: z.bigint(), held: z.bigint() });
  expect(
    await wallets.database.row(
      Funds,
      `select balance_cents as balance, borsello.held_of(wallet_id, bucket_id) as held
       from borsello.bucket where bucket_id = $1`,
      [bucketId],
    ),
  ).toEqual({ balance: 400n, held: 50n });
  expect(await commands.initialise({ ...asked, cents: 301n })).toMatchObject({
    code: "InsufficientBalance",
    properties: { availableBalance: "3.5", finalAmount: "3.51" },
  });
  expect(await commands.initialise({ ...asked, cents: 300n })).toMatchObject({ ok: true });
});
