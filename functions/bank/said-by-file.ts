/** What the bank's files say, as the messages that its queues would bring. */
import type { BankEntry, Report } from "../../shared/bank/iso20022/account-entries.js";
import type { NotifiedEntry } from "../../shared/bank/iso20022/notifications.js";
import { outcomeOfStatus, type StatusItem } from "../../shared/bank/iso20022/payment-status.js";
import type {
  BankNotificationMessage,
  BankOutcomeMessage,
} from "../../shared/contracts/platform/bank-messages.js";
import type { AskedOrder } from "../../shared/database/bank/orders.js";
import { amountOf } from "../../shared/domain/money.js";

const notProvided = "NOTPROVIDED";

const outcome = (
  { requestId }: AskedOrder,
  said: BankOutcomeMessage["outcome"],
  more: Partial<BankOutcomeMessage> = {},
): BankOutcomeMessage => ({
  requestId,
  outcome: said,
  reasonCode: null,
  transactionReference: null,
  bookingDate: null,
  ...more,
});

/** Of a status report; undefined: nothing that a request waits for. */
export const outcomeOfSaid = (
  asked: AskedOrder,
  { status, reasonCode, reference }: Omit<StatusItem & { is: "orderStatus" }, "is" | "endToEndId">,
): BankOutcomeMessage | undefined => {
  const said = outcomeOfStatus(status, asked.kind === "directDebit");
  if (said === undefined) return undefined;
  return outcome(asked, said, {
    reasonCode: said === "refused" ? (reasonCode ?? "MS03") : null,
    transactionReference: reference,
  });
};

const familyOf = ({ kind }: BankEntry): string => kind.split("/")[1] ?? "";

const creditType = (entry: BankEntry): BankNotificationMessage["type"] => {
  switch (familyOf(entry)) {
    case "RRCT":
      return "IncomingSctInstant";
    case "IDDT":
      return "IncomingSdd";
    default:
      return "IncomingSctStandard";
  }
};

/**
 * A credit as its notification. Without any reference of the bank's, its place in the report stands for one:
 * two customers' equal transfers of one day are two.
 */
export const notificationOf = (report: Report, entry: BankEntry): BankNotificationMessage => {
  const place = `${report.id} ${entry.line.toString()}`;
  return {
    type: creditType(entry),
    transactionReference: entry.endToEndId ?? entry.reference ?? place,
    paymentGatewayReference: entry.gatewayReference ?? place,
    debtorName: entry.debtorName ?? notProvided,
    debtorIban: entry.debtorIban ?? notProvided,
    creditorName: entry.creditorName,
    creditorIban: report.iban,
    amount: amountOf(entry.cents),
    reason: entry.remittance,
    receptionDate: entry.bookedAt,
  };
};

export type SaidByEntry =
  | { readonly is: "outcome"; readonly outcome: BankOutcomeMessage }
  | { readonly is: "notification"; readonly notification: BankNotificationMessage }
  /** What moves no money of customers, such as charges, or the other side of a transfer of ours. */
  | { readonly is: "nothing" }
  /** A booking of ours with another amount: no request can be booked in part. */
  | { readonly is: "contradiction" };

/** Whether this movement, in its direction, is what the request asks for, or takes that back. */
const movesFor = (
  { kind }: AskedOrder,
  entry: BankEntry,
): "booked" | "returned" | "otherSide" | undefined => {
  const isCredit = entry.cents > 0n;
  const comesBack = entry.isReturn || entry.isReversal || entry.kind.endsWith("/RRTN");
  switch (kind) {
    case "transfer":
      if (!isCredit) return "booked";
      return comesBack ? "returned" : "otherSide";
    case "payment":
    case "return":
      if (!isCredit) return "booked";
      // The receiver knows the end-to-end id: a transfer of theirs that bears it is not ours come back.
      return comesBack ? "returned" : undefined;
    case "directDebit":
      if (!isCredit) return "returned";
      return comesBack || /^R.CT$/.test(familyOf(entry)) ? undefined : "booked";
    case "mandateActivation":
    case "mandateRevocation":
      return undefined;
  }
};

export const saidByEntry = (
  { report, entry }: Omit<NotifiedEntry, "is">,
  asked: AskedOrder | undefined,
): SaidByEntry => {
  const isCredit = entry.cents > 0n;
  if (entry.cents === 0n || entry.isRemainder) return { is: "nothing" };
  const credit = (): SaidByEntry =>
    isCredit
      ? { is: "notification", notification: notificationOf(report, entry) }
      : { is: "nothing" };
  if (asked === undefined) return credit();
  const moved = movesFor(asked, entry);
  if (moved === undefined) return credit();
  if (moved === "otherSide") return { is: "nothing" };
  const magnitude = isCredit ? entry.cents : -entry.cents;
  // What is taken back may be more, by the other bank's charges; the statement shows the difference.
  if (moved === "booked" && magnitude !== asked.cents)
    return isCredit ? credit() : { is: "contradiction" };
  return {
    is: "outcome",
    outcome: outcome(asked, moved, {
      reasonCode: moved === "returned" ? (entry.returnReason ?? "MS03") : null,
      transactionReference: entry.reference,
      bookingDate: entry.bookingDate,
    }),
  };
};
