/** Writes pain.008.001.08: recurrent collections of the Core scheme for one creditor on one day. */
import { textOfCents } from "./cents.js";
import { accountOf, groupHeader, totalCents, unnamedAgent } from "./credit-transfers.js";
import { namespaces } from "./messages.js";
import type { CreditorAccount, DirectDebitOrder, FileHeader } from "./orders.js";
import { branch, documentOf, leaf } from "./xml-text.js";

const collection = (order: DirectDebitOrder): string =>
  branch(
    "DrctDbtTxInf",
    branch("PmtId", leaf("EndToEndId", order.endToEndId)),
    leaf("InstdAmt", textOfCents(order.cents), ' Ccy="EUR"'),
    branch(
      "DrctDbtTx",
      branch(
        "MndtRltdInf",
        leaf("MndtId", order.mandateId),
        leaf("DtOfSgntr", order.signatureDate),
      ),
    ),
    branch("DbtrAgt", unnamedAgent),
    branch("Dbtr", leaf("Nm", order.debtorName)),
    branch("DbtrAcct", accountOf(order.debtorIban)),
    order.remittance === "" ? "" : branch("RmtInf", leaf("Ustrd", order.remittance)),
  );

function* partsOf(
  header: FileHeader,
  creditor: CreditorAccount,
  orders: readonly DirectDebitOrder[],
): Generator<string> {
  yield groupHeader(header, creditor.name, orders);
  yield `<PmtInf>${[
    leaf("PmtInfId", header.messageId),
    leaf("PmtMtd", "DD"),
    leaf("BtchBookg", "false"),
    leaf("NbOfTxs", orders.length.toString()),
    leaf("CtrlSum", textOfCents(totalCents(orders))),
    branch(
      "PmtTpInf",
      branch("SvcLvl", leaf("Cd", "SEPA")),
      branch("LclInstrm", leaf("Cd", "CORE")),
      leaf("SeqTp", "RCUR"),
    ),
    leaf("ReqdColltnDt", header.day),
    branch("Cdtr", leaf("Nm", creditor.name)),
    branch("CdtrAcct", accountOf(creditor.iban)),
    branch("CdtrAgt", unnamedAgent),
    leaf("ChrgBr", "SLEV"),
    branch(
      "CdtrSchmeId",
      branch(
        "Id",
        branch(
          "PrvtId",
          branch("Othr", leaf("Id", creditor.identifier), branch("SchmeNm", leaf("Prtry", "SEPA"))),
        ),
      ),
    ),
  ].join("")}`;
  for (const order of orders) yield collection(order);
  yield "</PmtInf>";
}

/** The file in pieces. The same orders under the same header are the same file. */
export const directDebitFile = (
  header: FileHeader,
  creditor: CreditorAccount,
  orders: readonly DirectDebitOrder[],
): Generator<string> =>
  documentOf(namespaces.directDebits, "CstmrDrctDbtInitn", partsOf(header, creditor, orders));
