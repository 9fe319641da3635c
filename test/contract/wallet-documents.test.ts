/** Documents through HTTP: the template, the signed contract and mandate, the same bytes each time. */
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PDF } from "@libpdf/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  getContractFilledRoute,
  getContractSignedRoute,
  getContractTemplateRoute,
  signContractRoute,
} from "../../shared/contracts/onboarding/contract.js";
import {
  fillMandateRoute,
  getMandatePdfRoute,
  initialiseMandateRoute,
  signMandateRoute,
} from "../../shared/contracts/mandates/mandates.js";
import type { Database } from "../../shared/database/platform/database.js";
import { signedRange } from "../../shared/documents/seal.js";
import type { CallResult, Client } from "../../shared/http/client.js";
import { clientOf, openStackDatabase, valueOf } from "../support/platform/api.js";
import { ownForm } from "../support/documents/contract-forms.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";
import { openValidatedWallet } from "../support/wallet/wallet-fixtures.js";

let stack: TestStack;
let database: Database;
let acme: Client;
beforeAll(async () => {
  stack = await startTestStack();
  database = openStackDatabase(stack);
  acme = clientOf(stack, "acme");
});
afterAll(async () => {
  await database.close();
  await stack.stop();
});

const pdfOf = (result: CallResult<Uint8Array>): Buffer => Buffer.from(valueOf(result));

/** The signature's byte range reaches the file's last byte. */
const expectSealed = (pdf: Buffer): void => {
  expect(pdf.toString("latin1")).toContain("/ETSI.CAdES.detached");
  const [start, , restStart, restLength] = signedRange(pdf);
  expect([start, restStart + restLength]).toEqual([0, pdf.length]);
};

test("the contract is sealed once, and stays the same when the wallet changes or the platform restarts", async () => {
  const { walletId } = await openValidatedWallet(database);
  const params = { walletId };
  expect(valueOf(await acme.call(signContractRoute, { params }))).toMatchObject({
    walletId,
    status: "Signed",
    signedAt: expect.stringMatching(/Z$/) as string,
  });
  const signed = pdfOf(await acme.call(getContractSignedRoute, { params }));
  expectSealed(signed);
  const template = pdfOf(await acme.call(getContractTemplateRoute, {}));

  await database.execute("update borsello.wallet set city = 'Roma' where wallet_id = $1", [
    walletId,
  ]);
  valueOf(await acme.call(signContractRoute, { params }));
  await stack.restart();

  expect(pdfOf(await acme.call(getContractSignedRoute, { params })).equals(signed)).toBe(true);
  expect(pdfOf(await acme.call(getContractTemplateRoute, {})).equals(template)).toBe(true);
  const filled = pdfOf(await acme.call(getContractFilledRoute, { params }));
  expect(filled.subarray(0, 5).toString()).toBe("%PDF-");
  expect(filled.toString("latin1")).not.toContain("/ByteRange");
});

const textOf = async (pdf: Uint8Array): Promise<string> =>
  (await PDF.load(pdf))
    .extractText()
    .map(({ text }) => text)
    .join("\n");

test("each partner has its own contract from the start, filled with what a wallet has and has not", async () => {
  const { walletId, lastName } = await openValidatedWallet(database);
  const text = await textOf(
    pdfOf(await acme.call(getContractFilledRoute, { params: { walletId } })),
  );
  for (const shown of ["Tra Acme, che offre", lastName, "non indicato / not given"])
    expect(text).toContain(shown);
  const template = pdfOf(await clientOf(stack, "globex").call(getContractTemplateRoute, {}));
  expect(await textOf(template)).toContain("Tra Globex, che offre");
});

/** Runs the command as an operator does. */
const setTemplate = (partner: string, file: string) => {
  const given = ["contract-template", partner, file, "--database", stack.databaseUrl];
  const { status, stderr } = spawnSync("node", ["dist/tools/partner.js", ...given], {
    encoding: "utf8",
  });
  return [status, stderr.trim()];
};

test("a partner's own form takes the place of the one before; what was signed by it stays", async () => {
  const { walletId, firstName, lastName, taxId } = await openValidatedWallet(database);
  const params = { walletId };
  valueOf(await acme.call(signContractRoute, { params }));
  const signed = pdfOf(await acme.call(getContractSignedRoute, { params }));

  const folder = await mkdtemp(join(tmpdir(), "borsello-template-"));
  const [own, wrong] = [join(folder, "own.pdf"), join(folder, "wrong.pdf")];
  const identifying = [{ name: "firstName" }, { name: "lastName" }, { name: "taxId" }];
  await writeFile(own, await ownForm(identifying));
  await writeFile(wrong, await ownForm([...identifying, { name: "colour" }]));
  expect(setTemplate("acme", wrong)).toEqual([
    1,
    expect.stringMatching(/^The field colour is not known: the names are walletId, /),
  ]);
  expect(setTemplate("nobody", own)).toEqual([1, "There is no partner nobody."]);
  expect(setTemplate("acme", own)).toEqual([0, ""]);
  const form = await readFile(own);
  await rm(folder, { recursive: true });

  // The platform remembers a partner's settings for some seconds.
  await expect
    .poll(async () => pdfOf(await acme.call(getContractTemplateRoute, {})).equals(form))
    .toBe(true);
  const other = await openValidatedWallet(database);
  valueOf(await acme.call(signContractRoute, { params: { walletId: other.walletId } }));
  const sealed = pdfOf(
    await acme.call(getContractSignedRoute, { params: { walletId: other.walletId } }),
  );
  expectSealed(sealed);
  const text = await textOf(sealed);
  for (const shown of ["Termini di Esempio S.p.A., 2", other.lastName, other.taxId])
    expect(text).toContain(shown);
  expect(pdfOf(await acme.call(getContractSignedRoute, { params })).equals(signed)).toBe(true);
  const before = await textOf(signed);
  for (const shown of ["Tra Acme", firstName, lastName, taxId]) expect(before).toContain(shown);
});

test("a signed mandate is sealed before its activation is requested", async () => {
  const { walletId } = await openValidatedWallet(database);
  const params = { walletId };
  // The sandbox's bank leaves amounts ending in .98 without an answer, so the state stands still.
  const body = { amount: 50.98, frequency: null };
  expect(valueOf(await acme.call(initialiseMandateRoute, { params, body }))).toMatchObject({
    status: "Draft",
    frequency: "Monthly",
    amount: 50.98,
  });
  const filled = pdfOf(await acme.call(fillMandateRoute, { params }));
  expect(filled.toString("latin1")).not.toContain("/ByteRange");
  expect(valueOf(await acme.call(signMandateRoute, { params }))).toMatchObject({
    status: "ActivationRequested",
    activationRequestDate: expect.stringMatching(/Z$/) as string,
  });
  const signed = pdfOf(await acme.call(getMandatePdfRoute, { params }));
  expectSealed(signed);
  expect(pdfOf(await acme.call(getMandatePdfRoute, { params })).equals(signed)).toBe(true);
});
