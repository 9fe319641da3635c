/** Messages as a bank writes them, for tests: status reports, notifications, statements. */

const namespaceOf = (version: string): string => `urn:iso:std:iso:20022:tech:xsd:${version}`;

const text = (value: string): string =>
  value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const element = (name: string, value: string | undefined): string =>
  value === undefined ? "" : `<${name}>${text(value)}</${name}>`;

const documentOf = (version: string, root: string, content: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${namespaceOf(version)}"><${root}>` +
  `<GrpHdr><MsgId>B1</MsgId><CreDtTm>2026-11-20T10:00:00Z</CreDtTm></GrpHdr>${content}</${root}></Document>\n`;

export interface StatusOf {
  readonly messageId: string;
  readonly group?: string;
  readonly groupReason?: string;
  readonly orders?: readonly {
    readonly endToEndId: string;
    readonly status: string;
    readonly reason?: string;
    readonly reference?: string;
  }[];
}

const reasonOf = (code: string | undefined): string =>
  code === undefined ? "" : `<StsRsnInf><Rsn><Cd>${code}</Cd></Rsn></StsRsnInf>`;

export const statusReport = ({ messageId, group, groupReason, orders = [] }: StatusOf): string =>
  documentOf(
    "pain.002.001.10",
    "CstmrPmtStsRpt",
    `<OrgnlGrpInfAndSts><OrgnlMsgId>${messageId}</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId>` +
      `${element("GrpSts", group)}${reasonOf(groupReason)}</OrgnlGrpInfAndSts>` +
      (orders.length === 0
        ? ""
        : `<OrgnlPmtInfAndSts><OrgnlPmtInfId>${messageId}</OrgnlPmtInfId>${orders
            .map(
              ({ endToEndId, status, reason, reference }) =>
                `<TxInfAndSts><OrgnlEndToEndId>${endToEndId}</OrgnlEndToEndId><TxSts>${status}</TxSts>` +
                `${reasonOf(reason)}${element("AcctSvcrRef", reference)}</TxInfAndSts>`,
            )
            .join("")}</OrgnlPmtInfAndSts>`),
  );

export interface Booking {
  /** As the bank writes it: `10.00`. */
  readonly amount: string;
  readonly direction: "CRDT" | "DBIT";
  readonly endToEndId?: string;
  readonly reference?: string;
  readonly family?: string;
  readonly status?: string;
  readonly returnReason?: string;
  readonly debtorName?: string;
  readonly debtorIban?: string;
  readonly creditorName?: string;
  readonly creditorIban?: string;
  readonly reason?: string;
  readonly day?: string;
  /** Without transactions of its own, an entry says how much, and little else. */
  readonly isBare?: boolean;
}

const party = (role: string, name: string | undefined, iban: string | undefined): string =>
  (name === undefined ? "" : `<${role}><Pty>${element("Nm", name)}</Pty></${role}>`) +
  (iban === undefined ? "" : `<${role}Acct><Id><IBAN>${iban}</IBAN></Id></${role}Acct>`);

const details = (booking: Booking): string =>
  `<NtryDtls><TxDtls><Refs>${element("AcctSvcrRef", booking.reference)}${element("EndToEndId", booking.endToEndId)}</Refs>` +
  `<Amt Ccy="EUR">${booking.amount}</Amt><CdtDbtInd>${booking.direction}</CdtDbtInd>` +
  `<RltdPties>${party("Dbtr", booking.debtorName, booking.debtorIban)}` +
  `${party("Cdtr", booking.creditorName, booking.creditorIban)}</RltdPties>` +
  (booking.reason === undefined ? "" : `<RmtInf>${element("Ustrd", booking.reason)}</RmtInf>`) +
  (booking.returnReason === undefined
    ? ""
    : `<RtrInf><Rsn><Cd>${booking.returnReason}</Cd></Rsn></RtrInf>`) +
  `</TxDtls></NtryDtls>`;

const entry = (booking: Booking): string =>
  `<Ntry><Amt Ccy="EUR">${booking.amount}</Amt><CdtDbtInd>${booking.direction}</CdtDbtInd>` +
  `<Sts><Cd>${booking.status ?? "BOOK"}</Cd></Sts><BookgDt><Dt>${booking.day ?? "2026-11-20"}</Dt></BookgDt>` +
  `<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>${booking.family ?? "RCDT"}</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn></BkTxCd>` +
  `${booking.isBare === true ? "" : details(booking)}</Ntry>`;

export interface ReportOf {
  readonly id: string;
  readonly iban: string;
  readonly bookings: readonly Booking[];
  /** `DUPL` and the like. */
  readonly copy?: string;
}

const account = (iban: string): string => `<Acct><Id><IBAN>${iban}</IBAN></Id></Acct>`;

export const notification = ({ id, iban, bookings, copy }: ReportOf): string =>
  documentOf(
    "camt.054.001.08",
    "BkToCstmrDbtCdtNtfctn",
    `<Ntfctn>${element("Id", id)}<CreDtTm>2026-11-20T10:00:00Z</CreDtTm>${element("CpyDplctInd", copy)}` +
      `${account(iban)}${bookings.map(entry).join("")}</Ntfctn>`,
  );

const balance = (code: string, amount: string, day: string): string =>
  `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${amount.replace("-", "")}</Amt>` +
  `<CdtDbtInd>${amount.startsWith("-") ? "DBIT" : "CRDT"}</CdtDbtInd><Dt><Dt>${day}</Dt></Dt></Bal>`;

export interface StatementOf extends ReportOf {
  readonly opening: string;
  readonly closing: string;
  readonly day?: string;
  /** The days that it is about; by default that one. */
  readonly days?: readonly [from: string, to: string];
}

export const statement = ({
  id,
  iban,
  bookings,
  opening,
  closing,
  day = "2026-11-20",
  days,
}: StatementOf): string =>
  documentOf(
    "camt.053.001.08",
    "BkToCstmrStmt",
    `<Stmt><Id>${id}</Id><CreDtTm>2026-11-20T20:00:00Z</CreDtTm>` +
      (days === undefined
        ? ""
        : `<FrToDt><FrDtTm>${days[0]}T00:00:00Z</FrDtTm><ToDtTm>${days[1]}T23:59:59Z</ToDtTm></FrToDt>`) +
      account(iban) +
      `${balance("OPBD", opening, day)}${balance("CLBD", closing, day)}${bookings.map(entry).join("")}</Stmt>`,
  );

/** A text as the bytes of a file that comes in pieces of this size. */
export async function* bytesOf(content: string, size = 64 * 1024): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(content);
  for (let from = 0; from < bytes.length; from += size)
    yield await Promise.resolve(bytes.subarray(from, from + size));
}
