/** Creditor identifiers: the check digits of the scheme, which leave the business code out. */
import { expect, test } from "vitest";
import { isCreditorIdentifier } from "../../../shared/domain/bank/creditor-identifier.js";

test.each([
  // The example of the German central bank.
  ["DE98ZZZ09999999999", true],
  ["DE98ABC09999999999", true],
  ["IT91ZZZACME000000000001", true],
  ["DE97ZZZ09999999999", false],
  ["DE98ZZZ09999999998", false],
  ["de98ZZZ09999999999", false],
  ["DE98ZZZ", false],
  [`DE98ZZZ${"0".repeat(29)}`, false],
  ["", false],
])("%s: %s", (identifier, isSound) => {
  expect(isCreditorIdentifier(identifier)).toBe(isSound);
});
