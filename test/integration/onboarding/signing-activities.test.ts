/** The signing activities on real tables: repeated, they keep the first PDF; declined, they stop. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { contractSigningActivities } from "../../../orchestrations/contract-signing.activities.js";
import { openContractForms } from "../../../functions/kit/contract-forms.js";
import { databaseDocuments } from "../../../functions/kit/document-store.js";
import { createChanges } from "../../../shared/platform/changes.js";
import {
  contractDocumentKey,
  declineContract,
  findContract,
  requestSignature,
} from "../../../shared/database/onboarding/contracts.js";
import { findDocument, putDocumentOnce } from "../../../shared/database/documents/documents.js";
import {
  countOf,
  openBankTest,
  writeWaitingWallet,
  type BankTest,
} from "../../support/wallet/bank-fixtures.js";

let bank: BankTest;
let seals = 0;

beforeAll(async () => {
  bank = await openBankTest();
  await bank.database.execute(
    `update borsello.partner set settings = '{"contract": {"template": "contract-template/sandbox/acme"}}'`,
  );
});
afterAll(async () => {
  await bank.end();
});

const actor = { partnerKey: "acme", clientId: "acme-client" };

/** A seal that differs each time, as the genuine one does. */
const seal = async (pdf: Uint8Array): Promise<Uint8Array> => {
  seals += 1;
  return Buffer.concat([pdf, Buffer.from(`seal ${seals}`)]);
};

const perform = async (name: string, input: object): Promise<unknown> => {
  const { database } = bank;
  const documents = {
    putOnce: (key: string, document: Parameters<typeof putDocumentOnce>[2]) =>
      putDocumentOnce(database, key, document),
    get: (key: string) => findDocument(database, key),
  };
  const activities = contractSigningActivities({
    database,
    documents,
    contractForms: openContractForms(databaseDocuments(database), false),
    seal,
    changes: createChanges(),
  });
  const found = activities.find((activity) => activity.name === name);
  return found?.perform(input);
};

const signing = async () => {
  const { walletId } = await writeWaitingWallet(bank.database);
  await requestSignature(bank.database, actor, walletId);
  return { walletId, attempt: 1 };
};

test("each stage may run twice: the first sealed PDF stays, the bus is told once", async () => {
  const signature = await signing();
  const key = contractDocumentKey(signature.walletId, 1);
  for (const stage of ["fillContractPdf", "sealContractPdf"])
    expect(await perform(stage, signature)).toEqual({ result: "done" });
  const first = await findDocument(bank.database, key);
  for (const stage of [
    "fillContractPdf",
    "sealContractPdf",
    "concludeContract",
    "concludeContract",
  ])
    expect(await perform(stage, signature)).toEqual({ result: "done" });
  expect(await findDocument(bank.database, key)).toEqual(first);
  expect(await findContract(bank.database, signature.walletId)).toMatchObject({
    status: "Signed",
    documentKey: key,
  });
  const told = await countOf(
    bank.database,
    "select count(*) from borsello.outbox where session_id = $1 and subject = 'ContractSigned'",
    [signature.walletId],
  );
  expect(told).toBe(1);
});

test.each(["fillContractPdf", "sealContractPdf", "concludeContract"])(
  "%s finds that the contract was declined, and leaves it so",
  async (stage) => {
    const signature = await signing();
    if (stage !== "fillContractPdf") await perform("fillContractPdf", signature);
    if (stage === "concludeContract") await perform("sealContractPdf", signature);
    await declineContract(bank.database, actor, signature.walletId);
    expect(await perform(stage, signature)).toEqual({ result: "over" });
    expect(await findContract(bank.database, signature.walletId)).toMatchObject({
      status: "Declined",
      documentKey: null,
    });
  },
);

test("a later signature ends an earlier one's stages", async () => {
  const signature = await signing();
  await declineContract(bank.database, actor, signature.walletId);
  await requestSignature(bank.database, actor, signature.walletId);
  expect(await perform("fillContractPdf", signature)).toEqual({ result: "over" });
  expect(await perform("fillContractPdf", { ...signature, attempt: 2 })).toEqual({
    result: "done",
  });
});
