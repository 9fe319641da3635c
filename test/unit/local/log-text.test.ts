/** What an error's words may bring into a log, and what they may not. */
import { describe, expect, test } from "vitest";
import { errorLine, logText } from "../../../local/log-text.js";

describe("a log line holds no", () => {
  test.each([
    ["bearer token", "Bearer abc.def~x/y=", "Bearer …"],
    ["signed token", "token eyJhbGciOi.eyJzdWIi.c2ln", "token …"],
    [
      "named secret",
      'password=hush; "pin":"1234", api_key: k-1',
      'password=…; "pin":"…", api_key: …',
    ],
    ["key of a broker", "SharedAccessKey=abc=;EntityPath=x", "SharedAccessKey=…;EntityPath=x"],
    ["password in an address", "postgres://me:hush@host/db", "postgres://me:…@host/db"],
    ["key in an address", "https://host/x?code=k1&a=2", "https://host/x?code=…&a=2"],
    ["card number", "card 4111-1111-1111-1111 refused", "card …1111 refused"],
    ["IBAN", "IT60X0542811101000000123456 is closed", "IT60…3456 is closed"],
  ])("%s", (_what, text, kept) => {
    expect(logText(text)).toBe(kept);
  });
});

test("numbers that are no cards, ids and error codes stay", () => {
  const text = "code: ECONNREFUSED, at 1763821200000, id 01890a5d-ac96-774b-bcce-b302099a8057";
  expect(logText(text)).toBe(text);
});

test("it has an end, and a text for whatever was thrown", () => {
  expect(logText("a".repeat(5_000)).length).toBeLessThan(1_100);
  expect(errorLine(new RangeError("too far"))).toBe("RangeError: too far");
  expect(errorLine(new TypeError(""))).toBe("TypeError");
  expect(errorLine("bare")).toBe("bare");
  const hostile = new Error("x");
  Object.defineProperty(hostile, "message", {
    get: () => {
      throw new Error("no message");
    },
  });
  for (const thrown of [undefined, null, 1n, Symbol("s"), Object.create(null), hostile])
    expect(errorLine(thrown)).not.toBe("");
});
