/** The bank's statements of the partner's accounts, and how they differ from the ledger's bank account. */
import { z } from "zod";
import { dateRangeQuery } from "../date-range.js";
import { pageErrors, pageQuery, paginated } from "../pages.js";
import { route } from "../route.js";
import { DateTime } from "../wallet/fields.js";

/** More are counted, but not shown. */
export const differencesMax = 1_000;

const statementFields = {
  statementId: z.uuid(),
  partnerKey: z.string(),
  iban: z.string(),
  reference: z.string().describe("The bank's own name of the statement."),
  fromDate: z.iso.date(),
  toDate: z.iso.date(),
  openingBalance: z.number(),
  closingBalance: z.number(),
  entryCount: z.int().describe("How many bookings the statement has."),
  creationDate: DateTime,
};

export const BankStatement = z.object(statementFields).meta({ id: "BankStatement" });
export type BankStatement = z.output<typeof BankStatement>;

export const differenceKinds = ["NotInLedger", "NotAtBank", "OtherAmount"] as const;

export const BankDifference = z
  .object({
    kind: z.enum(differenceKinds),
    bankAmount: z.number().nullable().describe("As the bank booked it; credits are positive."),
    ledgerAmount: z.number().nullable().describe("As the ledger's bank account moved."),
    date: z.iso.date().describe("Of the booking; where the bank has none, of the posting (Rome)."),
    line: z.int().nullable().describe("Of the statement's booking."),
    transactionId: z.int().nullable().describe("Of the ledger's transaction."),
    requestId: z.uuid().nullable().describe("Of the request that the booking names."),
    reference: z.string().nullable(),
    name: z.string().nullable(),
    iban: z.string().nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: "BankDifference" });
export type BankDifference = z.output<typeof BankDifference>;

export const ReconciledBankStatement = z
  .object({
    ...statementFields,
    ledgerBalance: z
      .number()
      .describe(
        "What the ledger has at the bank, over all of the partner's accounts there, at the end of `toDate`.",
      ),
    internalCount: z
      .int()
      .describe("Bookings of transfers between two accounts of the partner: the ledger has none."),
    matchedCount: z.int(),
    differenceCount: z.int(),
    differences: z.array(BankDifference).max(differencesMax),
  })
  .meta({ id: "ReconciledBankStatement" });
export type ReconciledBankStatement = z.output<typeof ReconciledBankStatement>;

export const listBankStatementsRoute = route({
  id: "listBankStatements",
  api: "wallet",
  method: "GET",
  path: "accounting/bankstatements",
  query: { ...dateRangeQuery, ...pageQuery },
  role: "Operation.Read",
  ok: { status: 200, schema: paginated(BankStatement) },
  errors: [...pageErrors, "DateRangeInvalid"],
  summary: "List the bank's statements of the partner's accounts",
  result: "A page of the statements, and how many there are in all.",
  description:
    "In the order in which they were read, which the dates are of. The operators see those of every " +
    "partner; those of accounts that are no partner's are theirs alone.",
});

export const getBankStatementRoute = route({
  id: "getBankStatement",
  api: "wallet",
  method: "GET",
  path: "accounting/bankstatements/{statementId}",
  params: { statementId: z.uuid() },
  role: "Operation.Read",
  ok: { status: 200, schema: ReconciledBankStatement },
  errors: ["BankStatementNotFound"],
  summary: "A statement of the bank beside the ledger",
  result: "The statement and what of it does not fit the ledger.",
  description:
    "Bookings are matched with the ledger's bank account by the request that their end-to-end id names, " +
    "or by the bank's reference, whatever the day of either; then by amount. `NotInLedger` is booked at " +
    "the bank alone, `NotAtBank` was posted on the statement's days and is in no statement, " +
    `\`OtherAmount\` is in both. At most ${differencesMax} differences are shown; \`differenceCount\` ` +
    "counts all. What is posted or read later is seen at the next call.",
});
