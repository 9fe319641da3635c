/** What a transfer's texts name, however they are written. */
import { expect, test } from "vitest";
import { marksOf } from "../../../shared/domain/bank/transfer-marks.js";

const code = "RCABCDEFGH23";

test.each([
  `Reconciliation ${code}`,
  "rc abcd-efgh/23",
  `Commerce ${code}`,
  `RC${code}RC`,
  `one ${code}, once more ${code.toLowerCase()}`,
])("the reason '%s' names the reconciliation code", (reason) => {
  expect(marksOf({ reason, transactionReference: "T" }).reconciliationCodes).toContain(code);
});

test.each(["Reconciliation", "RCABCDEFGH2", "RC0BCDEFGH23"])("'%s' names none", (reason) => {
  expect(marksOf({ reason, transactionReference: "T" }).reconciliationCodes).toEqual([]);
});
