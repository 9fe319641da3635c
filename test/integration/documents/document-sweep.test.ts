/** Documents of wallets that were deleted for good: whatever store they lie in, nothing of them stays. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { databaseDocuments } from "../../../functions/kit/document-store.js";
import { sweepDocuments } from "../../../functions/schedule/document-sweep.js";
import {
  contractDocumentKey,
  declineContract,
  requestSignature,
} from "../../../shared/database/onboarding/contracts.js";
import { initialiseMandate } from "../../../shared/database/mandates/mandates.js";
import { destroyWallet } from "../../../shared/database/wallet/deletion.js";
import { closeWallet, suspendWallet } from "../../../shared/database/wallet/states.js";
import type { DocumentStore } from "../../../shared/documents/documents.js";
import { countOf } from "../../support/wallet/bank-fixtures.js";
import {
  acme,
  made,
  openValidatedWallet,
  openWalletTest,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

let wallets: WalletTest;
beforeAll(async () => {
  wallets = await openWalletTest();
});
afterAll(() => wallets.end());

const pdf = { contentType: "application/pdf", bytes: Buffer.from("%PDF") };

/** Signed twice, with a mandate of which two signatures were asked for. */
const deletedWallet = async () => {
  const { database } = wallets;
  const { walletId } = await openValidatedWallet(database);
  made(await requestSignature(database, acme, walletId));
  made(await declineContract(database, acme, walletId));
  made(await requestSignature(database, acme, walletId));
  const wanted = { amountCents: 1000n, frequency: "Monthly" } as const;
  const { mandateId } = made(await initialiseMandate(database, acme, walletId, wanted));
  await database.execute("update borsello.mandate set sign_attempt = 2 where mandate_id = $1", [
    mandateId,
  ]);
  made(await suspendWallet(database, acme, walletId));
  made(await closeWallet(database, acme, walletId, { requiresZeroBalance: false }));
  made(await destroyWallet(database, acme, walletId));
  return { walletId, mandateId };
};

const noted = (): Promise<number> =>
  countOf(wallets.database, "select count(*) from borsello.doomed_document");

test("each signature's documents are removed from the store, and then forgotten", async () => {
  const { database } = wallets;
  const { walletId, mandateId } = await deletedWallet();
  const removed: string[] = [];
  const documents: DocumentStore = {
    ...databaseDocuments(database),
    remove: async (documentKey) => void removed.push(documentKey),
  };
  await sweepDocuments({ database, documents });
  expect(removed, "too early: a signature may be under way").toEqual([]);
  await sweepDocuments({ database, documents }, 0);
  expect(removed.sort()).toEqual([
    contractDocumentKey(walletId, 1),
    `${contractDocumentKey(walletId, 1)}/filled`,
    contractDocumentKey(walletId, 2),
    `${contractDocumentKey(walletId, 2)}/filled`,
    `mandate/${mandateId}/1`,
    `mandate/${mandateId}/2`,
  ]);
  expect(await noted()).toBe(0);
});

test("a PDF that was stored late, after its wallet was deleted, is removed too", async () => {
  const { database } = wallets;
  const documents = databaseDocuments(database);
  const key = contractDocumentKey((await deletedWallet()).walletId, 2);
  await documents.putOnce(key, pdf);
  await sweepDocuments({ database, documents }, 0);
  expect(await documents.get(key)).toBeUndefined();
});

test("while the store is away the notes stay", async () => {
  const { database } = wallets;
  await deletedWallet();
  const before = await noted();
  const documents: DocumentStore = {
    ...databaseDocuments(database),
    remove: () => Promise.reject(new Error("away")),
  };
  await expect(sweepDocuments({ database, documents }, 0)).rejects.toThrow("away");
  expect(await noted()).toBe(before);
});

test("one that its store refuses holds up none of the others, and comes after them", async () => {
  const { database } = wallets;
  await database.execute("truncate borsello.doomed_document");
  await database.execute(
    `insert into borsello.doomed_document (document_key, doomed_at)
     select 'bad/' || number, now() - interval '2 hours' from generate_series(1, 100) as number
     union all select 'good/' || number, now() - interval '1 hour' from generate_series(1, 3) as number`,
  );
  const documents: DocumentStore = {
    ...databaseDocuments(database),
    remove: (key) => (key.startsWith("bad") ? Promise.reject(new Error(key)) : Promise.resolve()),
  };
  const goodOnes = () =>
    countOf(
      database,
      "select count(*) from borsello.doomed_document where document_key like 'good/%'",
    );
  const mixed = { database, documents };
  await expect(sweepDocuments(mixed)).rejects.toThrow("bad/");
  for (let runs = 1; runs < 12 && (await goodOnes()) > 0; runs += 1)
    await sweepDocuments(mixed).catch(() => undefined);
  expect(await goodOnes()).toBe(0);
  expect(await noted()).toBe(100);
});
