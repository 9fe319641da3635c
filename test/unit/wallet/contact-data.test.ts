/** E-mail addresses and phone numbers: what is taken, and in which form it is kept. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { emailPattern, normaliseEmail } from "../../../shared/domain/wallet/email.js";
import { checkedHolder } from "../../../shared/domain/wallet/holder.js";
import { e164 } from "../../../shared/domain/wallet/phone.js";

describe("e-mail", () => {
  test.each([
    ["maria.rossi@example.com", true],
    ["maria+shop@example.com", true],
    ["o'neill@sub.example.co.uk", true],
    ["m@xn--mnchen-3ya.de", true],
    ["maria..rossi@example.com", false],
    [".maria@example.com", false],
    ["maria.@example.com", false],
    ["maria+@example.com", false],
    ["maria@example..com", false],
    ["maria@-example.com", false],
    ["maria@example", false],
    ["maria@example.c", false],
    ["maria rossi@example.com", false],
    ["maria@example.com\n", false],
    ["@example.com", false],
    ["maria", false],
    [`${"m".repeat(65)}@example.com`, false],
  ])("%s: %s", (email, taken) => {
    expect(emailPattern.test(email)).toBe(taken);
  });

  test("no address with consecutive dots or a plus sign before the @ is taken", () => {
    fc.assert(
      fc.property(fc.emailAddress(), fc.constantFrom("..", "+@"), (email, mistake) => {
        const wrong = mistake === "+@" ? email.replace("@", "+@") : email.replace(/^(.)/, "$1..");
        expect(emailPattern.test(wrong)).toBe(false);
      }),
    );
  });

  test("long hostile input is judged without trying every way to read it", () => {
    expect(emailPattern.test(`${"a.".repeat(50_000)}@`)).toBe(false);
    expect(emailPattern.test(`a@${"a-".repeat(50_000)}`)).toBe(false);
  });

  test("the kept form is in lower case", () => {
    expect(normaliseEmail("Maria.Rossi@Example.COM")).toBe("maria.rossi@example.com");
  });
});

describe("phone", () => {
  test.each([
    ["333 123 4567", "+393331234567"],
    ["0039 333 1234567", "+393331234567"],
    ["+39 06 6982", "+39066982"],
    ["06 69821234", "+390669821234"],
    ["+41 44 668 18 00", "+41446681800"],
  ])("%s is kept as %s", (given, kept) => {
    expect(e164(given)).toBe(kept);
  });

  test.each(["", "12", "call me on 333 1234567", "+999 123456", "333123456789012345"])(
    "%s is no phone number",
    (given) => {
      expect(e164(given)).toBeUndefined();
    },
  );

  test("the kept form is a fixed point", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1_000_000, max: 9_999_999 }), (subscriber) => {
        const kept = e164(`333${subscriber}`);
        expect(kept).toBeDefined();
        expect(e164(kept ?? "")).toBe(kept);
      }),
    );
  });
});

test("an owner's first fault is the one that is told: tax id, then names, then phone", () => {
  const owner = {
    taxId: "RSSMRA85T10A562S",
    firstName: "Mario",
    lastName: "Rossi",
    phoneNumber: "3331234567",
    email: "Mario@Example.com",
  };
  expect(checkedHolder({ ...owner, taxId: "rssmra85t10a562s" })).toEqual({
    ok: true,
    value: { ...owner, phoneNumber: "+393331234567", email: "mario@example.com" },
  });
  const nothingRight = { ...owner, taxId: "X", firstName: "Y", phoneNumber: "1" };
  expect(checkedHolder(nothingRight)).toMatchObject({
    code: "TaxIdInvalid",
    properties: { taxId: "X", fault: "shape" },
  });
  expect(checkedHolder({ ...nothingRight, taxId: owner.taxId })).toMatchObject({
    code: "NamesDoNotMatchTaxId",
  });
  expect(checkedHolder({ ...owner, phoneNumber: "1" })).toMatchObject({
    code: "PhoneNumberInvalid",
    properties: { phoneNumber: "1" },
  });
});
