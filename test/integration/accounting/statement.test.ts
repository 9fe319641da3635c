/** A statement is the wallet's entries to the cent, whatever was posted and whatever is posted meanwhile. */
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { findStatement, type Statement } from "../../../shared/database/accounting/statement.js";
import { platformNow } from "../../../shared/database/platform/platform-time.js";
import type { StatementLine } from "../../../shared/domain/ledger/statement.js";
import { initialiseMandate } from "../../../shared/database/mandates/mandates.js";
import { closeWallet, suspendWallet } from "../../../shared/database/wallet/states.js";
import {
  deposit,
  openBook,
  openBookWallet,
  payment,
  rejectedTransfer,
  returnedCollection,
  transferUnderWay,
  writeDeposits,
  writeOperation,
} from "../../support/accounting/books.js";
import {
  acme,
  made,
  openValidatedWallet,
  openWalletTest,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

let wallets: WalletTest;
beforeAll(async () => {
  wallets = await openWalletTest();
});
afterAll(() => wallets.end());

const reader = { partnerKey: "acme", isOperator: false };
const always = { fromDate: new Date(0), toDate: new Date("2999-01-01T00:00:00Z") };

const linesOf = async ({ pages }: Statement): Promise<StatementLine[]> => {
  const lines: StatementLine[] = [];
  for await (const page of pages()) lines.push(...page);
  return lines;
};

const Entry = z.object({ transactionId: z.string(), cents: z.bigint() });
const entriesOf = (walletId: string) =>
  wallets.database.rows(
    Entry,
    `select transaction_id::text as "transactionId", sum(amount_cents)::bigint as cents
     from borsello.bucket join borsello.entry using (account_id)
     where wallet_id = $1 group by transaction_id order by transaction_id`,
    [walletId],
  );

test("the lines are the entries, and lead from the opening to the closing balance", async () => {
  const { database } = wallets;
  const command = fc.constantFrom(
    deposit(2_500n, 75n),
    deposit(10_001n),
    payment(100n, 3n),
    payment(55n),
    rejectedTransfer(200n, 50n),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(command, { minLength: 1, maxLength: 10 }),
      fc.nat({ max: 10 }),
      async (commands, cut) => {
        const wallet = await openBookWallet(database);
        await writeOperation(database, wallet, deposit(100_000n));
        let between = new Date(await platformNow(database));
        for (const [index, written] of commands.entries()) {
          await writeOperation(database, wallet, written);
          if (index === cut) between = new Date(await platformNow(database));
        }
        const entries = await entriesOf(wallet.walletId);
        const read = async (period: Partial<typeof always>) => {
          const found = await findStatement(database, reader, wallet.walletId, {
            ...always,
            ...period,
          });
          const { head, pages } = made(found);
          return { head, lines: await linesOf({ head, pages }) };
        };

        const whole = await read({});
        expect(whole.lines.map((line) => [line.transactionId, line.changeCents])).toEqual(
          entries.map(({ transactionId, cents }) => [transactionId, cents]),
        );
        expect(whole.head).toMatchObject({ openingCents: 0n, movements: entries.length });
        expect(whole.lines.at(-1)?.balanceCents).toBe(whole.head.closingCents);
        for (const { amountCents, feeCents, changeCents } of whole.lines)
          expect(amountCents - feeCents).toBe(changeCents);

        const before = await read({ toDate: new Date(between.getTime() - 1) });
        const after = await read({ fromDate: between });
        expect([...before.lines, ...after.lines]).toEqual(whole.lines);
        expect(after.head.openingCents).toBe(before.head.closingCents);
        expect(after.head.closingCents).toBe(whole.head.closingCents);
      },
    ),
    { numRuns: 12 },
  );
});

test("a statement of many pages holds what was there when it was asked for, and nothing later", async () => {
  const { database } = wallets;
  const wallet = await openBookWallet(database);
  await writeOperation(database, wallet, deposit(100n));
  await writeDeposits(database, wallet, 1_700);
  const found = made(await findStatement(database, reader, wallet.walletId, always));
  const pages = found.pages();
  const first = await pages.next();
  await writeOperation(database, wallet, deposit(999n));
  const lines = first.done === true ? [] : [...first.value];
  for await (const page of pages) lines.push(...page);
  expect(lines).toHaveLength(1_701);
  expect(lines.at(-1)?.balanceCents).toBe(100n + 1_700n * 7n);
  expect(found.head).toMatchObject({ movements: 1_701, closingCents: 100n + 1_700n * 7n });
});

test("fees and what was given back stand beside their amounts", async () => {
  const { database } = wallets;
  const wallet = await openBookWallet(database);
  for (const written of [deposit(10_000n, 100n), payment(300n, 50n), rejectedTransfer(200n, 25n)])
    await writeOperation(database, wallet, written);
  const found = made(await findStatement(database, reader, wallet.walletId, always));
  const lines = await linesOf(found);
  expect(
    lines.map(({ type, kind, amountCents, feeCents, balanceCents }) =>
      [type, kind, amountCents, feeCents, balanceCents].join(" "),
    ),
  ).toEqual([
    "CashDeposit Deposit 10000 100 9900",
    "Payment Payment -300 0 9600",
    "Payment Fee 0 50 9550",
    "SctWithdrawal Withdrawal -200 25 9325",
    "SctWithdrawal Reversal 200 -25 9550",
  ]);
});

test("what came from outside, went back or was paid at the end is named", async () => {
  const { database } = wallets;
  const { walletId, firstName, lastName, iban } = await openValidatedWallet(database);
  const wallet = await openBook(database, walletId);
  const agreed = { amountCents: 1000n, frequency: "Monthly" } as const;
  const mandate = made(await initialiseMandate(database, acme, walletId, agreed));
  const note = (operationId: string, metadata: object, feedback: string | null = null) =>
    database.execute(
      `update borsello.operation set metadata = $2, feedback = $3, creditor_name = $4,
         creditor_iban = $5 where operation_id = $1`,
      [operationId, JSON.stringify(metadata), feedback, `${firstName} ${lastName}`, iban],
    );
  const { mandateId, mandateUniqueReference } = mandate;
  await note(
    await writeOperation(database, wallet, returnedCollection(500n)),
    { mandateId },
    "MD06",
  );
  // What a partner writes into its own operations is no word of ours.
  const spoken = { reason: "my rent", returnOf: "nobody", mandateId: "none" };
  await note(await writeOperation(database, wallet, deposit(900n)), spoken);
  const sent = await writeOperation(database, wallet, transferUnderWay(200n));
  await note(sent, spoken);
  const credited = { ...deposit(200n), type: "SctStandardDeposit" };
  await note(await writeOperation(database, wallet, credited), { returnOf: sent });
  made(await suspendWallet(database, acme, walletId));
  made(await closeWallet(database, acme, walletId, { requiresZeroBalance: false }));
  const lines = await linesOf(made(await findStatement(database, reader, walletId, always)));
  expect(lines.map(({ type, kind, description }) => [type, kind, description])).toEqual([
    ["SddDeposit", "Deposit", mandateUniqueReference],
    ["SddDeposit", "Reversal", `${mandateUniqueReference}: MD06`],
    ["CashDeposit", "Deposit", null],
    ["SctWithdrawal", "Withdrawal", `${firstName} ${lastName} ${iban ?? ""}`],
    ["SctStandardDeposit", "Deposit", `Returned: ${firstName} ${lastName} ${iban ?? ""}`],
    ["SctWithdrawal", "Withdrawal", `Closing: ${firstName} ${lastName} ${iban ?? ""}`],
  ]);
  expect(lines.at(-1)?.balanceCents).toBe(0n);
});
