/** What tests of stores start from: bodies nobody used before, stores, what happened at them. */
import type { NewStore, Store } from "../../../shared/contracts/stores/stores.js";
import type { Database } from "../../../shared/database/platform/database.js";
import { createStore } from "../../../shared/database/stores/stores.js";
import type { Actor } from "../../../shared/database/access/wallet-access.js";
import { acme, made, openWallet } from "../wallet/wallet-fixtures.js";

let stores = 0;

/** A store that no test of this file has seen, with every field set. */
export const someStore = (changes: Partial<NewStore> = {}): NewStore => {
  stores += 1;
  return {
    name: `Bottega ${stores}`,
    type: "Grocery",
    city: "Roma",
    address: "Via Appia 1",
    ownerIban: "IT60X0542811101000000123456",
    ownerName: "Bottega Srl",
    email: "bottega@example.com",
    phoneNumber: "06 1234567",
    code: `S-${stores}`,
    latitude: 41.9,
    longitude: 12.5,
    metadata: { floor: 2 },
    ...changes,
  };
};

export const openStore = async (
  database: Database,
  changes: Partial<NewStore> = {},
  actor: Actor = acme,
  dealerKey = "dealer-rome",
): Promise<Store> => made(await createStore(database, actor, dealerKey, someStore(changes)));

const untold: readonly string[] = ["ownerIban", "ownerName", "metadata"];

/** The payload of the store's events: its record but what the wallet seed's section 6 leaves out. */
export const payloadOf = (store: Store) =>
  Object.fromEntries(Object.entries(store).filter(([field]) => !untold.includes(field)));

/** An operation at the store, in this status. */
export const operateAt = async (
  database: Database,
  storeId: string,
  status: string,
): Promise<void> => {
  const { walletId } = await openWallet(database);
  await database.execute(
    `with bucket as (
       insert into borsello.bucket (wallet_id, partner_key, account_id, funds_type, is_withdrawable)
       values ($1, 'acme', borsello.account_for('acme', 'Bucket', $1::uuid::text), 'Standard', true)
       returning *
     )
     insert into borsello.operation (wallet_id, partner_key, dealer_key, store_id, type, amount_cents,
       final_amount_cents, net_amount_cents, fees_amount_cents, status, funds_type, bucket_id)
     select wallet_id, partner_key, 'dealer-rome', $2, 'CashDeposit', 100, 100, 100, 0, $3,
       funds_type, bucket_id
     from bucket`,
    [walletId, storeId, status],
  );
};
