/** A store's mandate: made from its owner's data, refreshed until the bank is asked, disabled. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mandateStatuses } from "../../../shared/contracts/mandates/mandates.js";
import { mandateState } from "../../../shared/database/mandates/flow-state.js";
import { settleRevocations } from "../../../shared/database/mandates/revocation.js";
import { dueFlows } from "../../../shared/database/onboarding/flow-state.js";
import {
  disableStoreMandate,
  findStoreMandate,
  putStoreMandate,
} from "../../../shared/database/stores/mandates.js";
import { updateStore } from "../../../shared/database/stores/stores.js";
import { countOf, outboxOf } from "../../support/wallet/bank-fixtures.js";
import { bankSays, requestsFor } from "../../support/wallet/mandate-fixtures.js";
import { openStore, someStore } from "../../support/stores/store-fixtures.js";
import {
  acme,
  auditOf,
  made,
  openWalletTest,
  someone,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

let stores: WalletTest;
beforeAll(async () => {
  stores = await openWalletTest();
});
afterAll(() => stores.end());

const dealerKey = "dealer-rome";

const put = (storeId: string) => putStoreMandate(stores.database, acme, { dealerKey, storeId });

const openMandate = async (status?: string) => {
  const store = await openStore(stores.database);
  const mandate = made(await put(store.storeId));
  if (status !== undefined)
    await stores.database.execute(
      "update borsello.mandate set status = $2, fill_date = now() where mandate_id = $1",
      [mandate.mandateId, status],
    );
  return { store, mandate };
};

describe("making", () => {
  test("a new mandate is a Draft of the store's owner, without wallet, amount or frequency", async () => {
    const { store, mandate } = await openMandate();
    expect(mandate).toEqual({
      mandateId: mandate.mandateId,
      walletId: null,
      storeId: store.storeId,
      type: "Seda",
      partnerKey: "acme",
      mandateUniqueReference: expect.stringMatching(/^BRS[0-9A-F]{32}$/) as string,
      debtorName: store.ownerName,
      debtorIban: store.ownerIban,
      amount: null,
      frequency: null,
      creationDate: mandate.creationDate,
      fillDate: null,
      activationRequestDate: null,
      activationDate: null,
      disableRequestDate: null,
      disabledDate: null,
      rejectionDate: null,
      status: "Draft",
      nextDepositRequestDate: null,
      lastDepositRequestedDate: null,
      addressStreet: store.address,
      city: store.city,
      lastError: null,
      lastFailureDate: null,
      nextDepositDate: null,
      lastDepositDate: null,
    });
    expect(await auditOf(stores.database, mandate.mandateId)).toEqual([
      { actor: "acme-client", entity: "Mandate", action: "initialise", toStatus: "Draft" },
    ]);
  });

  test("the debtor's IBAN is kept as the bank writes it", async () => {
    const spaced = { ownerIban: "it60 x054 2811 1010 0000 0123 456" };
    const { storeId } = await openStore(stores.database, spaced);
    expect(made(await put(storeId)).debtorIban).toBe("IT60X0542811101000000123456");
  });

  test("of eight simultaneous calls one makes the mandate that all the others refresh", async () => {
    const { storeId } = await openStore(stores.database);
    const mandates = await Promise.all(
      Array.from({ length: 8 }, async () => made(await put(storeId))),
    );
    expect(new Set(mandates.map(({ mandateId }) => mandateId)).size).toBe(1);
    const rows = "select count(*) from borsello.mandate where store_id = $1";
    expect(await countOf(stores.database, rows, [storeId])).toBe(1);
  });

  test("the database itself refuses a second open mandate, and one of wallet and store", async () => {
    const { store } = await openMandate();
    const insert = (columns: string, values: string) =>
      stores.database.execute(
        `insert into borsello.mandate (partner_key, mandate_unique_reference, debtor_name,
           debtor_iban, ${columns}) values ('acme', 'R', 'N', 'I', ${values})`,
      );
    await expect(insert("store_id", `'${store.storeId}'`)).rejects.toThrow(
      "mandate_one_open_per_store",
    );
    await expect(insert("amount_cents, store_id", `1000, '${store.storeId}'`)).rejects.toThrow(
      "mandate_of_wallet_or_store",
    );
    await expect(insert("frequency", "'Weekly'")).rejects.toThrow("mandate_of_wallet_or_store");
  });

  test.each([
    [{ ownerIban: null }, { ownerIban: "is not set." }],
    [{ ownerName: null }, { ownerName: "is not set." }],
    [
      { ownerIban: null, ownerName: null },
      { ownerIban: "is not set.", ownerName: "is not set." },
    ],
    [{ ownerIban: "IT00" }, { ownerIban: "is not a sound IBAN." }],
    [{ ownerIban: "IT60Y0542811101000000123456" }, { ownerIban: "is not a sound IBAN." }],
  ])("owner data %j make no mandate", async (data, properties) => {
    const { storeId } = await openStore(stores.database, data);
    expect(await put(storeId)).toEqual({ ok: false, code: "StoreOwnerDataMissing", properties });
    expect(await findStoreMandate(stores.database, storeId)).toBeUndefined();
  });
});

describe("refreshing", () => {
  test("takes the owner and address that the store has now, and keeps the reference", async () => {
    const { store, mandate } = await openMandate("Filled");
    const { iban } = someone();
    const changed = { ownerName: "Nuova Srl", ownerIban: iban };
    const update = { ...someStore({ ...changed, address: "Via Po 2", city: "Torino" }) };
    const path = { dealerKey, storeId: store.storeId };
    made(await updateStore(stores.database, acme, path, { ...update, isActive: true }));
    expect(await findStoreMandate(stores.database, store.storeId)).toMatchObject({
      debtorName: store.ownerName,
    });
    expect(made(await put(store.storeId))).toEqual({
      ...mandate,
      debtorName: "Nuova Srl",
      debtorIban: iban,
      addressStreet: "Via Po 2",
      city: "Torino",
      status: "Draft",
      fillDate: null,
    });
  });

  test.each(mandateStatuses)(
    "a mandate that is %s is refreshed, kept or followed",
    async (status) => {
      const { store, mandate } = await openMandate(status);
      const outcome = await put(store.storeId);
      if (["Draft", "Filled"].includes(status))
        expect(outcome).toMatchObject({ ok: true, value: { mandateId: mandate.mandateId } });
      else if (["Disabled", "Cancelled", "Rejected"].includes(status)) {
        expect(outcome).toMatchObject({ ok: true, value: { status: "Draft" } });
        expect(made(outcome).mandateId).not.toBe(mandate.mandateId);
      } else
        expect(outcome).toEqual({
          ok: false,
          code: "MandateStatusInvalid",
          properties: { mandateStatus: status },
        });
    },
  );
});

describe("disabling", () => {
  const disable = (storeId: string) => disableStoreMandate(stores.database, acme, storeId);

  test("cancels at once what the bank was never asked for, and tells the flows of no wallet", async () => {
    const { store, mandate } = await openMandate();
    const cancelled = made(await disable(store.storeId));
    expect(cancelled).toMatchObject({ mandateId: mandate.mandateId, status: "Cancelled" });
    expect(cancelled.disabledDate).not.toBeNull();
    expect((await outboxOf(stores.database, store.storeId)).at(-1)).toMatchObject({
      subject: "MandateSettled",
      destinations: ["platform-events"],
      body: { walletId: null, mandateId: mandate.mandateId, status: "Cancelled" },
    });
  });

  test("leaves an active one for the bank to revoke, which is asked once", async () => {
    const { database } = stores;
    const { store, mandate } = await openMandate("Active");
    expect(made(await disable(store.storeId)).status).toBe("DisableRequested");
    expect((await outboxOf(database, store.storeId)).at(-1)?.subject).toBe(
      "MandateDisableRequested",
    );

    const { mandateId, mandateUniqueReference: reference } = mandate;
    const [asked, ...more] = await requestsFor(database, mandateId);
    expect(asked).toMatchObject({ kind: "mandateRevocation", reference, messages: 1 });
    expect(more).toEqual([]);
    const message = (await outboxOf(database, store.storeId)).length;
    expect(await settleRevocations(database, mandateId)).toBe(false);
    expect(await outboxOf(database, store.storeId)).toHaveLength(message);

    await bankSays(database, asked?.requestId ?? "", "accepted");
    expect(await mandateState(database, mandateId)).toMatchObject({ outcome: "Accepted" });
    expect(await settleRevocations(database, mandateId)).toBe(true);
    expect((await findStoreMandate(database, store.storeId))?.status).toBe("Disabled");
  });

  test("the flow of an active one is found by the sweep, under its store", async () => {
    const { store, mandate } = await openMandate("Active");
    const due = await dueFlows(stores.database, null, 1_000);
    expect(due).toContainEqual({
      flow: "mandateActivation",
      subjectId: store.storeId,
      attempt: null,
      mandateId: mandate.mandateId,
    });
  });

  test.each(["DisableRequested", "Disabled", "Cancelled", "Rejected"])(
    "refuses a mandate that is %s",
    async (status) => {
      const { store } = await openMandate(status);
      expect(await disable(store.storeId)).toEqual({
        ok: false,
        code: "MandateStatusInvalid",
        properties: { mandateStatus: status },
      });
    },
  );
});
