/** IBANs and BICs: known accounts, single mistakes, the Italian check letter, the BIC that is needed. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { customer } from "../../../bench/platform/customers.js";
import { checkedAccount, ibanFault, normaliseIban } from "../../../shared/domain/wallet/iban.js";
import { isBic } from "../../../shared/domain/wallet/sepa.js";

/** The IBAN of an account, with right check digits. */
const withCheckDigits = (country: string, account: string): string => {
  const digits = Array.from(`${account}${country}00`, (character) =>
    Number.parseInt(character, 36),
  ).join("");
  return `${country}${String(98n - (BigInt(digits) % 97n)).padStart(2, "0")}${account}`;
};

test.each([
  "IT60X0542811101000000123456",
  "SM86U0322509800000000270100",
  "DE89370400440532013000",
  "FR1420041010050500013M02606",
  "GB29NWBK60161331926819",
])("%s is sound", (iban) => {
  expect(ibanFault(iban)).toBeUndefined();
});

const anyItalianIban = fc.nat({ max: 1_000_000 }).map((index) => customer(index).iban);

test("any change of one digit of an Italian account is noticed", () => {
  fc.assert(
    fc.property(
      anyItalianIban,
      fc.integer({ min: 2, max: 26 }),
      fc.nat({ max: 9 }),
      (iban, place, digit) => {
        fc.pre(/\d/.test(iban.charAt(place)) && iban.charAt(place) !== String(digit));
        expect(
          ibanFault(iban.slice(0, place) + String(digit) + iban.slice(place + 1)),
        ).toBeDefined();
      },
    ),
  );
});

test("a wrong check letter is noticed although the check digits fit", () => {
  fc.assert(
    fc.property(
      anyItalianIban,
      fc.constantFrom(...Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ")),
      (iban, letter) => {
        fc.pre(iban.charAt(4) !== letter);
        expect(ibanFault(withCheckDigits("IT", letter + iban.slice(5)))).toBe("cin");
      },
    ),
  );
});

test("spaces, hyphens and small letters are put right", () => {
  expect(normaliseIban("it60 x054-2811 1010 0000 0123 456")).toBe("IT60X0542811101000000123456");
  expect(normaliseIban("")).toBe("");
});

test("an account outside Italy needs its BIC, San Marino included; an Italian one does not", () => {
  expect(checkedAccount("IT60X0542811101000000123456", null)).toMatchObject({
    ok: true,
    value: { bic: null },
  });
  for (const [iban, bic] of [
    ["DE89370400440532013000", "cobadeff"],
    ["SM86U0322509800000000270100", "masnsmsm"],
  ] as const) {
    expect(checkedAccount(iban, null)).toEqual({
      ok: false,
      code: "BicRequired",
      properties: { iban },
    });
    expect(checkedAccount(iban, bic)).toMatchObject({ value: { iban, bic: bic.toUpperCase() } });
  }
});

/** One sound account of each country that has IBANs, from the registry's examples. */
test.each([
  ["AL47212110090000000235698741", true],
  ["MD24AG000225100013104168", true],
  ["ME25505000012345678951", true],
  ["MK07250120000058984", true],
  ["RS35260005601001611379", true],
  ["CH9300762011623852957", true],
  ["GB29NWBK60161331926819", true],
  ["GI75NWBK000000007099453", true],
  ["VA59001123000012345678", true],
  ["AD1200012030200359100100", true],
  ["MC5811222000010123456789030", true],
  ["BR1800360305000010009795493C1", false],
  ["TR330006100519786457841326", false],
  ["XK051212012345678906", false],
  ["AE070331234567890123456", false],
  ["UA213223130000026007233566001", false],
])("%s is of a SEPA country: %s", (iban, isSepa) => {
  expect(ibanFault(iban)).toBe(isSepa ? undefined : "country");
});

test.each([
  ["IT60X0542811101000000123456", "BCITITMM", true],
  ["IT60X0542811101000000123456", "COBADEFF", false],
  ["IT60X0542811101000000123456", "BCITXXMM", false],
  ["FR1420041010050500013M02606", "PSSTGPGX", true],
  ["FR1420041010050500013M02606", "BKMCMCMX", false],
  ["GB29NWBK60161331926819", "RBOSJESX", true],
  ["GB29NWBK60161331926819", "NWBKIE2D", false],
  ["MC5811222000010123456789030", "BNPAFRPP", true],
  ["MC5811222000010123456789030", "BKMCMCMX", true],
])("to %s goes the BIC %s: %s", (iban, bic, fits) => {
  const found = checkedAccount(iban, bic);
  expect(found.ok ? "fits" : found.code).toBe(fits ? "fits" : "BicInvalid");
});

test("what is no IBAN is refused with what is wrong with it", () => {
  expect(checkedAccount("IT00X0542811101000000123456", null)).toMatchObject({
    code: "IbanInvalid",
    properties: { iban: "IT00X0542811101000000123456", fault: "iban" },
  });
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(checkedAccount(text, null)).toMatchObject({ ok: false });
    }),
  );
});

test.each([
  ["BCITITMM", true],
  ["bcititmmxxx", true],
  ["COBADEFF123", true],
  ["COBADEF", false],
  ["COBADEFF1", false],
  ["1OBADEFF", true],
  ["COBA4EFF", false],
  ["COBADEF.", false],
  ["", false],
])("BIC %s: %s", (bic, sound) => {
  expect(isBic(bic)).toBe(sound);
});
