/** What counts as the same in a guide and on the terminal, and what does not. */
import { expect, test } from "vitest";
import { stepsOf } from "../../../bench/guides/blocks.js";
import { differences } from "../../../bench/guides/differences.js";
import { shownValues } from "../../../bench/guides/shown-values.js";

const compare = (shown: string, printed: string): string[] =>
  differences("", shownValues(shown), shownValues(printed));

const id = "01980d3c-93a5-7cc4-8a63-5f2a8f0e1b77";
const otherId = "01a20603-6d44-7f84-8f34-aba3a7a69d42";

test.each([
  ['{ "a": 1, "b": [true, null] }', '{"b":[true,null],"a":1}'],
  [`{ "walletId": "${id}" }`, `{ "walletId": "${otherId}" }`],
  [`"wallet ${id} is closed"`, `"wallet ${otherId} is closed"`],
  ['"2026-03-02T09:15:00.000Z"', '"2027-11-23T01:26:57.603Z"'],
  ['{ "ibanValidationCode": "K7PM2XQ4" }', '{ "ibanValidationCode": "MXMBR23X" }'],
  ['{ "sequence": 12 }', '{ "sequence": 9 }'],
  ['{ "accountId": "4" }', '{ "accountId": "12" }'],
  ['{ "a": 1, … }', '{ "a": 1, "b": 2 }'],
  ['{ "a": …, "b": 2 }', '{ "a": { "c": [] }, "b": 2 }'],
  ["[1, …]", "[1, 2, 3]"],
  ["[1, …, 3]", "[1, 3]"],
  ['{ "n": 1 }\n…\n{ "n": 4 }', '{ "n": 1 }\n{ "n": 2 }\n{ "n": 4 }'],
  ['"eyJhbGciOi…"', '"eyJhbGciOiJSUzI1NiJ9.e30.x"'],
])("%s is what %s shows", (shown, printed) => {
  expect(compare(shown, printed)).toEqual([]);
});

test.each([
  ['{ "errorCode": "WalletNotActive" }', '{ "errorCode": "WalletNotFound" }'],
  ['{ "a": 1 }', '{ "a": 1, "b": 2 }'],
  ['{ "a": 1, … }', '{ "b": 2 }'],
  ['{ "amount": 12.5 }', '{ "amount": 12.6 }'],
  ['{ "amount": 12.5 }', '{ "amount": "12.5" }'],
  [`{ "walletId": "${id}" }`, '{ "walletId": null }'],
  ['{ "ibanValidationCode": "K7PM2XQ4" }', '{ "ibanValidationCode": "K7PM2XQ" }'],
  ['"2026-03-02T09:15:00.000Z"', '"soon"'],
  ["[1, 2]", "[1, 2, 3]"],
  ["[1, …, 3]", "[1, 2]"],
  ["[1, …, 3]", "[1, 3, 4]"],
  ['{ "a": … }', "{}"],
  ['{ "n": 1 }', ""],
])("%s is not what %s shows", (shown, printed) => {
  expect(compare(shown, printed)).not.toEqual([]);
});

test("steps are what is run and written, each with what it prints, and nothing that is only shown", () => {
  const guide = [
    "# Title",
    "```json\n{}\n```",
    "## Section",
    "```sh platform\nnpm start\n```",
    "```text\nrunning\n```",
    '```js title="a.mjs"\nlet a;\n```',
    "```js\nlet b;\n```",
    "```sh\nnode a.mjs\n```",
    "It prints:",
    "```json\n1\n```",
    "```json\n2\n```",
  ].join("\n\n");
  expect(stepsOf(guide)).toEqual([
    { section: "Section", block: { kind: "run", code: "npm start", isPlatform: true } },
    { section: "Section", block: { kind: "file", name: "a.mjs", code: "let a;\n" } },
    {
      section: "Section",
      block: { kind: "run", code: "node a.mjs", isPlatform: false, prints: "1" },
    },
  ]);
});
