/** Statements through HTTP: the Accept header chooses, the period is refused in words, CSV and PDF say the same. */
import { PDF } from "@libpdf/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { getStatementRoute } from "../../shared/contracts/accounting/statement.js";
import type { Database } from "../../shared/database/platform/database.js";
import { centsOfText, readCsv } from "../support/accounting/read-csv.js";
import {
  deposit,
  openBookWallet,
  payment,
  writeDeposits,
  writeOperation,
} from "../support/accounting/books.js";
import { addressOf, clientOf, headersOf, openStackDatabase } from "../support/platform/api.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";

let stack: TestStack;
let database: Database;
let token: string;
let walletId: string;

beforeAll(async () => {
  stack = await startTestStack();
  database = openStackDatabase(stack);
  token = await clientOf(stack, "acme").token();
  const wallet = await openBookWallet(database);
  ({ walletId } = wallet);
  await writeOperation(database, wallet, deposit(123_456n, 100n));
  await writeOperation(database, wallet, payment(3_000n, 50n));
});
afterAll(async () => {
  await database.close();
  await stack.stop();
});

const ask = (accept: string | undefined, query = "") =>
  fetch(new URL(`${addressOf(getStatementRoute, { walletId })}?${query}`, stack.url), {
    headers: {
      ...headersOf(getStatementRoute, token),
      ...(accept === undefined ? {} : { accept }),
    },
  });

test.each([
  [undefined, "text/csv"],
  ["*/*", "text/csv"],
  ["text/csv", "text/csv"],
  ["application/pdf", "application/pdf"],
  ["Application/PDF; q=0.9, text/csv;q=0.5", "application/pdf"],
  ["application/pdf;q=0.5, text/*", "text/csv"],
  ["application/*", "application/pdf"],
  ["application/pdf;q=0, */*", "text/csv"],
  ["text/html,application/xhtml+xml,*/*;q=0.8", "text/csv"],
  ["image/png", "text/csv"],
  [",;=", "text/csv"],
])("Accept %s gets %s", async (accept, mediaType) => {
  const answer = await ask(accept);
  expect([answer.status, answer.headers.get("content-type")?.split(";")[0]]).toEqual([
    200,
    mediaType,
  ]);
  expect(answer.headers.get("vary")).toBe("Accept");
  expect(answer.headers.get("content-disposition")).toMatch(
    mediaType === "text/csv" ? /\.csv"$/ : /\.pdf"$/,
  );
  await answer.arrayBuffer();
});

test("CSV and PDF tell the same movements, and the balance that the wallet has", async () => {
  const lines = readCsv(await (await ask("text/csv")).text());
  const balances = lines.slice(1).map((line) => centsOfText(line.at(-1) ?? ""));
  expect(balances).toEqual([0n, 123_356n, 120_356n, 120_306n, 120_306n]);
  const pdf = new Uint8Array(await (await ask("application/pdf")).arrayBuffer());
  const [page] = (await PDF.load(pdf)).extractText();
  for (const text of ["1233.56", "1203.56", "1203.06", "Page 1 of 1"])
    expect(page?.text).toContain(text);
});

test.each([
  ["fromDate=yesterday", "fromDate"],
  ["fromDate=2999-01-01T00:00:00Z", "fromDate"],
  ["fromDate=2020-01-01T00:00:00Z", "toDate"],
  ["fromDate=2026-02-02T00:00:00Z&toDate=2026-02-01T00:00:00Z", "toDate"],
])("the period %s is refused", async (query, named) => {
  const answer = await ask(undefined, query);
  expect([answer.status, await answer.json()]).toMatchObject([
    400,
    { errorCode: "DateRangeInvalid", errorProperties: { [named]: expect.any(String) as unknown } },
  ]);
});

test("a PDF of more movements than it may have is refused, CSV of them is not", async () => {
  const long = await openBookWallet(database);
  await writeDeposits(database, long, 10_001);
  walletId = long.walletId;
  const refused = await ask("application/pdf");
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    {
      errorCode: "DateRangeInvalid",
      errorProperties: { toDate: expect.stringContaining("10001 movements") as unknown },
    },
  ]);
  const lines = readCsv(await (await ask("text/csv")).text());
  expect(lines).toHaveLength(1 + 10_001 + 2);
  expect(lines.at(-1)?.at(-1)).toBe("700.07");
});
