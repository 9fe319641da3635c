/** The ledger on a real database: what the database itself refuses, and that balances replay. */
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Queryable } from "../../../shared/database/platform/database.js";
import {
  availableCents,
  bankAccountOf,
  openBucket,
  post,
} from "../../../shared/database/ledger/ledger.js";
import { movement } from "../../../shared/domain/ledger/posting.js";
import type { TransactionKind } from "../../../shared/domain/ledger/posting.js";
import { countOf, openBankTest, writeWaitingWallet } from "../../support/wallet/bank-fixtures.js";
import type { BankTest } from "../../support/wallet/bank-fixtures.js";

let bank: BankTest;
beforeAll(async () => {
  bank = await openBankTest();
});
afterAll(() => bank.end());

interface Account {
  readonly walletId: string;
  readonly bucketId: string;
  readonly accountId: bigint;
  readonly bankId: bigint;
}

const openAccount = async (): Promise<Account> => {
  const { walletId } = await writeWaitingWallet(bank.database);
  return bank.database.transaction(async (tx) => {
    const bucket = await openBucket(tx, {
      walletId,
      partnerKey: "acme",
      fundsType: "Standard",
      fundsExpiryDate: null,
      isWithdrawable: true,
    });
    return { walletId, ...bucket, bankId: await bankAccountOf(tx, "acme") };
  });
};

/** An operation for a posting to belong to. */
const writeOperation = async (
  tx: Queryable,
  { walletId, bucketId }: Account,
  { type, amountCents, status }: { type: string; amountCents: bigint; status: string },
): Promise<string> => {
  const operationId = randomUUID();
  await tx.execute(
    `insert into borsello.operation (operation_id, wallet_id, partner_key, type, amount_cents,
       final_amount_cents, net_amount_cents, fees_amount_cents, status, funds_type, bucket_id)
     values ($1, $2, 'acme', $3, $4, $4, $4, 0, $5, 'Standard', $6)`,
    [operationId, walletId, type, amountCents, status, bucketId],
  );
  return operationId;
};

const move = (account: Account, amountCents: bigint, kind: TransactionKind = "Deposit") =>
  bank.database.transaction(async (tx) => {
    const income = amountCents > 0n;
    const operationId = await writeOperation(tx, account, {
      type: income ? "CashDeposit" : "CashWithdrawal",
      amountCents: income ? amountCents : -amountCents,
      status: "Confirmed",
    });
    const posting = income
      ? { from: account.bankId, to: account.accountId, amountCents }
      : { from: account.accountId, to: account.bankId, amountCents: -amountCents };
    await post(tx, movement(operationId, kind, posting));
    return operationId;
  });

const mismatches = () => countOf(bank.database, "select count(*) from borsello.bucket_mismatch");

describe("the database refuses", () => {
  test("a transaction whose entries do not sum to zero, at commit", async () => {
    const account = await openAccount();
    const unbalanced = bank.database.transaction(async (tx) => {
      const operationId = await writeOperation(tx, account, {
        type: "CashDeposit",
        amountCents: 5n,
        status: "Confirmed",
      });
      await post(tx, {
        operationId,
        kind: "Deposit",
        entries: [
          { accountId: account.accountId, amountCents: 5n },
          { accountId: account.bankId, amountCents: -4n },
        ],
      });
    });
    await expect(unbalanced).rejects.toMatchObject({ constraint: "ledger_transaction_balanced" });
    expect(await availableCents(bank.database, account.walletId)).toBe(0n);
  });

  test("a transaction without entries", async () => {
    const account = await openAccount();
    const empty = bank.database.transaction(async (tx) => {
      const operationId = await writeOperation(tx, account, {
        type: "CashDeposit",
        amountCents: 5n,
        status: "Confirmed",
      });
      await post(tx, { operationId, kind: "Deposit", entries: [] });
    });
    await expect(empty).rejects.toMatchObject({ constraint: "ledger_transaction_balanced" });
  });

  test.each([
    "update borsello.entry set amount_cents = amount_cents * 2",
    "delete from borsello.entry",
    "truncate borsello.entry",
    "update borsello.ledger_transaction set kind = 'Fee'",
    "delete from borsello.ledger_transaction",
    "truncate borsello.ledger_transaction cascade",
  ])("%s", async (statement) => {
    await move(await openAccount(), 100n);
    await expect(bank.database.execute(statement)).rejects.toMatchObject({
      constraint: "ledger_append_only",
    });
  });

  test("balanced entries that join a committed transaction", async () => {
    const [one, other] = [await openAccount(), await openAccount()];
    const operationId = await move(one, 100n);
    const late = bank.database.execute(
      `insert into borsello.entry (transaction_id, account_id, amount_cents)
       select transaction_id, account_id, amount_cents
       from borsello.ledger_transaction, (values ($2::bigint, 7), ($3, -7)) as line (account_id, amount_cents)
       where operation_id = $1`,
      [operationId, other.accountId, (await openAccount()).accountId],
    );
    await expect(late).rejects.toMatchObject({ constraint: "ledger_append_only" });
  });

  test("a debit beyond the bucket's balance", async () => {
    const account = await openAccount();
    await move(account, 100n);
    await expect(move(account, -101n, "Withdrawal")).rejects.toMatchObject({
      constraint: "bucket_not_overdrawn",
    });
    expect(await availableCents(bank.database, account.walletId)).toBe(100n);
  });
});

test("one operation's movement of one kind is posted once, however often it is tried at once", async () => {
  const account = await openAccount();
  const operationId = await bank.database.transaction((tx) =>
    writeOperation(tx, account, { type: "CashDeposit", amountCents: 100n, status: "Confirmed" }),
  );
  const posting = movement(operationId, "Deposit", {
    from: account.bankId,
    to: account.accountId,
    amountCents: 100n,
  });
  const posted = await Promise.all(
    Array.from({ length: 20 }, () => bank.database.transaction((tx) => post(tx, posting))),
  );
  expect(posted.filter((transactionId) => transactionId !== undefined)).toHaveLength(1);
  expect(await availableCents(bank.database, account.walletId)).toBe(100n);
});

test("an initialised debit holds its amount, a confirmed one does not hold it twice", async () => {
  const account = await openAccount();
  await move(account, 500n);
  const operationId = await bank.database.transaction((tx) =>
    writeOperation(tx, account, {
      type: "CashWithdrawal",
      amountCents: 200n,
      status: "Initialized",
    }),
  );
  expect(await availableCents(bank.database, account.walletId)).toBe(300n);
  await bank.database.execute(
    "update borsello.operation set status = 'Cancelled' where operation_id = $1",
    [operationId],
  );
  expect(await availableCents(bank.database, account.walletId)).toBe(500n);
});

test("after any mixture of credits and debits at once, every balance is the sum of its entries", async () => {
  const accounts = [await openAccount(), await openAccount(), await openAccount()];
  const command = fc.record({
    account: fc.constantFrom(...accounts),
    amountCents: fc.bigInt(-300n, 500n).filter((amount) => amount !== 0n),
  });
  const expected = new Map(accounts.map(({ walletId }) => [walletId, 0n]));
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 12 }), async (commands) => {
      await Promise.all(
        commands.map(async ({ account, amountCents }) => {
          const kind = amountCents > 0n ? "Deposit" : "Withdrawal";
          const done = await move(account, amountCents, kind).then(
            () => true,
            () => false,
          );
          // What is refused must have been a debit; what is done must show in the balance.
          if (!done) expect(amountCents).toBeLessThan(0n);
          else expected.set(account.walletId, (expected.get(account.walletId) ?? 0n) + amountCents);
        }),
      );
      for (const [walletId, balance] of expected)
        expect(await availableCents(bank.database, walletId)).toBe(balance);
      expect(await mismatches()).toBe(0);
    }),
    { numRuns: 25 },
  );
  expect(
    await countOf(
      bank.database,
      "select coalesce(sum(amount_cents), 0)::bigint as count from borsello.entry",
    ),
  ).toBe(0);
});
