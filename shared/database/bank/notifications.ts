/** Notifications from the bank: each stored once, booked, matched and credited in one transaction. */
import { z } from "zod";
import {
  bankNotificationStatuses,
  type BankNotification,
} from "../../contracts/accounting/bank-notifications.js";
import type { BankNotificationMessage } from "../../contracts/platform/bank-messages.js";
import { compact } from "../../domain/bank/sct-match.js";
import { marksOf, type TransferMarks } from "../../domain/bank/transfer-marks.js";
import { debtorNameFits } from "../../domain/wallet/debtor-name.js";
import { centsOf } from "../../domain/money.js";
import type { Database, Queryable } from "../platform/database.js";

/** A wallet whose holder's name decides. */
const Holder = z.object({ walletId: z.string(), firstName: z.string(), lastName: z.string() });

const Tried = z.object({
  answer: z.object({
    result: z.enum(["stored", "repeated", "referenceReused"]),
    bankNotificationId: z.string(),
    partnerKey: z.string().nullable(),
    walletId: z.string().nullable(),
    status: z.enum(bankNotificationStatuses),
    feedback: z.string().nullable(),
    /** It is to be tried, first or again; not by the flow of an IBAN validation. */
    isDue: z.boolean(),
    judge: z.array(Holder).nullable(),
    again: z.boolean().nullable(),
    /** What went wrong within the platform; nothing has changed by it. */
    error: z.string().nullable(),
  }),
});
type Tried = z.infer<typeof Tried>["answer"];

export interface TriedNotification {
  readonly bankNotificationId: string;
  readonly partnerKey: string | null;
  readonly walletId: string | null;
  readonly status: BankNotification["status"];
  readonly feedback: string | null;
  readonly error: string | null;
}

export type ReceivedNotification =
  | ({ readonly result: "stored" } & TriedNotification)
  /** It was received before; nothing has changed. */
  | { readonly result: "repeated" }
  /** Another transfer has this gateway reference. */
  | { readonly result: "referenceReused" };

/** What a transfer's own texts say, and the account that stands in for partners without an own one. */
interface Told {
  readonly debtorName: string;
  readonly marks: TransferMarks;
  readonly platformAccount: string | null;
}

/** As the type transfer_marks of the database. */
const marksJson = ({ codes, ids, referenceNames, reconciliationCodes }: TransferMarks): string =>
  JSON.stringify({
    codes,
    ids,
    reference_names: referenceNames,
    reconciliation_codes: reconciliationCodes,
  });

const looksMax = 5;

/**
 * Tries until nothing is left to be judged. The wallets and their holders' names that were judged are handed
 * over with the judgement: where they have changed meanwhile, it is made anew.
 */
const settle = async (
  database: Database,
  { debtorName, marks, platformAccount }: Told,
  first: Tried,
): Promise<Tried> => {
  let tried = first;
  for (let looked = 0; tried.judge !== null || tried.again === true; looked += 1) {
    if (looked === looksMax) throw new Error("What a transfer fits changed again and again.");
    const judged = tried.judge?.map((holder) => ({
      ...holder,
      fits: debtorNameFits(debtorName, holder),
    }));
    const found = await database.command(
      Tried,
      `select borsello.notification_answer($1, $2,
         borsello.process_notification($1, $3, $4, $5)) as answer`,
      [
        tried.bankNotificationId,
        tried.result,
        marksJson(marks),
        platformAccount,
        judged === undefined ? null : JSON.stringify(judged),
      ],
    );
    if (found === undefined) throw new Error("A notification was gone while it was tried.");
    tried = found.answer;
  }
  return tried;
};

/**
 * One round trip, two where a name decides: the notification with its audit row, its money booked against the
 * suspense account, and credited where it fits. Where its reason names the code of exactly one open IBAN
 * validation, that validation's flow decides. Otherwise it waits for a person, with a feedback that says what
 * would fit. A repeat finishes what its original was interrupted in. `platformAccount` is the account that the
 * instructions of partners without an own one name.
 */
export const receiveNotification = async (
  database: Database,
  message: BankNotificationMessage,
  platformAccount: string | null = null,
): Promise<ReceivedNotification> => {
  const marks = marksOf(message);
  const content = {
    type: message.type,
    transaction_reference: message.transactionReference,
    payment_gateway_reference: message.paymentGatewayReference,
    debtor_name: message.debtorName,
    debtor_iban: compact(message.debtorIban),
    creditor_name: message.creditorName,
    creditor_iban: compact(message.creditorIban),
    amount_cents: String(centsOf(message.amount)),
    reason: message.reason,
    reception_date: message.receptionDate,
  };
  const received = await database.command(
    Tried,
    "select borsello.receive_notification($1, $2, $3) as answer",
    [JSON.stringify(content), marksJson(marks), platformAccount],
  );
  if (received === undefined) throw new Error("A notification was neither stored nor known.");
  const first = received.answer;
  if (first.result === "referenceReused") return { result: first.result };
  if (first.result === "repeated" && !first.isDue) return { result: first.result };
  const again = first.result === "repeated" ? { ...first, again: true } : first;
  const told = { debtorName: message.debtorName, marks, platformAccount };
  return { ...(await settle(database, told, again)), result: "stored" };
};

const Kept = z.object({
  reason: z.string(),
  transactionReference: z.string(),
  debtorName: z.string(),
});

/** Tries a stored notification again; undefined: there is none. */
export const retryNotification = async (
  database: Database,
  bankNotificationId: string,
  platformAccount: string | null,
): Promise<TriedNotification | undefined> => {
  const kept = await database.row(
    Kept,
    `select reason, transaction_reference as "transactionReference", debtor_name as "debtorName"
     from borsello.bank_notification where bank_notification_id = $1`,
    [bankNotificationId],
  );
  if (kept === undefined) return undefined;
  const told = { debtorName: kept.debtorName, marks: marksOf(kept), platformAccount };
  return settle(database, told, {
    ...{ result: "stored", bankNotificationId, partnerKey: null, walletId: null },
    ...{ status: "Received", feedback: null, isDue: true, judge: null, again: true, error: null },
  });
};

/** How often and when the platform tries anew, and how long the bank may be silent. */
export interface RetryTerms {
  readonly retrySeconds: readonly number[];
  readonly silenceSeconds: number;
}

/** An error of the platform kept it from being processed: it is tried again at its time, or is Failed. */
export const failNotification = async (
  database: Database,
  bankNotificationId: string,
  terms: RetryTerms,
): Promise<void> => {
  await database.command(z.object({}), "select borsello.fail_notification($1, $2)", [
    bankNotificationId,
    JSON.stringify(terms),
  ]);
};

const Owner = z.object({ partnerKey: z.string().nullable() });

/** Whose collection account this is; null: nobody's. */
export const collectingPartner = async (
  database: Queryable,
  iban: string,
): Promise<string | null> =>
  (await database.row(Owner, `select borsello.collecting_partner($1) as "partnerKey"`, [iban]))
    ?.partnerKey ?? null;
