/** What tests of the wallet's commands start from: the sandbox's partners, customers, their wallets. */
import { z } from "zod";
import { customer, type Customer } from "../../../bench/platform/customers.js";
import type { Wallet } from "../../../shared/contracts/wallet/wallets.js";
import { openDatabase, type Database } from "../../../shared/database/platform/database.js";
import { prepareSandbox } from "../../../shared/database/sandbox/preparation.js";
import { setIban } from "../../../shared/database/onboarding/ibans.js";
import { createWallet } from "../../../shared/database/wallet/wallets.js";
import type { Actor } from "../../../shared/database/access/wallet-access.js";
import type { Outcome } from "../../../shared/domain/outcome.js";
import { silentLogger } from "./bank-fixtures.js";
import { createDatabase } from "../database/database.js";

export const acme: Actor = { partnerKey: "acme", clientId: "acme-client" };
export const globex: Actor = { partnerKey: "globex", clientId: "globex-client" };

export interface WalletTest {
  readonly database: Database;
  readonly url: string;
  end(): Promise<void>;
}

export const openWalletTest = async (): Promise<WalletTest> => {
  const created = await createDatabase({ migrated: true });
  const database = openDatabase({
    connection: { kind: "url", url: created.url },
    logger: silentLogger,
    prepare: prepareSandbox,
  });
  await database.ready();
  return {
    database,
    url: created.url,
    end: async () => {
      await database.close();
      await created.drop();
    },
  };
};

let customers = 0;

/** Somebody whom no test of this file has met. */
export const someone = (): Customer => customer((customers += 1));

/** The value, where a refusal would be the test's own mistake. */
export const made = <Value>(outcome: Outcome<Value, string>): Value => {
  if (!outcome.ok) throw new Error(`refused: ${JSON.stringify(outcome)}`);
  return outcome.value;
};

export const openWallet = async (
  database: Database,
  owner: Customer = someone(),
): Promise<Wallet> => made(await createWallet(database, acme, owner.owner));

export const ibanOf = (iban: string) => ({
  iban,
  bic: null,
  transferAmountCents: 100n,
  validDays: 30,
});

/** A wallet with an IBAN that the bank has seen. */
export const openValidatedWallet = async (
  database: Database,
  owner: Customer = someone(),
): Promise<Wallet> => {
  const wallet = await openWallet(database, owner);
  const { wallet: withIban } = made(
    await setIban(database, acme, wallet.walletId, ibanOf(owner.iban)),
  );
  await database.execute(
    "update borsello.wallet set is_iban_validated = true where wallet_id = $1",
    [wallet.walletId],
  );
  await database.execute(
    "update borsello.iban_validation set status = 'Validated' where wallet_id = $1",
    [wallet.walletId],
  );
  return { ...withIban, isIbanValidated: true };
};

const AuditRow = z.object({
  actor: z.string(),
  entity: z.string(),
  action: z.string(),
  toStatus: z.string().nullable(),
});

/** The audit rows of an entity, oldest first. */
export const auditOf = (database: Database, entityId: string) =>
  database.rows(
    AuditRow,
    `select actor, entity, action, to_status as "toStatus" from borsello.audit
     where entity_id = $1 order by audit_id`,
    [entityId],
  );
