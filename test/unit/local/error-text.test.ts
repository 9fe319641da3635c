/** Whatever an app throws can be logged. */
import { expect, test } from "vitest";
import { errorText } from "../../../local/failures.js";

const bare: unknown = Object.create(null);
const refusing = {
  toString: () => {
    throw new Error("no text");
  },
};

test("everything that can be thrown has a text", () => {
  for (const thrown of [undefined, null, 0, 1n, Symbol("s"), bare, refusing])
    expect(errorText(thrown)).not.toBe("");
  expect(errorText("in words")).toBe("in words");
  expect(errorText(new Error("broken"))).toContain("error-text.test");
});
