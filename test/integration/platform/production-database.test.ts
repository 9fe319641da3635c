/** What production leaves out: the deletion of wallets and forced events, though the database may have served for tests. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { endpointsOf } from "../../../functions/endpoints.js";
import type { Services } from "../../../functions/kit/services.js";
import { forcePushes } from "../../../shared/contracts/events/force-push.js";
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
import { addressOf } from "../../support/platform/api.js";
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

const forTests = endpointsOf("production").filter(
  ({ route }) => route.refusedInProduction === true,
);

test("what is for tests only is force-delete, force-push and simulations, and is served in production to be refused", () => {
  const known = [destroyWalletRoute, ...forcePushes.map(({ route }) => route)].map(({ id }) => id);
  expect(forTests.map(({ route }) => route.id).sort()).toEqual(
    [...known, "simulateO2iRequest", "simulateO2iReversal"].sort(),
  );
});

test.each(forTests.map((endpoint) => [endpoint.route.id, endpoint] as const))(
  "%s is refused in production: after the key, before the role, the body and the database are looked at",
  async (_id, endpoint) => {
    const { route } = endpoint;
    const partner = {
      ...{ partnerKey: "acme", clientId: "acme-client", isOperator: false, roles: [] },
      ...{ authKeySalt: salt, authKeyHash: hashSecret("key", salt) },
      settings: partnerSettings.parse({}),
      formerAuthKeys: [],
    };
    // Only what this call touches: it must not come to the database.
    const services = {
      config: { environment: "production" },
      logger: silentLogger,
      tokens: { verify: async () => ({ clientId: "acme-client", roles: [] }) },
      partners: {
        byClient: async () => partner,
        byClientAnew: async () => partner,
        byKey: async () => partner,
      },
      rateLimits: noRateLimits,
    } as unknown as Services;
    const call = (authkey: string) =>
      callEndpoint(services, endpoint, {
        method: route.method,
        path: addressOf(route),
        headers: { authorization: "Bearer token", authkey, partner: "acme" },
        ...(route.method === "POST" ? { body: "{no json" } : {}),
      });
    const answer = await call("key");
    expect(answer.status).toBe(400);
    expect(JSON.parse(z.string().parse(answer.body))).toMatchObject({
      errorCode: "OperationNotAllowedInEnvironment",
      errorProperties: { environment: "production" },
    });
    expect((await call("another")).status).toBe(401);
  },
);

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
