/** Writes pain.001.001.09: transfers in euro from one account of the partner's on one day. */
import { textOfCents } from "./cents.js";
import { namespaces } from "./messages.js";
import type { CreditTransferOrder, FileHeader, OwnAccount } from "./orders.js";
import { branch, documentOf, leaf } from "./xml-text.js";

export const totalCents = (orders: readonly { readonly cents: bigint }[]): bigint =>
  orders.reduce((sum, { cents }) => sum + cents, 0n);

/** Who sends a file, and how many orders over how much are in it. */
export const groupHeader = (
  { messageId, createdAt }: FileHeader,
  sender: string,
  orders: readonly { readonly cents: bigint }[],
): string =>
  branch(
    "GrpHdr",
    leaf("MsgId", messageId),
    leaf("CreDtTm", createdAt),
    leaf("NbOfTxs", orders.length.toString()),
    leaf("CtrlSum", textOfCents(totalCents(orders))),
    branch("InitgPty", leaf("Nm", sender)),
  );

export const accountOf = (iban: string): string => branch("Id", leaf("IBAN", iban));

/** Banks of the area are found by the IBAN alone. */
export const unnamedAgent = branch("FinInstnId", branch("Othr", leaf("Id", "NOTPROVIDED")));

const transfer = (order: CreditTransferOrder): string =>
  branch(
    "CdtTrfTxInf",
    branch("PmtId", leaf("EndToEndId", order.endToEndId)),
    branch("Amt", leaf("InstdAmt", textOfCents(order.cents), ' Ccy="EUR"')),
    branch("Cdtr", leaf("Nm", order.creditorName)),
    branch("CdtrAcct", accountOf(order.creditorIban)),
    order.remittance === "" ? "" : branch("RmtInf", leaf("Ustrd", order.remittance)),
  );

function* partsOf(
  header: FileHeader,
  debtor: OwnAccount,
  orders: readonly CreditTransferOrder[],
): Generator<string> {
  yield groupHeader(header, debtor.name, orders);
  yield `<PmtInf>${[
    leaf("PmtInfId", header.messageId),
    leaf("PmtMtd", "TRF"),
    // Each is booked by itself, so that the bank's account shows what the ledger's does.
    leaf("BtchBookg", "false"),
    leaf("NbOfTxs", orders.length.toString()),
    leaf("CtrlSum", textOfCents(totalCents(orders))),
    branch("PmtTpInf", branch("SvcLvl", leaf("Cd", "SEPA"))),
    branch("ReqdExctnDt", leaf("Dt", header.day)),
    branch("Dbtr", leaf("Nm", debtor.name)),
    branch("DbtrAcct", accountOf(debtor.iban)),
    branch("DbtrAgt", unnamedAgent),
    leaf("ChrgBr", "SLEV"),
  ].join("")}`;
  for (const order of orders) yield transfer(order);
  yield "</PmtInf>";
}

/** The file in pieces. The same orders under the same header are the same file. */
export const creditTransferFile = (
  header: FileHeader,
  debtor: OwnAccount,
  orders: readonly CreditTransferOrder[],
): Generator<string> =>
  documentOf(namespaces.creditTransfers, "CstmrCdtTrfInitn", partsOf(header, debtor, orders));
