/** Files of the bank: what they say, in whatever pieces they come, and the sentence for each that cannot be read. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  inspectBankFile,
  readBankFile,
  type BankFileItem,
} from "../../../shared/bank/iso20022/read-bank-file.js";
import { notificationOf } from "../../../functions/bank/said-by-file.js";
import { BankNotificationMessage } from "../../../shared/contracts/platform/bank-messages.js";
import { textOfCents } from "../../../shared/bank/iso20022/cents.js";
import {
  bytesOf,
  notification,
  statement,
  statusReport,
  type Booking,
} from "../../support/bank/bank-messages.js";

const iban = "IT83X0999903200ACME00000001";

const itemsOf = async (content: string, size?: number): Promise<BankFileItem[]> => {
  const items: BankFileItem[] = [];
  for await (const lot of readBankFile(bytesOf(content, size))) items.push(...lot);
  return items;
};

const sentenceFor = async (bytes: AsyncIterable<Uint8Array>): Promise<string> => {
  const inspected = await inspectBankFile(bytes);
  return inspected.isSound ? "" : inspected.sentence;
};

const received: Booking = {
  ...{ amount: "10.50", direction: "CRDT", endToEndId: "NOTPROVIDED", reference: "R1" },
  ...{
    debtorName: "Müller & Söhne <KG>",
    debtorIban: "DE89370400440532013000",
    reason: "ABCD2345",
  },
};

describe("what a file says", () => {
  test("a credit arrives with who sent it, why, when and under which reference", async () => {
    const [item, ...more] = await itemsOf(notification({ id: "N1", iban, bookings: [received] }));
    expect(more).toEqual([]);
    expect(item).toMatchObject({
      is: "notified",
      report: { id: "N1", iban, isCopy: false },
      entry: {
        ...{ line: 1, cents: 1050n, endToEndId: null, gatewayReference: "R1", reference: "R1" },
        ...{ debtorName: "Müller & Söhne <KG>", debtorIban: "DE89370400440532013000" },
        ...{ remittance: "ABCD2345", bookingDate: "2026-11-20", kind: "PMNT/RCDT/ESCT" },
        bookedAt: "2026-11-20T00:00:00.000Z",
      },
    });
  });

  test("a file says the same in whatever pieces its bytes come, accents cut in two included", async () => {
    const content = notification({ id: "N1", iban, bookings: [received, received] });
    const whole = await itemsOf(content);
    for (const size of [1, 2, 7, 61]) expect(await itemsOf(content, size)).toEqual(whole);
  });

  test("a debit is negative, a return has its reason, what is not booked is not said", async () => {
    const bookings: Booking[] = [
      { amount: "7", direction: "DBIT", endToEndId: "E1", returnReason: "MD06" },
      { ...received, status: "PDNG" },
    ];
    const items = await itemsOf(notification({ id: "N1", iban, bookings }));
    expect(items).toMatchObject([
      { entry: { cents: -700n, endToEndId: "E1", returnReason: "MD06", isReturn: true } },
    ]);
  });

  test("an entry without transactions is a movement itself", async () => {
    const bookings: Booking[] = [{ amount: "3.00", direction: "CRDT", isBare: true }];
    expect(await itemsOf(notification({ id: "N1", iban, bookings }))).toMatchObject([
      { entry: { cents: 300n, debtorName: null, gatewayReference: null, isRemainder: false } },
    ]);
  });

  test("transactions of one entry are movements of their own; what they leave is a remainder", async () => {
    const one = notification({ id: "N1", iban, bookings: [received] });
    const twice = one.replace(
      /<NtryDtls>(.*)<\/NtryDtls>/,
      (_, inner: string) => `<NtryDtls>${inner}${inner.replace(">R1<", ">R2<")}</NtryDtls>`,
    );
    const less = twice.replace('<Ntry><Amt Ccy="EUR">10.50', '<Ntry><Amt Ccy="EUR">20.75');
    const items = await itemsOf(less);
    expect(items).toMatchObject([
      { entry: { line: 1, cents: 1050n, gatewayReference: "R1" } },
      { entry: { line: 2, cents: 1050n, gatewayReference: "R2" } },
      { entry: { line: 3, cents: -25n, isRemainder: true } },
    ]);
  });

  test("a copy of a notification says nothing", async () => {
    const content = notification({ id: "N1", iban, bookings: [received], copy: "DUPL" });
    expect(await itemsOf(content)).toEqual([]);
  });

  test("a status report tells of the file, and of each order with its reason", async () => {
    const content = statusReport({
      messageId: "M1",
      group: "PART",
      orders: [
        { endToEndId: "E1", status: "ACCP", reference: "B7" },
        { endToEndId: "E2", status: "RJCT", reason: "AC04" },
      ],
    });
    expect(await itemsOf(content)).toEqual([
      { is: "fileStatus", messageId: "M1", status: "PART", reasonCode: null },
      ...[
        { endToEndId: "E1", status: "ACCP", reasonCode: null, reference: "B7" },
        { endToEndId: "E2", status: "RJCT", reasonCode: "AC04", reference: null },
      ].map((order) => ({ is: "orderStatus", ...order })),
    ]);
  });

  test("a statement is told before its bookings, with its balances", async () => {
    const bookings: Booking[] = [received, { amount: "100.00", direction: "DBIT" }];
    const content = statement({ id: "S1", iban, opening: "50.00", closing: "-39.50", bookings });
    expect(await itemsOf(content)).toMatchObject([
      {
        is: "statement",
        head: { id: "S1", iban, openingCents: 5000n, closingCents: -3950n, toDay: "2026-11-20" },
      },
      { is: "booked", statementId: "S1", entry: { cents: 1050n } },
      { is: "booked", statementId: "S1", entry: { cents: -10000n } },
    ]);
  });

  test("any name, reason and amount that a bank may write is read as it was written", async () => {
    const words = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 60 })
      .filter(
        (value) =>
          !/[\p{Cc}\p{Cs}\ufffe\uffff]/u.test(value) && value.trim() === value && value !== "",
      );
    await fc.assert(
      fc.asyncProperty(
        ...[words, words, fc.bigInt(1n, 99_999_999_999n), fc.integer({ min: 1, max: 400 })],
        async (debtorName, reason, cents, size) => {
          const bookings = [{ ...received, debtorName, reason, amount: textOfCents(cents) }];
          const items = await itemsOf(notification({ id: "N1", iban, bookings }), size);
          expect(items).toMatchObject([{ entry: { debtorName, remittance: reason, cents } }]);
        },
      ),
      { numRuns: 50 },
    );
  });
});

test("whatever a bank writes of a credit is a message that its queue takes", async () => {
  const unit = fc.constantFrom("a", "é", "😀", "&", " ", "ﷺ");
  const words = fc.string({ unit, minLength: 1, maxLength: 900 });
  await fc.assert(
    fc.asyncProperty(words, words, words, async (debtorName, reason, reference) => {
      const bookings = [{ ...received, debtorName, reason, reference, endToEndId: reason }];
      const [item] = await itemsOf(notification({ id: `N${reference}`, iban, bookings }));
      if (item?.is !== "notified") throw new Error("the credit is missing");
      const message = notificationOf(item.report, item.entry);
      expect(BankNotificationMessage.safeParse(message).error).toBeUndefined();
    }),
    { numRuns: 40 },
  );
});

describe("what cannot be read is refused with a sentence", () => {
  const good = notification({ id: "N1", iban, bookings: [received] });
  const laughs = `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "ha">${Array.from(
    { length: 9 },
    (_, depth) =>
      `<!ENTITY a${(depth + 1).toString()} "${`&a${depth === 0 ? "" : depth.toString()};`.repeat(10)}">`,
  ).join("")}]><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.054.001.08">&a9;</Document>`;
  const ownStatement = { id: "S1", iban, opening: "50.00", closing: "50.00", bookings: [received] };

  test.each([
    ["a document type, whatever it defines", laughs, "a document type is not allowed"],
    ["an entity of nobody", good.replace("ABCD2345", "&eacute;"), "Invalid character entity"],
    ["another version", good.replace("001.08", "001.02"), "in one of the namespaces"],
    ["another message", "<Document xmlns='urn:x'/>", "in one of the namespaces"],
    [
      "an element of another namespace",
      good.replace("<Ntfctn>", "<Ntfctn xmlns='urn:x'>"),
      "another namespace",
    ],
    [
      "a root that does not fit",
      good.replaceAll("BkToCstmrDbtCdtNtfctn", "BkToCstmrStmt"),
      "must be a BkToCstmrDbtCdtNtfctn",
    ],
    ["a file that breaks off", good.slice(0, -60), "Unclosed root tag"],
    ["an empty file", "", "holds no message"],
    ["what is no XML", "AMOUNT;NAME\n1;x\n", "Non-whitespace before first tag"],
    ["elements that close wrongly", good.replace("</Ntry>", "</Entry>"), "Unexpected close tag"],
    ["a second document", good + good, "root"],
    ["a depth beyond reason", good.replace("<Refs>", "<Refs>".repeat(40)), "more than 32 deep"],
    ["a text beyond reason", good.replace("ABCD2345", "A".repeat(5_000)), "longer than any"],
    ["a character that XML forbids", good.replace("ABCD2345", "\u0001"), "forbids"],
    ["the same by its number", good.replace("ABCD2345", "&#0;"), "Invalid character entity"],
    ["half of a character", good.replace("ABCD2345", "&#xD800;"), "Invalid character entity"],
    ["another encoding", good.replace("UTF-8", "UTF-16"), "must be in UTF-8"],
    ["another currency", good.replaceAll("EUR", "USD"), "must be in EUR"],
    ["parts of a cent", good.replaceAll("10.50", "10.505"), "at most two decimals"],
    ["an amount of words", good.replaceAll("10.50", "ten"), "at most two decimals"],
    ["no direction", good.replaceAll("CRDT", "BOTH"), "CRDT or DBIT"],
    ["a day that is none", good.replace("2026-11-20</Dt>", "2026-13-40</Dt>"), "must be a date"],
    ["a day that no calendar has", good.replace("2026-11-20</Dt>", "2026-02-30</Dt>"), "date"],
    ["a day of old", good.replace("2026-11-20</Dt>", "0001-01-01</Dt>"), "must be a date"],
    ["an amount beyond reason", good.replaceAll("10.50", "1".repeat(17)), "larger than any"],
    [
      "a statement of no days",
      statement({ ...ownStatement, closing: "60.50", days: ["soon", "later"] }),
      "FrToDt/FrDtTm, must be a date",
    ],
    ["an account that is none", good.replace(iban, "my account"), "Acct/Id/IBAN that is none"],
    ["no account", good.replace(/<Acct>.*?<\/Acct>/, ""), "lacks Acct/Id/IBAN"],
    [
      "many parts",
      good.replace("<Ntry>", `${"<Ntry><NtryRef>1</NtryRef>".slice(6).repeat(300)}<Ntry>`),
      "more than 200 parts",
    ],
    [
      "a wide part",
      good.replace("<Refs>", `<Refs>${"<x/>".repeat(3_000)}`),
      "more than 2000 elements",
    ],
    [
      "a statement that does not add up",
      statement(ownStatement),
      "give 60.50, the closing balance is 50.00",
    ],
    [
      "a statement without its end",
      statement(ownStatement).replace("CLBD", "XXXX"),
      "lacks the balance CLBD",
    ],
  ])("%s", async (_, content, sentence) => {
    expect(await sentenceFor(bytesOf(content))).toContain(sentence);
  });

  test("bytes that are no UTF-8", async () => {
    const bytes = Buffer.from(good, "latin1").fill(0xff, 200, 201);
    const pieces = (async function* () {
      yield await Promise.resolve(bytes);
    })();
    expect(await sentenceFor(pieces)).toContain("must be in UTF-8");
  });

  /** Begins like a good file, then never ends; what was read of it is counted. */
  const endless = (beginning: string, piece: string) => {
    let pieces = 0;
    const bytes = (async function* () {
      yield Buffer.from(beginning);
      for (; pieces < 16_384; pieces += 1) yield await Promise.resolve(Buffer.from(piece));
    })();
    return { bytes, megabytes: () => (pieces * piece.length) / 1024 ** 2 };
  };
  const upTo = (mark: string): string => good.slice(0, good.indexOf(mark) + mark.length);

  test.each([
    ["a text of a gigabyte", upTo("<Ustrd>"), "A".repeat(64 * 1024)],
    ["an attribute of a gigabyte", `${upTo("<Refs>")}<x y="`, "A".repeat(64 * 1024)],
    ["a tag of a gigabyte", `${upTo("<Refs>")}<x `, "a='1' ".repeat(10_000)],
    ["a comment of a gigabyte", `${upTo("<Refs>")}<!--`, "A".repeat(64 * 1024)],
    ["a document type of a gigabyte", "<!DOCTYPE x [", "<!ENTITY a 'b'>".repeat(4_000)],
    ["blanks of a gigabyte", upTo("<Ntfctn>"), " ".repeat(64 * 1024)],
  ])("%s is not read to its end", async (_, beginning, piece) => {
    const { bytes, megabytes } = endless(beginning, piece);
    expect(await sentenceFor(bytes)).not.toBe("");
    expect(megabytes()).toBeLessThan(2);
  });
});

test("a hundred thousand bookings are read with a flat heap", async () => {
  const [beginning = "", end = ""] = statement({
    ...{ id: "S1", iban, opening: "0.00", closing: "1050000.00" },
    bookings: [],
  }).split("</Stmt>");
  const [booking = ""] =
    /<Ntry>.*<\/Ntry>/.exec(
      notification({ id: "N", iban, bookings: [{ ...received, isBare: true }] }),
    ) ?? [];
  const lotOf = booking.replace(/<BkTxCd>.*<\/BkTxCd>/, "").repeat(100);
  const bytes = (async function* () {
    yield Buffer.from(beginning);
    for (let lot = 0; lot < 1_000; lot += 1) yield await Promise.resolve(Buffer.from(lotOf));
    yield Buffer.from(`</Stmt>${end}`);
  })();
  let read = 0;
  let [first, most] = [0, 0];
  for await (const lot of readBankFile(bytes)) {
    read += lot.length;
    if (read % 20_000 > lot.length) continue;
    globalThis.gc?.();
    const used = process.memoryUsage().heapUsed;
    first ||= used;
    most = Math.max(most, used);
  }
  expect(read).toBe(100_001);
  // Kept in memory, they would be some hundred megabytes.
  expect(most - first).toBeLessThan(40 * 1024 ** 2);
});
