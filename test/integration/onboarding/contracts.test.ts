/** A contract's way on a real database: asked for, signed or declined, each once; documents for ever. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { contractEndpoints } from "../../../functions/onboarding/contract.js";
import type { Services } from "../../../functions/kit/services.js";
import { partnerSettings } from "../../../shared/contracts/platform/partner-settings.js";
import { signContractRoute } from "../../../shared/contracts/onboarding/contract.js";
import {
  contractDocumentKey,
  declineContract,
  findContract,
  requestSignature,
  storeSignedContract,
} from "../../../shared/database/onboarding/contracts.js";
import { findDocument, putDocumentOnce } from "../../../shared/database/documents/documents.js";
import { destroyWallet } from "../../../shared/database/wallet/deletion.js";
import { closeWallet, suspendWallet } from "../../../shared/database/wallet/states.js";
import { createChanges } from "../../../shared/platform/changes.js";
import { systemClock } from "../../../shared/platform/clock.js";
import { hashSecret } from "../../../shared/platform/secrets.js";
import { outboxOf, silentLogger } from "../../support/wallet/bank-fixtures.js";
import { callEndpoint, noRateLimits } from "../../support/platform/in-process.js";
import {
  acme,
  auditOf,
  globex,
  made,
  openWallet,
  openWalletTest,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

let wallets: WalletTest;
beforeAll(async () => {
  wallets = await openWalletTest();
});
afterAll(() => wallets.end());

const told = async (walletId: string) =>
  (await outboxOf(wallets.database, walletId))
    .filter(({ subject }) => subject.startsWith("Contract"))
    .map(({ subject, body }) => [subject, body["attempt"] ?? body["status"]]);

const sign = (walletId: string) => requestSignature(wallets.database, acme, walletId);
const decline = (walletId: string) => declineContract(wallets.database, acme, walletId);
const store = (walletId: string, attempt: number) =>
  storeSignedContract(wallets.database, walletId, attempt, contractDocumentKey(walletId, attempt));

test("ten requests at once ask for one signature", async () => {
  const { walletId } = await openWallet(wallets.database);
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => sign(walletId)));
  expect(outcomes.map((outcome) => made(outcome).status)).toEqual(Array(10).fill("Signing"));
  expect(await told(walletId)).toEqual([["ContractSignRequested", 1]]);
});

test("storing the signed document twice signs once, with one message and one audit row", async () => {
  const { walletId } = await openWallet(wallets.database);
  made(await sign(walletId));
  expect([await store(walletId, 1), await store(walletId, 1)]).toEqual([true, true]);

  const contract = await findContract(wallets.database, walletId);
  expect(contract).toMatchObject({ status: "Signed", documentKey: `contract/${walletId}/1` });
  expect(contract?.signedAt).toBeInstanceOf(Date);
  expect(await told(walletId)).toEqual([
    ["ContractSignRequested", 1],
    ["ContractSigned", "Signed"],
  ]);
  const audit = await auditOf(wallets.database, walletId);
  expect(audit.filter(({ entity }) => entity === "Contract")).toEqual([
    { actor: "acme-client", entity: "Contract", action: "requestSignature", toStatus: "Signing" },
    { actor: "platform", entity: "Contract", action: "sign", toStatus: "Signed" },
  ]);
  expect(made(await sign(walletId))).toMatchObject({ status: "Signed", attempt: 1 });
});

test("a declined contract keeps its signature out, and a new request is another attempt", async () => {
  const { walletId } = await openWallet(wallets.database);
  made(await sign(walletId));
  expect(made(await decline(walletId))).toMatchObject({ status: "Declined" });
  expect(await store(walletId, 1)).toBe(false);

  expect(made(await sign(walletId))).toMatchObject({ status: "Signing", attempt: 2 });
  expect(await store(walletId, 1)).toBe(false);
  expect(await store(walletId, 2)).toBe(true);
  expect(made(await decline(walletId))).toMatchObject({ status: "Signed" });
  expect(await told(walletId)).toEqual([
    ["ContractSignRequested", 1],
    ["ContractDeclined", 1],
    ["ContractSignRequested", 2],
    ["ContractSigned", "Signed"],
  ]);
});

test("a contract may be declined before anybody asked to sign it", async () => {
  const { walletId } = await openWallet(wallets.database);
  made(await decline(walletId));
  made(await decline(walletId));
  expect(await told(walletId)).toEqual([["ContractDeclined", 1]]);
});

test("another partner cannot ask for a signature", async () => {
  const { walletId } = await openWallet(wallets.database);
  expect(await requestSignature(wallets.database, globex, walletId)).toMatchObject({
    code: "WalletOfAnotherPartner",
  });
  expect(await findContract(wallets.database, walletId)).toBeUndefined();
});

test("of two documents under one key the first is kept, and nobody can change it", async () => {
  const put = (text: string) =>
    putDocumentOnce(wallets.database, "contract/test/1", {
      contentType: "application/pdf",
      bytes: Buffer.from(text),
    });
  expect([await put("first"), await put("second")]).toEqual([true, false]);
  const document = await findDocument(wallets.database, "contract/test/1");
  expect(Buffer.from(document?.bytes ?? []).toString()).toBe("first");
  await expect(
    wallets.database.execute("update borsello.document set bytes = 'other'"),
  ).rejects.toThrow("written once");
});

const close = async (walletId: string) => {
  made(await suspendWallet(wallets.database, acme, walletId));
  made(await closeWallet(wallets.database, acme, walletId, { requiresZeroBalance: false }));
};

/** In one step, so that no look at the contract falls between closing and deleting. */
const destroy = async (walletId: string) => {
  await wallets.database.execute(
    "update borsello.wallet set status = 'Closed' where wallet_id = $1",
    [walletId],
  );
  made(await destroyWallet(wallets.database, acme, walletId));
};

test.each([
  ["closed", close, 400, "WalletNotActive"],
  ["deleted", destroy, 404, "WalletNotFound"],
] as const)(
  "a call that waits for the signature learns that its wallet was %s meanwhile",
  async (_, end, status, code) => {
    const { database } = wallets;
    const { walletId } = await openWallet(database);
    const endpoint = contractEndpoints.find(({ route }) => route.id === signContractRoute.id);
    if (endpoint === undefined) throw new Error("the route is not bound");
    const salt = Buffer.from("salt");
    const partner = {
      ...{ partnerKey: "acme", clientId: "acme-client", isOperator: false, roles: [] },
      ...{ authKeySalt: salt, authKeyHash: hashSecret("key", salt) },
      settings: partnerSettings.parse({
        activationFlowEnabled: true,
        contract: { template: "made" },
      }),
    };
    // Only what this call touches; nobody signs here, so that it waits.
    const services = {
      database,
      clock: systemClock,
      changes: createChanges(),
      contractForms: { has: async () => true },
      logger: silentLogger,
      tokens: { verify: async () => ({ clientId: "acme-client", roles: ["Wallet.Write"] }) },
      partners: { byClient: async () => partner, byKey: async () => partner },
      rateLimits: noRateLimits,
    } as unknown as Services;
    const answered = callEndpoint(services, endpoint, {
      method: "POST",
      path: `/wallet/wallets/${walletId}/contract/sign`,
      headers: { authorization: "Bearer token", authkey: "key", partner: "acme" },
    });
    await expect.poll(() => findContract(database, walletId)).toBeDefined();
    await end(walletId);
    expect(await answered).toMatchObject({
      status,
      body: expect.stringContaining(code) as unknown,
    });
  },
);
