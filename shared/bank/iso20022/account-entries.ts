/** Reads what camt.053 and camt.054 have in common: an account, and the entries that were booked on it. */
import { BankFileError } from "./bank-file-error.js";
import { calendarDay } from "./calendar-day.js";
import { centsOfText } from "./cents.js";
import { cutText } from "./cut-text.js";
import { elementAt, elementsAt, textAt, textNeeded, type Element } from "./element.js";
import type { MessagePart } from "./xml-reader.js";

/** One movement on the account: an entry, or one of the transactions that an entry is made of. */
export interface BankEntry {
  /** Counts the movements of a report from 1 on. */
  readonly line: number;
  /** Credits are positive. */
  readonly cents: bigint;
  readonly isReversal: boolean;
  /** What an entry has besides its transactions, such as charges: nobody's transfer. */
  readonly isRemainder: boolean;
  readonly bookingDate: string;
  /** ISO, in UTC: the moment of the booking, or the beginning of its day. */
  readonly bookedAt: string;
  readonly endToEndId: string | null;
  /** The same wherever the bank reports this movement; null where the bank gives it no reference. */
  readonly gatewayReference: string | null;
  readonly reference: string | null;
  /** Domain, family and sub-family, such as `PMNT/RCDT/ESCT`; empty where none is given. */
  readonly kind: string;
  readonly debtorName: string | null;
  readonly debtorIban: string | null;
  readonly creditorName: string | null;
  readonly creditorIban: string | null;
  readonly remittance: string;
  /** Of what comes back: the reason's code. */
  readonly returnReason: string | null;
  readonly isReturn: boolean;
}

interface Moment {
  readonly date: string;
  readonly at: string;
}

/** A date or a moment of the standard; a moment without an offset is taken as UTC. */
const momentOf = (element: Element, place: string): Moment => {
  const text = textAt(element, "DtTm", "Dt") ?? "";
  const date = calendarDay(text, place);
  const isMoment = text.includes("T");
  const withOffset = /(Z|[+-]\d{2}:\d{2})$/.test(text) ? text : `${text}Z`;
  const at = new Date(isMoment ? withOffset : `${date}T00:00:00Z`);
  if (Number.isNaN(at.getTime())) throw new BankFileError(`${place} must be a date.`);
  return { date, at: at.toISOString() };
};

const euro = (amount: Element | undefined, place: string): bigint => {
  if (amount === undefined) throw new BankFileError(`${place} lacks Amt.`);
  if (amount.attributes["Ccy"] !== "EUR")
    throw new BankFileError(`${place} must be in EUR: the accounts of the platform are.`);
  return centsOfText(amount.text, `${place}, Amt,`);
};

/** 1 for credits, -1 for debits. */
export const signOf = (text: string | undefined, place: string): bigint => {
  if (text === "CRDT") return 1n;
  if (text === "DBIT") return -1n;
  throw new BankFileError(`${place} must have CRDT or DBIT as CdtDbtInd.`);
};

export const signedCents = (element: Element, place: string): bigint =>
  signOf(textAt(element, "CdtDbtInd"), place) * euro(elementAt(element, "Amt"), place);

/** What the bank's messages may hold at most: of names and references 255, of reasons 1,000 units. */
const referenceMax = 255;
const reasonMax = 1_000;

const short = (text: string | undefined): string | null =>
  text === undefined ? null : cutText(text, referenceMax);

const provided = (text: string | undefined): string | null =>
  text === "NOTPROVIDED" ? null : short(text);

const partyName = (transaction: Element, party: string): string | null =>
  short(
    textAt(
      transaction,
      ...["Pty/Nm", "Nm", "Agt/FinInstnId/Nm"].map((path) => `RltdPties/${party}/${path}`),
    ),
  );

const partyAccount = (transaction: Element, party: string): string | null =>
  short(textAt(transaction, `RltdPties/${party}Acct/Id/IBAN`, `RltdPties/${party}Acct/Id/Othr/Id`));

const remittanceOf = (transaction: Element): string =>
  [
    ...elementsAt(transaction, "RmtInf/Ustrd"),
    ...elementsAt(transaction, "RmtInf/Strd/CdtrRefInf/Ref"),
  ]
    .map(({ text }) => text.trim())
    .filter((text) => text !== "")
    .join(" ");

const kindOf = (code: Element | undefined): string =>
  code === undefined
    ? ""
    : [textAt(code, "Domn/Cd"), textAt(code, "Domn/Fmly/Cd"), textAt(code, "Domn/Fmly/SubFmlyCd")]
        .filter((part) => part !== undefined)
        .join("/");

/** What a report or an entry says besides its entries or transactions: a handful of parts. */
const partsMax = 200;

const keep = (element: Element, part: Element): void => {
  if (element.children.length === partsMax)
    throw new BankFileError(`A ${element.name} has more than ${partsMax.toString()} parts.`);
  element.children.push(part);
};

/** The account of a report, its number and whether it repeats an earlier one. */
export interface Report {
  readonly id: string;
  readonly iban: string;
  readonly isCopy: boolean;
}

/** The parts of a report and of its entries become movements; what else a report says is handed on. */
export const entryReading = (reportName: string) => {
  let head: Element = { name: reportName, attributes: {}, children: [], text: "" };
  let entry: Element | undefined;
  let line = 0;
  let details = 0;
  let detailed = 0n;
  let ordinal = 0;

  let known: Report | undefined;
  const report = (): Report => (known ??= readReport());
  const readReport = (): Report => {
    const id = cutText(textNeeded(head, "Id", reportName), referenceMax - 55);
    const iban = textAt(head, "Acct/Id/IBAN");
    if (iban === undefined) throw new BankFileError(`${reportName} ${id} lacks Acct/Id/IBAN.`);
    if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(iban))
      throw new BankFileError(`${reportName} ${id} has an Acct/Id/IBAN that is none.`);
    return { id, iban, isCopy: textAt(head, "CpyDplctInd") !== undefined };
  };

  const placeOf = (): string => `${reportName}/Ntry ${ordinal.toString()}`;

  const isBooked = (of: Element): boolean => {
    const status = textAt(of, "Sts/Cd", "Sts");
    if (status === undefined) throw new BankFileError(`${placeOf()} lacks Sts.`);
    return status === "BOOK";
  };

  const movement = (of: Element, transaction: Element, cents: bigint): BankEntry => {
    const place = placeOf();
    const booking = elementAt(of, "BookgDt") ?? elementAt(of, "ValDt");
    if (booking === undefined) throw new BankFileError(`${place} lacks BookgDt.`);
    const { date, at } = momentOf(booking, `${place}, BookgDt,`);
    line += 1;
    const endToEndId = provided(textAt(transaction, "Refs/EndToEndId"));
    const ofBank = provided(textAt(transaction, "Refs/AcctSvcrRef"));
    const ofTransaction = provided(textAt(transaction, "Refs/TxId"));
    const named = [ofBank, ofTransaction].filter((reference) => reference !== null);
    const ofEntry = provided(textAt(of, "AcctSvcrRef"));
    // Some banks give all transactions of an entry its reference.
    if (named.length > 0 && endToEndId !== null) named.push(endToEndId);
    else if (named.length === 0 && ofEntry !== null)
      named.push(details === 0 ? ofEntry : `${ofEntry} ${details.toString()}`);
    return {
      line,
      cents,
      isReversal: textAt(of, "RvslInd") === "true",
      isRemainder: false,
      bookingDate: date,
      bookedAt: at,
      endToEndId,
      gatewayReference: named.length === 0 ? null : cutText(named.join(" "), referenceMax),
      reference: ofBank ?? ofTransaction ?? provided(textAt(of, "AcctSvcrRef", "NtryRef")),
      kind: kindOf(elementAt(transaction, "BkTxCd")) || kindOf(elementAt(of, "BkTxCd")),
      debtorName: partyName(transaction, "Dbtr"),
      debtorIban: partyAccount(transaction, "Dbtr"),
      creditorName: partyName(transaction, "Cdtr"),
      creditorIban: partyAccount(transaction, "Cdtr"),
      remittance: cutText(
        remittanceOf(transaction) || (textAt(of, "AddtlNtryInf") ?? ""),
        reasonMax,
      ),
      returnReason: short(textAt(transaction, "RtrInf/Rsn/Cd", "RtrInf/Rsn/Prtry")),
      isReturn: elementAt(transaction, "RtrInf") !== undefined,
    };
  };

  const detail = (transaction: Element): BankEntry[] => {
    const of = entry;
    if (of === undefined || !isBooked(of)) return [];
    details += 1;
    const place = `${placeOf()}, TxDtls ${details.toString()},`;
    const total = signedCents(of, placeOf());
    const amount = elementAt(transaction, "Amt");
    const direction = textAt(transaction, "CdtDbtInd") ?? textAt(of, "CdtDbtInd");
    const cents = amount === undefined ? total : signOf(direction, place) * euro(amount, place);
    detailed += cents;
    return [movement(of, transaction, cents)];
  };

  /** An entry without transactions is one itself; of others, whatever they do not explain. */
  const rest = (of: Element): BankEntry[] => {
    if (!isBooked(of)) return [];
    const remainder = signedCents(of, placeOf()) - detailed;
    if (remainder === 0n) return [];
    const bare: Element = { name: "TxDtls", attributes: {}, children: [], text: "" };
    return [{ ...movement(of, bare, remainder), isRemainder: details > 0 }];
  };

  return {
    report,
    head: (): Element => head,
    /** The movements that a part completes; only those that the bank has booked. */
    take: (part: MessagePart): BankEntry[] => {
      if (part.is === "open") {
        if (part.path === reportName) {
          head = { name: reportName, attributes: {}, children: [], text: "" };
          known = undefined;
          [line, ordinal] = [0, 0];
        } else if (part.path === `${reportName}/Ntry`) {
          entry = { name: "Ntry", attributes: {}, children: [], text: "" };
          ordinal += 1;
          [details, detailed] = [0, 0n];
        }
        return [];
      }
      if (part.is === "close") {
        if (part.path !== `${reportName}/Ntry` || entry === undefined) return [];
        const closed = entry;
        entry = undefined;
        return rest(closed);
      }
      const { path, element } = part;
      const parent = path.slice(0, path.lastIndexOf("/"));
      if (parent === reportName) keep(head, element);
      else if (parent === `${reportName}/Ntry` && entry !== undefined) keep(entry, element);
      else if (element.name === "TxDtls") return detail(element);
      return [];
    },
  };
};
