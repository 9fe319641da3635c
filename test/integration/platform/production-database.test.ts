/** What production leaves out: the deletion of wallets, though the database may have served for tests. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { stateEndpoints } from "../../../functions/wallet/states.js";
import type { Services } from "../../../functions/kit/services.js";
import { partnerSettings } from "../../../shared/contracts/platform/partner-settings.js";
import { destroyWalletRoute } from "../../../shared/contracts/wallet/states.js";
import {
  allowForceDelete,
  forbidForceDelete,
} from "../../../shared/database/sandbox/force-delete.js";
import { closeWallet, suspendWallet } from "../../../shared/database/wallet/states.js";
import { hashSecret } from "../../../shared/platform/secrets.js";
import { countOf, silentLogger } from "../../support/wallet/bank-fixtures.js";
import { creditWallet } from "../../support/wallet/funds.js";
import { callEndpoint, noRateLimits } from "../../support/platform/in-process.js";
import {
  acme,
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

const closedWallet = async (): Promise<string> => {
  const { walletId } = await openWallet(wallets.database);
  await creditWallet(wallets.database, walletId, 100n);
  made(await suspendWallet(wallets.database, acme, walletId));
  made(await closeWallet(wallets.database, acme, walletId, { requiresZeroBalance: false }));
  return walletId;
};

const salt = Buffer.from("salt");

test("the route refuses in production, before it looks for the wallet", async () => {
  const endpoint = stateEndpoints.find(({ route }) => route.id === destroyWalletRoute.id);
  if (endpoint === undefined) throw new Error("the route is not bound");
  const partner = {
    ...{ partnerKey: "acme", clientId: "acme-client", isOperator: false, roles: [] },
    ...{ authKeySalt: salt, authKeyHash: hashSecret("key", salt) },
    settings: partnerSettings.parse({}),
  };
  // Only what this call touches: it must not come to the database.
  const services = {
    config: { environment: "production" },
    logger: silentLogger,
    tokens: { verify: async () => ({ clientId: "acme-client", roles: ["Wallet.Write"] }) },
    partners: { byClient: async () => partner, byKey: async () => partner },
    rateLimits: noRateLimits,
  } as unknown as Services;
  const answer = await callEndpoint(services, endpoint, {
    method: "DELETE",
    path: "/wallet/wallets/01890a5d-ac96-774b-bcce-b302099a8057/force",
    headers: { authorization: "Bearer token", authkey: "key", partner: "acme" },
  });
  expect(answer.status).toBe(400);
  expect(JSON.parse(z.string().parse(answer.body))).toMatchObject({
    errorCode: "OperationNotAllowedInEnvironment",
    errorProperties: { environment: "production" },
  });
});

test("a production start takes the function away, and nobody can say that a wallet is being deleted", async () => {
  const walletId = await closedWallet();
  await forbidForceDelete(wallets.database);
  const functions = "select count(*) from pg_proc where proname = 'force_delete_wallet'";
  expect(await countOf(wallets.database, functions)).toBe(0);
  const byHand = wallets.database.transaction(async (tx) => {
    await tx.execute("select set_config('borsello.deleted_wallet', $1, true)", [walletId]);
    await tx.execute(
      `delete from borsello.entry using borsello.ledger_transaction as posted
       where posted.transaction_id = entry.transaction_id`,
    );
  });
  await expect(byHand).rejects.toMatchObject({ constraint: "ledger_append_only" });
  // Twice, since every start does it; and back, for the other tests of this file.
  await forbidForceDelete(wallets.database);
  await allowForceDelete(wallets.database);
  expect(await countOf(wallets.database, functions)).toBe(1);
});
