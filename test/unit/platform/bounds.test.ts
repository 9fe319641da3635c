/** What a request may hold: every text, number and list has a limit, which is looked at first. */
import { describe, expect, test } from "vitest";
import { BankNotificationMessage } from "../../../shared/contracts/platform/bank-messages.js";
import { GivenMetadata } from "../../../shared/contracts/wallet/fields.js";
import { debtorNameFits } from "../../../shared/domain/wallet/debtor-name.js";
import { possibleCodes } from "../../../shared/domain/bank/sct-match.js";
import { fileNameFault } from "../../../shared/domain/ticketing/file-names.js";
import { isUnsafeHtml } from "../../../shared/domain/ticketing/unsafe-html.js";
import { emailPattern } from "../../../shared/domain/wallet/email.js";
import { checkedAccount } from "../../../shared/domain/wallet/iban.js";
import { firstNameTriplet } from "../../../shared/domain/wallet/names.js";
import { e164 } from "../../../shared/domain/wallet/phone.js";
import { checkedSearch } from "../../../shared/domain/wallet/search.js";
import { normaliseTaxId, taxIdFault } from "../../../shared/domain/wallet/tax-id.js";
import {
  isChoice,
  isText,
  requestInputs,
  type Json,
} from "../../support/platform/request-fields.js";

const inputs = requestInputs();

const isBounded = (schema: Json): boolean => {
  const { type } = schema;
  if (Array.isArray(type)) return type.every((one: unknown) => isBounded({ ...schema, type: one }));
  switch (type) {
    case "string":
      return "maxLength" in schema || isChoice(schema) || schema["format"] === "uuid";
    case "number":
    case "integer":
      return (
        isChoice(schema) ||
        (("minimum" in schema || "exclusiveMinimum" in schema) && "maximum" in schema)
      );
    case "array":
      return "maxItems" in schema && "items" in schema;
    case "object":
      return (
        schema["additionalProperties"] === false ||
        /^At most \d+ bytes/.test(String(schema["description"]))
      );
    case "boolean":
    case "null":
      return true;
    default:
      return "anyOf" in schema;
  }
};

test("every text, number, list and object that a request takes shows its limit", () => {
  const unbounded = inputs
    .flatMap(({ fields }) => fields)
    .filter(({ schema }) => !isBounded(schema))
    .map(({ name }) => name);
  expect(unbounded).toEqual([]);
});

test("metadata has at most 16 KiB as JSON, counted in bytes", () => {
  const around = JSON.stringify({ a: "" }).length;
  const fits = { a: "è".repeat((16 * 1024 - around) / 2) };
  expect(GivenMetadata.safeParse(fits).success).toBe(true);
  const over = GivenMetadata.safeParse({ a: `${fits.a}e` });
  expect(over.error?.issues[0]?.message).toBe("must have at most 16384 bytes as JSON");
});

/** What patterns, normal forms and parsers are slow at, alone and repeated. */
const parts = [
  ...["a", "1", " ", ".", "-", "@", "+", "(", "'", "%", "/", "\\", "<", ">", "&", "=", "\t"],
  ...["a.", "a-", "a@", "1-", "1 ", "a ", "a a", "Aa1", "IT", "+39", "a@a.", "%2f", ".\t", "0-"],
  ...["<a ", "<a>", "<<b>>", "<a b='", "< s c r", "<?'(", " on=", " onload", "&#38;", "&amp;"],
  ...["%25", "%253C", "\\x5c", " x=java", "<link ", " data ", "< /", "<a:", "<a =", "<\ufdfa>"],
  ...["\u0f73", "\u0f71\u0f72", "\u0344\u0316", "a\u0301", "\u1e9b\u0323", "\ufdfa", "\u3300"],
  ...["\u200b", "\u{1F600}", "ß", "ı", "\u00a0", "\u2028", "\uff1c\uff41"],
];
const heads = ["", `&${"amp;".repeat(4)}`, "2030-01-01T00:00:00."];
const tails = ["", "!", "@", " \n", "<script"];

/**
 * The least of several times in milliseconds of the processor: whatever else runs beside it takes turns with
 * it, and is not counted.
 */
const leastMs = (work: () => void, times = 3): number =>
  Math.min(
    ...Array.from({ length: times }, () => {
      const from = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(from);
      return (user + system) / 1_000;
    }),
  );

const longestLegal = 10_000;
/** One plain look at each character of the longest text that there is. */
const plainScan = (): void => void "a".repeat(longestLegal).replace(/./gsu, "b");
const scansMax = 50;

/** Every end alone; behind a head, none and one that spoils the match. */
const tailsBehind = (head: string): readonly string[] => (head === "" ? tails : ["", "!"]);

const textsOf = (length: number): readonly string[] =>
  heads.flatMap((head) =>
    tailsBehind(head).flatMap((tail) =>
      parts.map((part) => {
        const middle = part.repeat(Math.ceil(length / part.length));
        return head.slice(0, length) + middle.slice(0, length - head.length - tail.length) + tail;
      }),
    ),
  );

leastMs(plainScan, 20);
const limitMs = scansMax * leastMs(plainScan, 20);

/** The texts that take longer than the plain scans do; what seems to is measured again, beside them. */
const slow = (judge: (text: string) => unknown, texts: readonly string[]): readonly string[] =>
  texts
    .filter((text) => leastMs(() => judge(text), 1) > limitMs)
    .filter((text) => leastMs(() => judge(text), 20) > scansMax * leastMs(plainScan, 5))
    .map((text) => JSON.stringify(text.slice(0, 60)));

/** Each once, however many routes have a field of this name and form. */
const textFields = [
  ...new Map(
    inputs.flatMap(({ schema, fields }) =>
      fields
        .filter(isText)
        .map((field) => [
          `${field.name.split("/").at(-1) ?? ""} ${JSON.stringify(field.schema)}`,
          [field.name, { ...field, parse: schema.safeParse.bind(schema) }] as const,
        ]),
    ),
  ).values(),
];
const farTooLong = 200_000;
const tooLong = parts.map((part) => part.repeat(farTooLong / part.length));

describe("no text costs more than a few plain looks at the longest legal one", () => {
  test.each(textFields)("%s", (_name, { schema, whole, parse }) => {
    const most = typeof schema["maxLength"] === "number" ? schema["maxLength"] : 64;
    const judge = (text: string) => parse(whole(text));
    expect(slow(judge, textsOf(most))).toEqual([]);
    expect(slow(judge, tooLong)).toEqual([]);
  });

  const bank = BankNotificationMessage.shape;
  test.each<[string, number, (text: string) => unknown]>([
    ["unsafe HTML", 10_000, isUnsafeHtml],
    ["names of files", 1_020, (text) => fileNameFault(text.normalize("NFC"))],
    ["e-mail addresses", 254, (text) => emailPattern.test(text)],
    ["tax ids", 64, (text) => taxIdFault(normaliseTaxId(text))],
    ["IBANs", 64, (text) => checkedAccount(text, null)],
    ["names against a tax id", 255, firstNameTriplet],
    ["phone numbers", 64, e164],
    ["searches", 255, (text) => checkedSearch({ firstName: text, iban: text, taxId: text })],
    ["texts from the bank", 1_000, (text) => bank.reason.safeParse(text)],
    [
      "debtors' names",
      1_000,
      (text) => debtorNameFits(text, { firstName: text.slice(0, 255), lastName: text.slice(-255) }),
    ],
    ["codes in a reason", 1_000, possibleCodes],
    ["metadata", 16_384, (text) => GivenMetadata.safeParse({ text })],
  ])("the rules of %s", (_name, most, judge) => {
    expect(slow(judge, textsOf(most))).toEqual([]);
  });
});
