/** The bank's statements beside the ledger, on a real database: every difference, and nothing but differences. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { keepStatements } from "../../../functions/bank/kept-statements.js";
import { requestIdOf } from "../../../functions/bank/plan-order.js";
import { readBankFile } from "../../../shared/bank/iso20022/read-bank-file.js";
import {
  listStatements,
  reconcileStatement,
} from "../../../shared/database/accounting/bank-statements.js";
import { receiveNotification } from "../../../shared/database/bank/notifications.js";
import { requestBank } from "../../../shared/database/bank/requests.js";
import { romeDate } from "../../../shared/domain/bank/bank-days.js";
import { bytesOf, statement, type Booking } from "../../support/bank/bank-messages.js";
import { collectionIban, openBankTest, type BankTest } from "../../support/wallet/bank-fixtures.js";

const iban = collectionIban;
const safeguarding = "IT92Y0999903200ACME00000002";
const day = romeDate(new Date());

let bank: BankTest;
beforeAll(async () => {
  bank = await openBankTest();
  await bank.database.execute(
    `update borsello.partner set settings = settings
       || jsonb_build_object('settlement', jsonb_build_object('safeguardingAccount', $1::text))
     where partner_key = 'acme'`,
    [safeguarding],
  );
});
afterAll(() => bank.end());

/** The platform has received a credit: the ledger's bank account has it. */
const receive = async (amount: number): Promise<string> => {
  const reference = randomUUID();
  await receiveNotification(bank.database, {
    ...{ type: "IncomingSctStandard", transactionReference: reference, amount, reason: "none" },
    ...{ paymentGatewayReference: reference, debtorName: "Mario Rossi", creditorName: null },
    ...{ debtorIban: "IT60X0542811101000000123456", creditorIban: iban },
    receptionDate: new Date().toISOString(),
  });
  return reference;
};

let statements = 0;
const keep = async (bookings: readonly Booking[], closing: string, of = iban): Promise<string> => {
  statements += 1;
  const id = `S${statements.toString()}`;
  const content = statement({ id, iban: of, opening: "0.00", closing, bookings, day });
  await keepStatements(bank.database, readBankFile(bytesOf(content)), requestIdOf);
  const all = await listStatements(
    bank.database,
    null,
    { fromDate: null, toDate: null },
    { pageSize: 200, pageNumber: 0 },
  );
  return all.items.find(({ reference }) => reference === id)?.statementId ?? "";
};
const compare = async (statementId: string) => {
  const found = await reconcileStatement(bank.database, "acme", statementId);
  if (found === undefined) throw new Error("the statement is not there");
  return found;
};
const credit = (amount: string, reference: string): Booking => ({
  ...{ amount, direction: "CRDT", reference, day },
});

test("what both have is matched; what one has alone, or with another amount, is a difference", async () => {
  const [same, other, alone] = [await receive(10), await receive(20), await receive(30)];
  const bookings = [credit("10.00", same), credit("21.00", other), credit("40.00", "foreign")];
  const found = await compare(await keep(bookings, "71.00"));
  expect(found).toMatchObject({
    ...{ matchedCount: 1, internalCount: 0, differenceCount: 3, ledgerBalance: 60 },
    ...{ openingBalance: 0, closingBalance: 71, entryCount: 3 },
  });
  const told = found.differences.map(({ kind, bankAmount, ledgerAmount, reference }) => ({
    ...{ kind, bankAmount, ledgerAmount, reference },
  }));
  expect(told).toEqual([
    { kind: "OtherAmount", bankAmount: 21, ledgerAmount: 20, reference: other },
    { kind: "NotInLedger", bankAmount: 40, ledgerAmount: null, reference: "foreign" },
    { kind: "NotAtBank", bankAmount: null, ledgerAmount: 30, reference: alone },
  ]);
  // A later statement has it: the difference is gone, without any command.
  await keep([credit("30.00", alone)], "30.00");
  expect((await compare(found.statementId)).differenceCount).toBe(2);
});

test("what the bank booked twice is matched once, in the first of its statements", async () => {
  const reference = await receive(5);
  const first = await keep([credit("5.00", reference)], "5.00");
  const second = await keep([credit("5.00", reference)], "5.00");
  expect(await compare(first)).toMatchObject({ matchedCount: 1 });
  expect(await compare(second)).toMatchObject({
    matchedCount: 0,
    differences: [{ kind: "NotInLedger", bankAmount: 5 }],
  });
});

test("a transfer between the partner's own accounts is internal on both", async () => {
  const requestId = randomUUID();
  await requestBank(bank.database, {
    ...{ requestId, kind: "transfer", partnerKey: "acme", walletId: null, mandateId: null },
    payload: { operationId: randomUUID(), amount: 7 },
    notify: { instanceId: "accounting", event: "bankOutcome" },
  });
  const endToEndId = requestId.replaceAll("-", "");
  const booking = { amount: "7.00", endToEndId, day } as const;
  const from = await keep([{ ...booking, direction: "DBIT" }], "-7.00", safeguarding);
  const to = await keep([{ ...booking, direction: "CRDT" }], "7.00");
  expect(await compare(from)).toMatchObject({ internalCount: 1, differenceCount: 0 });
  expect(await compare(to)).toMatchObject({ internalCount: 1, differenceCount: 0 });
});

test("a statement that comes again is kept once; others' are not there", async () => {
  const content = statement({ id: "twice", iban, opening: "1.00", closing: "1.00", bookings: [] });
  for (const times of [1, 2])
    await keepStatements(bank.database, readBankFile(bytesOf(content, times)), requestIdOf);
  const range = { fromDate: null, toDate: null };
  const page = { pageSize: 200, pageNumber: 0 };
  const { items } = await listStatements(bank.database, "acme", range, page);
  const kept = items.filter(({ reference }) => reference === "twice");
  expect(kept).toHaveLength(1);
  const statementId = kept[0]?.statementId ?? "";
  expect(await reconcileStatement(bank.database, "globex", statementId)).toBeUndefined();
  expect((await listStatements(bank.database, "globex", range, page)).totalCount).toBe(0);
});
