/** Deleting a store: once, for all readers, never while money is unsettled; its mandate goes with it. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { deleteStore } from "../../../shared/database/stores/deletion.js";
import { findStoreMandate, putStoreMandate } from "../../../shared/database/stores/mandates.js";
import {
  findStore,
  findStoreByCode,
  findStores,
  updateStore,
} from "../../../shared/database/stores/stores.js";
import { countOf, outboxOf } from "../../support/wallet/bank-fixtures.js";
import { openStore, operateAt, payloadOf, someStore } from "../../support/stores/store-fixtures.js";
import { envelope } from "../../support/wallet/wallet-events.js";
import {
  acme,
  auditOf,
  made,
  openWalletTest,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

let stores: WalletTest;
beforeAll(async () => {
  stores = await openWalletTest();
});
afterAll(() => stores.end());

const dealerKey = "dealer-rome";
const reader = { partnerKey: "acme", isOperator: false };

test("a deleted store is inactive, tells the partner, and nothing shows it any more", async () => {
  const { storeId, code } = await openStore(stores.database);
  const path = { dealerKey, storeId };
  const deleted = made(await deleteStore(stores.database, acme, path));
  expect(deleted).toMatchObject({ storeId, isActive: false });
  const message = (await outboxOf(stores.database, storeId)).at(-1);
  expect(message?.subject).toBe("StoreDeleted");
  expect(message?.body).toEqual({ ...envelope(message?.messageId ?? ""), ...payloadOf(deleted) });
  expect((await auditOf(stores.database, storeId)).at(-1)).toMatchObject({
    action: "delete",
    toStatus: "Deleted",
  });

  const { database } = stores;
  const gone = { ok: false, code: "StoreNotFound", properties: { storeId } };
  expect(await findStore(database, reader, path)).toEqual(gone);
  expect(await updateStore(database, acme, path, { ...someStore(), isActive: true })).toEqual(gone);
  expect(await deleteStore(database, acme, path)).toEqual(gone);
  expect(await findStoreByCode(database, reader, { dealerKey, code })).toMatchObject({
    code: "StoreNotFound",
    properties: { code },
  });
  expect(await findStores(database, reader, [storeId])).toEqual([]);
  const rows = "select count(*) from borsello.store where store_id = $1";
  expect(await countOf(database, rows, [storeId])).toBe(1);
});

test("the code of a deleted store is free again", async () => {
  const { storeId, code } = await openStore(stores.database);
  made(await deleteStore(stores.database, acme, { dealerKey, storeId }));
  await openStore(stores.database, { code });
});

test("of eight simultaneous deletions one deletes, the others find no store", async () => {
  const { storeId } = await openStore(stores.database);
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, () => deleteStore(stores.database, acme, { dealerKey, storeId })),
  );
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
  for (const outcome of outcomes.filter(({ ok }) => !ok))
    expect(outcome).toMatchObject({ code: "StoreNotFound" });
  expect((await outboxOf(stores.database, storeId)).map(({ subject }) => subject)).toEqual([
    "StoreCreated",
    "StoreDeleted",
  ]);
});

test.each(["Initialized", "Confirmed", "TransferFailed", "Completing"])(
  "a store with an operation that is %s is kept",
  async (status) => {
    const { storeId } = await openStore(stores.database);
    await operateAt(stores.database, storeId, status);
    expect(await deleteStore(stores.database, acme, { dealerKey, storeId })).toEqual({
      ok: false,
      code: "StoreHasPendingReconciliations",
      properties: { operations: "1" },
    });
  },
);

test.each(["Completed", "Cancelled", "Expired", "Terminated"])(
  "an operation that is %s does not keep its store",
  async (status) => {
    const { storeId } = await openStore(stores.database);
    await operateAt(stores.database, storeId, status);
    const deleted = await deleteStore(stores.database, acme, { dealerKey, storeId });
    expect(deleted).toMatchObject({ ok: true });
  },
);

test("a bank notification that is open keeps its store, a consumed one does not", async () => {
  const { storeId } = await openStore(stores.database);
  await stores.database.execute(
    `insert into borsello.bank_notification (partner_key, type, reception_date, creditor_iban,
       debtor_name, debtor_iban, amount_cents, reason, transaction_reference, store_id,
       reconciliation_type, content_hash, repeat_key)
     values ('acme', 'IncomingReconciliation', now(), 'I', 'N', 'I', 1, 'R', $2, $1,
       'StoreReconciliation', '', $2)`,
    [storeId, `T-${storeId}`],
  );
  const path = { dealerKey, storeId };
  expect(await deleteStore(stores.database, acme, path)).toEqual({
    ok: false,
    code: "StoreHasPendingReconciliations",
    properties: { bankNotifications: "1" },
  });
  const consume = "update borsello.bank_notification set status = 'Consumed' where store_id = $1";
  await stores.database.execute(consume, [storeId]);
  expect(await deleteStore(stores.database, acme, path)).toMatchObject({ ok: true });
});

test.each([
  ["Draft", "Cancelled"],
  ["Filled", "Cancelled"],
  ["ActivationRequested", "DisableRequested"],
  ["Active", "DisableRequested"],
  ["DisableRequested", "DisableRequested"],
  ["Rejected", "Rejected"],
])("a mandate that is %s is %s once its store is deleted", async (from, to) => {
  const { database } = stores;
  const { storeId } = await openStore(database);
  const path = { dealerKey, storeId };
  const { mandateId } = made(await putStoreMandate(database, acme, path));
  const set = "update borsello.mandate set status = $2 where mandate_id = $1";
  await database.execute(set, [mandateId, from]);
  made(await deleteStore(database, acme, path));
  expect(await findStoreMandate(database, storeId)).toMatchObject({ mandateId, status: to });
  expect((await outboxOf(database, storeId)).at(-1)).toMatchObject({ subject: "StoreDeleted" });
});
