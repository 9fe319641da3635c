/** What becomes of a wallet's funds when it closes, in every state in which they can be, and of what comes back. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { proveBook } from "../../../shared/database/accounting/prove.js";
import {
  approveNotification,
  rejectNotification,
} from "../../../shared/database/bank/notification-decisions.js";
import { recordOutcome } from "../../../shared/database/bank/requests.js";
import { availableCents } from "../../../shared/database/ledger/ledger.js";
import { operationCommands } from "../../../shared/database/operations/commands.js";
import {
  advanceSettlement,
  settleLateOutcome,
} from "../../../shared/database/settlement/operations.js";
import { requestRun, workRun } from "../../../shared/database/settlement/runs.js";
import { termsOf, type SettlementTerms } from "../../../shared/database/settlement/terms.js";
import { destroyWallet } from "../../../shared/database/wallet/deletion.js";
import {
  closeWallet,
  reactivateWallet,
  reopenWallet,
  suspendWallet,
} from "../../../shared/database/wallet/states.js";
import type { Wallet } from "../../../shared/contracts/wallet/wallets.js";
import {
  cashWithdrawal,
  collection,
  confirmedPayment,
  deposit,
  openBook,
  payment,
  writeOperation,
  type Written,
} from "../../support/accounting/books.js";
import { accountCents, timelineOf } from "../../support/settlement/confirmed-operations.js";
import { outboxOf } from "../../support/wallet/bank-fixtures.js";
import {
  acme,
  made,
  openValidatedWallet,
  openWallet,
  openWalletTest,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

let closing: WalletTest;
let terms: SettlementTerms;
beforeAll(async () => {
  closing = await openWalletTest();
  terms = await termsOf(closing.database, "acme", { silenceSeconds: 10, collectionAccount: null });
});
afterAll(() => closing.end());

const suspend = (id: string) => suspendWallet(closing.database, acme, id);
const reopen = (id: string) => reopenWallet(closing.database, acme, id);
const reactivate = (id: string) => reactivateWallet(closing.database, acme, id);
const close = async (walletId: string): Promise<void> => {
  made(await suspend(walletId));
  made(await closeWallet(closing.database, acme, walletId, { requiresZeroBalance: false }));
};

type Funds = Parameters<typeof openBook>[2];

/** Writes operations of one of the wallet's buckets; resolves to the last one's id. */
const write = async (
  { walletId }: Wallet,
  operations: readonly Written[],
  funds: Funds = {},
): Promise<string> => {
  const book = await openBook(closing.database, walletId, funds);
  let last = "";
  for (const operation of operations)
    last = await writeOperation(closing.database, book, operation);
  return last;
};

/** A wallet with a validated IBAN of which these operations are written. */
const validated = async (operations: readonly Written[], funds: Funds = {}): Promise<Wallet> => {
  const wallet = await openValidatedWallet(closing.database);
  await write(wallet, operations, funds);
  return wallet;
};

/** A collection that the bank took back after most of it was spent: fifty cents are owed. */
const owing = async (): Promise<Wallet> => {
  const wallet = await validated([deposit(1_50n), collection(2_00n), payment(2_00n)]);
  await closing.database.execute(
    `select borsello.reverse_movements(o) from borsello.operation as o
     where wallet_id = $1 and type = 'SddDeposit'`,
    [wallet.walletId],
  );
  return wallet;
};

const Payout = z.object({
  operationId: z.string(),
  status: z.string(),
  cents: z.bigint(),
  fees: z.bigint(),
  creditorIban: z.string(),
  reason: z.string(),
});

const payoutsOf = (walletId: string) =>
  closing.database.rows(
    Payout,
    `select operation_id as "operationId", status, amount_cents as cents,
       fees_amount_cents as fees, creditor_iban as "creditorIban", metadata ->> 'reason' as reason
     from borsello.operation where wallet_id = $1 and type = 'SctWithdrawal' and metadata is not null
     order by operation_id`,
    [walletId],
  );

const Held = z.object({
  id: z.string(),
  status: z.string(),
  cents: z.bigint(),
  held: z.bigint(),
  type: z.string(),
  feedback: z.string().nullable(),
  debtorIban: z.string(),
  link: z.string().nullable(),
});

/** The notifications that show what a wallet's operations left in suspense. */
const heldFor = (walletId: string) =>
  closing.database.rows(
    Held,
    `select bank_notification_id as id, status, amount_cents as cents, amount_cents - consumed_amount_cents as held,
       reconciliation_type as type, feedback, debtor_iban as "debtorIban",
       coalesce(metadata ->> 'returnOf', metadata ->> 'reversalOf') as link
     from borsello.bank_notification where wallet_id = $1 order by bank_notification_id`,
    [walletId],
  );

const requestOf = async (operationId: string, kind: string): Promise<string> => {
  const found = await closing.database.row(
    z.object({ requestId: z.string() }),
    `select request_id as "requestId" from borsello.bank_request
     where operation_id = $1 and kind = $2 order by attempt desc limit 1`,
    [operationId, kind],
  );
  if (found === undefined) throw new Error(`no ${kind} was asked for`);
  return found.requestId;
};

const advance = (operationId: string) => advanceSettlement(closing.database, operationId, terms);

/** As the queue's handler takes it, and the operation's flow after it. */
const tell = async (
  operationId: string,
  kind: string,
  outcome: "accepted" | "booked" | "refused" | "returned",
): Promise<void> => {
  const requestId = await requestOf(operationId, kind);
  await recordOutcome(closing.database, {
    ...{ requestId, outcome, transactionReference: `BANK-${requestId}`, bookingDate: null },
    reasonCode: outcome === "refused" || outcome === "returned" ? "AC04" : null,
  });
  await settleLateOutcome(closing.database, requestId);
  await advance(operationId);
};

/** Until the bank was asked for its payment. */
const advanceToPayment = async (operationId: string): Promise<void> => {
  await advance(operationId);
  await tell(operationId, "transfer", "booked");
};

const bank = () => accountCents(closing.database, "Bank", "safeguarding");
const transit = () => accountCents(closing.database, "Transit", "outgoing");
const suspense = () => accountCents(closing.database, "Suspense", "received");
const balance = ({ walletId }: Wallet) => availableCents(closing.database, walletId);

/** The books of the whole file stand after each test. */
const expectProvedBooks = async (): Promise<void> => {
  const { findings } = await proveBook({ kind: "url", url: closing.url });
  expect(findings).toEqual([]);
};

describe("a wallet that closes", () => {
  test("pays its funds to the validated IBAN, told after its closing, settled as any other", async () => {
    const wallet = await validated([deposit(123_45n)]);
    const before = { transit: await transit(), bank: await bank() };
    await close(wallet.walletId);
    const [payout] = await payoutsOf(wallet.walletId);
    expect(payout).toMatchObject({
      ...{ status: "Confirmed", cents: 123_45n, fees: 0n },
      ...{ creditorIban: wallet.iban, reason: "Closing" },
    });
    const { operationId = "" } = payout ?? {};
    expect(await timelineOf(closing.database, operationId)).toEqual([
      "- Initialized",
      "Initialized Confirmed",
    ]);
    const told = (await outboxOf(closing.database, wallet.walletId))
      .filter(({ destinations }) => destinations.includes("acme"))
      .map(({ subject }) => subject);
    expect(told.slice(told.indexOf("WalletClosed"))).toEqual([
      ...["WalletClosed", "OnboardingEnded"].filter((name) => told.includes(name)),
      ...["OperationInitialized", "OperationConfirmed", "TransactionConfirmed"],
    ]);
    expect(await balance(wallet)).toBe(0n);
    expect(await transit()).toBe(before.transit + 123_45n);

    const run = await requestRun(closing.database, {
      ...{ partnerKey: "acme", flow: "AccountingOperations", actor: "test", type: null },
      ...{ subjectId: null, upTo: "now", isScheduled: false, isIgnored: false },
    });
    while (!(await workRun(closing.database, run?.runId ?? "", terms)).isLast);
    await tell(operationId, "transfer", "booked");
    await tell(operationId, "payment", "booked");
    expect(await payoutsOf(wallet.walletId)).toMatchObject([{ status: "Completed" }]);
    expect(await transit()).toBe(before.transit);
    expect(await bank()).toBe(before.bank + 123_45n);
    await expectProvedBooks();
  });

  test("pays each withdrawable bucket by itself, however much it holds", async () => {
    const wallet = await validated([deposit(9_000_00n)]);
    await write(wallet, [deposit(7n)], { fundsType: "Loyalty" });
    await close(wallet.walletId);
    expect((await payoutsOf(wallet.walletId)).map(({ cents }) => cents)).toEqual([9_000_00n, 7n]);
    expect(await balance(wallet)).toBe(0n);
  });

  test.each<readonly [string, () => Promise<Wallet>, bigint]>([
    [
      "without a validated IBAN",
      async () => {
        const wallet = await openWallet(closing.database);
        await write(wallet, [deposit(5_00n)]);
        return wallet;
      },
      5_00n,
    ],
    [
      "whose funds cannot be withdrawn",
      () => validated([deposit(4_00n)], { fundsType: "Welfare", isWithdrawable: false }),
      4_00n,
    ],
    [
      "whose funds have expired",
      () => validated([deposit(3_00n)], { fundsType: "Loyalty", fundsExpiryDate: "2020-01-01" }),
      3_00n,
    ],
    ["that owes, by a collection that the bank took back", owing, -50n],
    [
      "whose funds are all held, by the fee of a payment",
      () => validated([deposit(1_10n), confirmedPayment(1_00n, 10n)]),
      0n,
    ],
  ])("%s keeps what it has", async (_, opened, kept) => {
    const wallet = await opened();
    await close(wallet.walletId);
    expect(await payoutsOf(wallet.walletId)).toEqual([]);
    expect(await balance(wallet)).toBe(kept);
    await expectProvedBooks();
  });

  test("pays what is not held, and leaves the fee that is", async () => {
    const wallet = await validated([deposit(9_10n), confirmedPayment(1_00n, 10n)]);
    await close(wallet.walletId);
    expect((await payoutsOf(wallet.walletId)).map(({ cents }) => cents)).toEqual([8_00n]);
    expect(await balance(wallet)).toBe(0n);
  });

  test("twice at the same moment pays once, and again only what it has got since", async () => {
    const wallet = await validated([deposit(10_00n)]);
    const { walletId } = wallet;
    made(await suspend(walletId));
    const closes = await Promise.all(
      [1, 2, 3].map(() =>
        closeWallet(closing.database, acme, walletId, { requiresZeroBalance: false }),
      ),
    );
    expect(closes.filter(({ ok }) => ok)).toHaveLength(1);
    made(await reopen(walletId));
    made(await reactivate(walletId));
    await write(wallet, [deposit(2_00n)]);
    await close(walletId);
    expect((await payoutsOf(walletId)).map(({ cents }) => cents)).toEqual([10_00n, 2_00n]);
  });
});

describe("a payout that does not arrive", () => {
  const underWay = async (cents: bigint): Promise<readonly [Wallet, string]> => {
    const wallet = await validated([deposit(cents)]);
    await close(wallet.walletId);
    const [{ operationId } = { operationId: "" }] = await payoutsOf(wallet.walletId);
    await advanceToPayment(operationId);
    return [wallet, operationId];
  };

  test("since the bank refuses it lies in suspense, shown as what a person decides about", async () => {
    const before = await suspense();
    const [wallet, operationId] = await underWay(33_00n);
    for (let times = 0; times < 2; times += 1) await tell(operationId, "payment", "refused");
    expect(await payoutsOf(wallet.walletId)).toMatchObject([{ status: "OutgoingPaymentRejected" }]);
    expect(await heldFor(wallet.walletId)).toEqual([
      {
        id: expect.any(String) as unknown,
        ...{ status: "Received", cents: 33_00n, held: 33_00n, type: "Return", link: operationId },
        feedback: expect.stringMatching(/^Wallet: .*approve it.*reject it/s) as unknown,
        debtorIban: wallet.iban,
      },
    ]);
    expect(await suspense()).toBe(before + 33_00n);
    const told = await outboxOf(closing.database, wallet.walletId);
    expect(told.filter(({ subject }) => subject === "BankNotificationReceived")).toMatchObject([
      { body: { amount: 33, walletId: wallet.walletId, status: "Received" } },
    ]);
    await expectProvedBooks();
  });

  test("since the bank refuses it, once the wallet was reopened, is in the wallet again", async () => {
    const [wallet, operationId] = await underWay(34_00n);
    made(await reopen(wallet.walletId));
    await tell(operationId, "payment", "refused");
    expect(await balance(wallet)).toBe(34_00n);
    expect(await heldFor(wallet.walletId)).toEqual([]);
    made(await reactivate(wallet.walletId));
    await close(wallet.walletId);
    expect((await payoutsOf(wallet.walletId)).map(({ cents, status }) => [cents, status])).toEqual([
      [34_00n, "OutgoingPaymentRejected"],
      [34_00n, "Confirmed"],
    ]);
  });

  test("since the bank sends it back lies in suspense once, also after the wallet was reopened", async () => {
    const before = { bank: await bank(), suspense: await suspense() };
    const [wallet, operationId] = await underWay(35_00n);
    await tell(operationId, "payment", "booked");
    for (let times = 0; times < 2; times += 1) await tell(operationId, "payment", "returned");
    expect(await heldFor(wallet.walletId)).toMatchObject([
      { status: "Received", cents: 35_00n, held: 35_00n, type: "Return", link: operationId },
    ]);
    made(await reopen(wallet.walletId));
    await tell(operationId, "payment", "returned");
    expect(await balance(wallet)).toBe(0n);
    expect(await bank()).toBe(before.bank);
    expect(await suspense()).toBe(before.suspense + 35_00n);
    await expectProvedBooks();
  });

  test("since the bank sends it back to a wallet that was reopened, is in it again", async () => {
    const [wallet, operationId] = await underWay(36_00n);
    await tell(operationId, "payment", "booked");
    made(await reopen(wallet.walletId));
    for (let times = 0; times < 2; times += 1) await tell(operationId, "payment", "returned");
    expect(await balance(wallet)).toBe(36_00n);
    expect(await heldFor(wallet.walletId)).toEqual([]);
    await expectProvedBooks();
  });
});

describe("what lies in suspense for a closed wallet", () => {
  /** A payout that the bank has sent back, and the notification of it. */
  const returned = async (cents: bigint) => {
    const wallet = await validated([deposit(cents)]);
    await close(wallet.walletId);
    const [{ operationId } = { operationId: "" }] = await payoutsOf(wallet.walletId);
    await advanceToPayment(operationId);
    for (const outcome of ["booked", "returned"] as const)
      await tell(operationId, "payment", outcome);
    const [{ id } = { id: "" }] = await heldFor(wallet.walletId);
    return { wallet, operationId, id };
  };

  test("is credited to the wallet where it was reopened and a person approves it, linked to the payout", async () => {
    const { wallet, operationId, id } = await returned(41_00n);
    const { walletId } = wallet;
    expect(await approveNotification(closing.database, acme, id, walletId)).toMatchObject({
      ok: false,
    });
    made(await reopen(walletId));
    made(await reactivate(walletId));
    expect(await balance(wallet)).toBe(0n);
    made(await approveNotification(closing.database, acme, id, walletId));
    expect(await balance(wallet)).toBe(41_00n);
    const credits = await closing.database.rows(
      z.object({ type: z.string(), id: z.string() }),
      `select type, bank_notification_id as id from borsello.operation
       where wallet_id = $1 and metadata ->> 'returnOf' = $2`,
      [walletId, operationId],
    );
    expect(credits).toEqual([{ type: "SctStandardDeposit", id }]);
    await expectProvedBooks();
  });

  test("is paid to the customer's account where a person rejects it", async () => {
    const before = { bank: await bank(), suspense: await suspense() };
    const { wallet, id } = await returned(42_00n);
    made(await rejectNotification(closing.database, acme, id));
    const request = await closing.database.row(
      z.object({ requestId: z.string(), iban: z.string(), amount: z.number() }),
      `select request_id as "requestId", payload ->> 'creditorIban' as iban,
         (payload ->> 'amount')::float8 as amount
       from borsello.bank_request where bank_notification_id = $1`,
      [id],
    );
    expect(request).toMatchObject({ iban: wallet.iban, amount: 42 });
    const requestId = request?.requestId ?? "";
    const word = { requestId, transactionReference: null, bookingDate: null, reasonCode: null };
    await recordOutcome(closing.database, { ...word, outcome: "booked" });
    expect(await heldFor(wallet.walletId)).toMatchObject([{ status: "Rejected", held: 0n }]);
    expect(await suspense()).toBe(before.suspense);
    expect(await bank()).toBe(before.bank + 42_00n);
    await expectProvedBooks();
  });
});

test("what a wallet that is deleted for good left in suspense stays there, as what has arrived", async () => {
  const before = await suspense();
  const wallet = await validated([deposit(22_00n)]);
  await close(wallet.walletId);
  const [{ operationId } = { operationId: "" }] = await payoutsOf(wallet.walletId);
  await advanceToPayment(operationId);
  await tell(operationId, "payment", "refused");
  made(await destroyWallet(closing.database, acme, wallet.walletId));
  expect(await suspense()).toBe(before + 22_00n);
  await expectProvedBooks();
});

test("what is terminated of a closed wallet lies in suspense, with its fee", async () => {
  const wallet = await openValidatedWallet(closing.database);
  const { walletId } = wallet;
  const operationId = await write(wallet, [deposit(21_00n), cashWithdrawal(20_00n, 1_00n)]);
  await close(walletId);
  const commands = operationCommands(closing.database);
  const terminated = await commands.run({
    ...{ kind: "terminate", partner_key: "acme", actor: "acme-client" },
    ...{ wallet_id: walletId, type: "CashWithdrawal", operation_id: operationId },
  });
  expect(terminated).toMatchObject({ ok: true });
  expect(await heldFor(walletId)).toMatchObject([
    { status: "Received", held: 21_00n, link: operationId, debtorIban: wallet.iban },
  ]);
  await expectProvedBooks();
});
