/** While commands of every kind run at once, each proof finds a right book: it reads one moment. */
import { randomBytes, randomInt } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { partnerSettings } from "../../../shared/contracts/platform/partner-settings.js";
import { proveBooks } from "../../../shared/database/accounting/proof.js";
import { proveBook } from "../../../shared/database/accounting/prove.js";
import { sealAudit } from "../../../shared/database/accounting/seal.js";
import { limitBounds } from "../../../shared/database/ledger/limit-bounds.js";
import {
  operationCommands,
  type OperationCommand,
} from "../../../shared/database/operations/commands.js";
import { openStore } from "../../support/stores/store-fixtures.js";
import {
  openWallet,
  openWalletTest,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

let wallets: WalletTest;
beforeAll(async () => {
  wallets = await openWalletTest();
});
afterAll(() => wallets.end());

const asAcme = {
  partner_key: "acme",
  actor: "acme-client",
  limits: limitBounds(partnerSettings.parse({})),
};

const Initialised = z.object({ operationId: z.string() });

/** A family with a fee, as its endpoint would ask for it. */
const initialisation = (walletId: string, storeId: string, type: string): OperationCommand => ({
  ...asAcme,
  kind: "initialise",
  wallet_id: walletId,
  store_id: storeId,
  type,
  amount_cents: String(randomInt(200, 2_000)),
  fees_amount_cents: "25",
  fees: [{ amount: 0.25, beneficiary: "partner", debtor: walletId }],
  funds_type: "Standard",
  is_withdrawable: true,
  idempotency_key: randomBytes(16).toString("hex"),
  request_hash: randomBytes(32).toString("hex"),
  expires_after: "30 minutes",
});

test("every proof between commands is right", async () => {
  const { database, url } = wallets;
  const operations = operationCommands(database);
  const { storeId } = await openStore(database);
  const owned = await Promise.all(Array.from({ length: 4 }, () => openWallet(database)));
  const types = ["CashDeposit", "CashDeposit", "CashDeposit", "Payment", "CashWithdrawal"];
  const ends = ["confirm", "confirm", "confirm", "cancel", "terminate"] as const;
  let done = 0;
  const work = async (): Promise<void> => {
    for (let turn = 0; turn < 40; turn += 1) {
      const { walletId } = owned[randomInt(owned.length)] ?? { walletId: "" };
      const type = types[randomInt(types.length)] ?? "";
      const initialised = await operations.run(initialisation(walletId, storeId, type));
      // What a wallet has not, it cannot pay; what passes a limit is refused.
      if (!initialised.ok) continue;
      const { operationId: operation_id } = Initialised.parse(JSON.parse(initialised.value));
      const change = { ...asAcme, wallet_id: walletId, type, operation_id };
      const kind = ends[randomInt(ends.length)] ?? "confirm";
      const ended = await operations.run({ ...change, kind });
      if (ended.ok && kind === "confirm" && randomInt(4) === 0)
        await operations.run({ ...change, kind: "terminate" });
      done += 1;
    }
  };
  const working = new AbortController();
  const proving = (async () => {
    let proofs = 0;
    while (!working.signal.aborted) {
      await sealAudit(database, { patienceMs: 50, linksMax: 100 });
      expect((await proveBook({ kind: "url", url })).findings).toEqual([]);
      const proof = await proveBooks(database, { partnerKey: "acme", at: null });
      expect(proof).toMatchObject({ balanced: true, mismatches: [] });
      proofs += 1;
    }
    return proofs;
  })();
  await Promise.all(Array.from({ length: 6 }, work)).finally(() => {
    working.abort();
  });
  expect(await proving).toBeGreaterThan(2);
  expect(done).toBeGreaterThan(100);
  expect((await proveBook({ kind: "url", url })).findings).toEqual([]);
});
