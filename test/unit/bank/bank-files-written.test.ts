/** Files to the bank: built as the standard has them, by an independent reader; any text survives or is refused. */
import { XMLParser } from "fast-xml-parser";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { creditTransferFile } from "../../../shared/bank/iso20022/credit-transfers.js";
import { directDebitFile } from "../../../shared/bank/iso20022/direct-debits.js";
import { isLegible, sepaText } from "../../../shared/bank/iso20022/sepa-text.js";
import {
  CreditorAccount,
  CreditTransferOrder,
  DirectDebitOrder,
  OwnAccount,
} from "../../../shared/bank/iso20022/orders.js";

const header = {
  messageId: "0193aabbccddeeff0193aabbccddeeff",
  createdAt: "2026-11-20T10:00:00.000Z",
  day: "2026-11-23",
};
const debtor = OwnAccount.parse({ name: "Acme S.p.A. & C.", iban: "IT83X0999903200ACME00000001" });
const creditor = CreditorAccount.parse({ ...debtor, identifier: "IT91ZZZACME000000000001" });

const transfer = (more: Partial<CreditTransferOrder> = {}): CreditTransferOrder =>
  CreditTransferOrder.parse({
    ...{ endToEndId: "0193aabbccddeeff0193aabbccddee01", cents: 100_00n },
    ...{ creditorName: "Mario Rossi", creditorIban: "IT60 X054 2811 1010 0000 0123 456" },
    remittance: "Withdrawal 1",
    ...more,
  });
const collection = (more: Partial<DirectDebitOrder> = {}): DirectDebitOrder =>
  DirectDebitOrder.parse({
    ...{ endToEndId: "0193aabbccddeeff0193aabbccddee02", cents: 25_00n },
    ...{ mandateId: "MREF-1", signatureDate: "2026-11-01" },
    ...{ debtorName: "Zoë Brøndum", debtorIban: "IT60X0542811101000000123456" },
    remittance: "Mandate MREF-1",
    ...more,
  });

/** Every element keeps its place, so that the order can be compared, too. */
type Ordered = Readonly<Record<string, unknown>>;
const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  parseTagValue: false,
});

const nameOf = (element: Ordered): string => Object.keys(element).find((key) => key !== ":@") ?? "";
const childrenOf = (element: Ordered): readonly Ordered[] => {
  const children = element[nameOf(element)];
  return Array.isArray(children) ? (children as readonly Ordered[]) : [];
};

/** An element as lines of paths, texts behind them: what is where, in the order of the file. */
const linesOf = (element: Ordered, above = ""): string[] => {
  const name = nameOf(element);
  if (name === "#text") return [];
  const path = above === "" ? name : `${above}/${name}`;
  const children = childrenOf(element);
  const text = children.find((child) => nameOf(child) === "#text")?.["#text"];
  if (typeof text === "string" && children.length === 1) return [`${path}=${text}`];
  return children.flatMap((child) => linesOf(child, path));
};

const read = (pieces: Iterable<string>): string[] => {
  const xml = [...pieces].join("");
  const parsed = parser.parse(xml) as Ordered[];
  return parsed
    .filter((element) => nameOf(element) === "Document")
    .flatMap((element) => linesOf(element));
};

describe("a file has what the standard asks for, in its order", () => {
  test("transfers, pain.001.001.09", () => {
    const orders = [transfer(), transfer({ cents: 1n, remittance: "" })];
    const path = "Document/CstmrCdtTrfInitn";
    expect(read(creditTransferFile(header, debtor, orders))).toEqual([
      `${path}/GrpHdr/MsgId=${header.messageId}`,
      `${path}/GrpHdr/CreDtTm=${header.createdAt}`,
      `${path}/GrpHdr/NbOfTxs=2`,
      `${path}/GrpHdr/CtrlSum=100.01`,
      `${path}/GrpHdr/InitgPty/Nm=Acme S.p.A. + C.`,
      `${path}/PmtInf/PmtInfId=${header.messageId}`,
      `${path}/PmtInf/PmtMtd=TRF`,
      `${path}/PmtInf/BtchBookg=false`,
      `${path}/PmtInf/NbOfTxs=2`,
      `${path}/PmtInf/CtrlSum=100.01`,
      `${path}/PmtInf/PmtTpInf/SvcLvl/Cd=SEPA`,
      `${path}/PmtInf/ReqdExctnDt/Dt=2026-11-23`,
      `${path}/PmtInf/Dbtr/Nm=Acme S.p.A. + C.`,
      `${path}/PmtInf/DbtrAcct/Id/IBAN=IT83X0999903200ACME00000001`,
      `${path}/PmtInf/DbtrAgt/FinInstnId/Othr/Id=NOTPROVIDED`,
      `${path}/PmtInf/ChrgBr=SLEV`,
      `${path}/PmtInf/CdtTrfTxInf/PmtId/EndToEndId=0193aabbccddeeff0193aabbccddee01`,
      `${path}/PmtInf/CdtTrfTxInf/Amt/InstdAmt=100.00`,
      `${path}/PmtInf/CdtTrfTxInf/Cdtr/Nm=Mario Rossi`,
      `${path}/PmtInf/CdtTrfTxInf/CdtrAcct/Id/IBAN=IT60X0542811101000000123456`,
      `${path}/PmtInf/CdtTrfTxInf/RmtInf/Ustrd=Withdrawal 1`,
      `${path}/PmtInf/CdtTrfTxInf/PmtId/EndToEndId=0193aabbccddeeff0193aabbccddee01`,
      `${path}/PmtInf/CdtTrfTxInf/Amt/InstdAmt=0.01`,
      `${path}/PmtInf/CdtTrfTxInf/Cdtr/Nm=Mario Rossi`,
      `${path}/PmtInf/CdtTrfTxInf/CdtrAcct/Id/IBAN=IT60X0542811101000000123456`,
    ]);
  });

  test("collections, pain.008.001.08", () => {
    const path = "Document/CstmrDrctDbtInitn";
    expect(read(directDebitFile(header, creditor, [collection()]))).toEqual([
      `${path}/GrpHdr/MsgId=${header.messageId}`,
      `${path}/GrpHdr/CreDtTm=${header.createdAt}`,
      `${path}/GrpHdr/NbOfTxs=1`,
      `${path}/GrpHdr/CtrlSum=25.00`,
      `${path}/GrpHdr/InitgPty/Nm=Acme S.p.A. + C.`,
      `${path}/PmtInf/PmtInfId=${header.messageId}`,
      `${path}/PmtInf/PmtMtd=DD`,
      `${path}/PmtInf/BtchBookg=false`,
      `${path}/PmtInf/NbOfTxs=1`,
      `${path}/PmtInf/CtrlSum=25.00`,
      `${path}/PmtInf/PmtTpInf/SvcLvl/Cd=SEPA`,
      `${path}/PmtInf/PmtTpInf/LclInstrm/Cd=CORE`,
      `${path}/PmtInf/PmtTpInf/SeqTp=RCUR`,
      `${path}/PmtInf/ReqdColltnDt=2026-11-23`,
      `${path}/PmtInf/Cdtr/Nm=Acme S.p.A. + C.`,
      `${path}/PmtInf/CdtrAcct/Id/IBAN=IT83X0999903200ACME00000001`,
      `${path}/PmtInf/CdtrAgt/FinInstnId/Othr/Id=NOTPROVIDED`,
      `${path}/PmtInf/ChrgBr=SLEV`,
      `${path}/PmtInf/CdtrSchmeId/Id/PrvtId/Othr/Id=IT91ZZZACME000000000001`,
      `${path}/PmtInf/CdtrSchmeId/Id/PrvtId/Othr/SchmeNm/Prtry=SEPA`,
      `${path}/PmtInf/DrctDbtTxInf/PmtId/EndToEndId=0193aabbccddeeff0193aabbccddee02`,
      `${path}/PmtInf/DrctDbtTxInf/InstdAmt=25.00`,
      `${path}/PmtInf/DrctDbtTxInf/DrctDbtTx/MndtRltdInf/MndtId=MREF-1`,
      `${path}/PmtInf/DrctDbtTxInf/DrctDbtTx/MndtRltdInf/DtOfSgntr=2026-11-01`,
      `${path}/PmtInf/DrctDbtTxInf/DbtrAgt/FinInstnId/Othr/Id=NOTPROVIDED`,
      `${path}/PmtInf/DrctDbtTxInf/Dbtr/Nm=Zoe Brondum`,
      `${path}/PmtInf/DrctDbtTxInf/DbtrAcct/Id/IBAN=IT60X0542811101000000123456`,
      `${path}/PmtInf/DrctDbtTxInf/RmtInf/Ustrd=Mandate MREF-1`,
    ]);
  });

  test("the same orders under the same header are the same bytes", () => {
    const file = (): string => [...creditTransferFile(header, debtor, [transfer()])].join("");
    expect(file()).toBe(file());
  });
});

const anyText = fc.string({ unit: "binary", maxLength: 300 });

test("any name and reason is written in the area's characters and read as it was written, or refused", () => {
  fc.assert(
    fc.property(
      ...[anyText, anyText, fc.bigInt(-10n, 200_000_000_000n)],
      (creditorName, remittance, cents) => {
        const given = { ...transfer(), creditorName, remittance, cents };
        const order = CreditTransferOrder.safeParse(given);
        const fits =
          isLegible(sepaText(creditorName, 70)) && cents > 0n && cents < 100_000_000_000n;
        expect(order.success).toBe(fits);
        if (!order.success) {
          expect(order.error.issues.every(({ message }) => message !== "")).toBe(true);
          return;
        }
        const lines = read(creditTransferFile(header, debtor, [order.data]));
        const at = (name: string): string =>
          lines.find((line) => line.includes(`CdtTrfTxInf/${name}=`))?.split("=")[1] ?? "";
        expect(at("Cdtr/Nm")).toBe(order.data.creditorName);
        expect(at("RmtInf/Ustrd")).toBe(order.data.remittance);
        expect(BigInt(at("Amt/InstdAmt").replace(".", ""))).toBe(cents);
        expect(order.data.creditorName).toMatch(/^[A-Za-z0-9/\-?:().,'+ ]{1,70}$/);
        expect(order.data.remittance).toMatch(/^[A-Za-z0-9/\-?:().,'+ ]{0,140}$/);
      },
    ),
    { numRuns: 300 },
  );
});

test.each([
  ["Müller & Söhne", "Muller + Sohne"],
  ["Łukasz Straße Ærø", "Lukasz Strasse AEro"],
  ["D’Amico–Nuñez", "D'Amico-Nunez"],
  ["//a//b/", "a/b"],
  ["  a \n\t b ", "a b"],
  ["Иван 1", ".... 1"],
  ["x".repeat(80), "x".repeat(70)],
])("%j becomes %j", (text, written) => {
  expect(sepaText(text, 70)).toBe(written);
});

test.each([
  ["a name that nobody could read", { creditorName: "Иван" }],
  ["no name", { creditorName: " " }],
  ["no IBAN", { creditorIban: "none" }],
  ["no amount", { cents: 0n }],
  ["more than the scheme carries", { cents: 100_000_000_000n }],
  ["an id that is too long", { endToEndId: "x".repeat(36) }],
  ["an id with a slash at its end", { endToEndId: "x/" }],
])("%s is refused with a sentence", (_, wrong) => {
  const order = CreditTransferOrder.safeParse({ ...transfer(), ...wrong });
  expect(order.error?.issues[0]?.message).toMatch(/\w+ \w+/);
});
