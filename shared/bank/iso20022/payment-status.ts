/** Reads pain.002.001.10: how far the bank is with a file of ours, with a batch of it, with each order. */
import { BankFileError } from "./bank-file-error.js";
import { cutText } from "./cut-text.js";
import { textAt, textNeeded, type Element } from "./element.js";
import type { MessagePart } from "./xml-reader.js";

/** A status of the standard's list, such as ACCP, ACSC, RJCT, and why. */
interface Said {
  readonly status: string;
  readonly reasonCode: string | null;
}

export type StatusItem =
  | ({ readonly is: "fileStatus"; readonly messageId: string } & Said)
  | ({
      readonly is: "orderStatus";
      readonly endToEndId: string;
      readonly reference: string | null;
    } & Said);

const isStatus = (text: string): boolean => /^[A-Z]{4}$/.test(text);

const shortCode = (code: string | undefined): string | null =>
  code === undefined ? null : cutText(code, 35);

const reasonOf = (element: Element): string | null =>
  shortCode(textAt(element, "StsRsnInf/Rsn/Cd", "StsRsnInf/Rsn/Prtry"));

const statusOf = (element: Element, name: string, place: string): string | undefined => {
  const status = textAt(element, name);
  if (status === undefined || isStatus(status)) return status;
  throw new BankFileError(`${place} has the ${name} ${status.slice(0, 20)}, which is no status.`);
};

const orderStatus = (element: Element, place: string): StatusItem | undefined => {
  const status = statusOf(element, "TxSts", place);
  if (status === undefined) return undefined;
  return {
    is: "orderStatus",
    endToEndId: textNeeded(element, "OrgnlEndToEndId", place),
    status,
    reasonCode: reasonOf(element),
    reference: cutText(textAt(element, "AcctSvcrRef", "ClrSysRef") ?? "", 255) || null,
  };
};

/** Turns the parts of one file into what they say, in its order; keeps what later parts need. */
export const statusReading = () => {
  let messageId = "";
  let transactions = 0;
  let batchReason: string | null = null;
  let batchStatus: string | undefined;

  const fileStatus = (element: Element): StatusItem[] => {
    messageId = textNeeded(element, "OrgnlMsgId", "OrgnlGrpInfAndSts");
    const status = statusOf(element, "GrpSts", "OrgnlGrpInfAndSts");
    return status === undefined
      ? []
      : [{ is: "fileStatus", messageId, status, reasonCode: reasonOf(element) }];
  };

  /** A batch is a whole file of ours, so that what is said of it is said of the file. */
  const batchEnd = (): StatusItem[] => {
    const status = batchStatus;
    batchStatus = undefined;
    if (status === undefined) return [];
    return [{ is: "fileStatus", messageId, status, reasonCode: batchReason }];
  };

  return (part: MessagePart): StatusItem[] => {
    if (part.is !== "part") {
      if (part.is === "open") batchReason = null;
      return part.is === "close" ? batchEnd() : [];
    }
    const { path, element } = part;
    switch (path) {
      case "OrgnlGrpInfAndSts":
        return fileStatus(element);
      case "OrgnlPmtInfAndSts/PmtInfSts":
        if (!isStatus(element.text.trim()))
          throw new BankFileError("OrgnlPmtInfAndSts has a PmtInfSts that is no status.");
        batchStatus = element.text.trim();
        return [];
      case "OrgnlPmtInfAndSts/StsRsnInf":
        batchReason ??= shortCode(textAt(element, "Rsn/Cd", "Rsn/Prtry"));
        return [];
      case "OrgnlPmtInfAndSts/TxInfAndSts": {
        transactions += 1;
        const said = orderStatus(element, `TxInfAndSts ${transactions.toString()}`);
        return said === undefined ? [] : [said];
      }
      default:
        return [];
    }
  };
};

/** What a status means for a request; undefined: nothing yet. Collections are booked on the creditor's side. */
export const outcomeOfStatus = (
  status: string,
  isCollection: boolean,
): "accepted" | "booked" | "refused" | undefined => {
  switch (status) {
    case "RJCT":
    case "CANC":
      return "refused";
    case "ACCC":
      return "booked";
    case "ACSC":
      return isCollection ? "accepted" : "booked";
    case "ACCP":
    case "ACTC":
    case "ACSP":
    case "ACWC":
      return "accepted";
    default:
      return undefined;
  }
};
