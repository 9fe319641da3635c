/** The partner's store mandates: under references of its own, one row in two views, every command in every state. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mandateStatuses } from "../../../shared/contracts/mandates/mandates.js";
import type { NewStore } from "../../../shared/contracts/stores/stores.js";
import { deleteStore } from "../../../shared/database/stores/deletion.js";
import {
  disableStoreMandate,
  findStoreMandate,
  putStoreMandate,
} from "../../../shared/database/stores/mandates.js";
import {
  createStoreMandate,
  deleteStoreMandate,
  fillStoreMandate,
  findStoreMandateById,
  listStoreMandates,
} from "../../../shared/database/stores/store-mandates.js";
import { updateStore } from "../../../shared/database/stores/stores.js";
import type { Outcome } from "../../../shared/domain/outcome.js";
import { openStore, someStore } from "../../support/stores/store-fixtures.js";
import {
  openFilledMandate,
  openStoreMandate,
  readStoreMandate,
  runStoreMandates,
  someReference,
} from "../../support/stores/store-mandate-fixtures.js";
import { creditor, lookAt, requestsFor } from "../../support/wallet/mandate-fixtures.js";
import {
  acme,
  globex,
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
const create = (storeId: string, mandateUniqueReference = someReference()) =>
  createStoreMandate(stores.database, acme, { storeId, mandateUniqueReference });
const codeOf = (outcome: Outcome<unknown, string>): string => (outcome.ok ? "ok" : outcome.code);

describe("creating", () => {
  test("makes a Draft of the store's owner, every field present, which is the store's current mandate", async () => {
    const store = await openStore(stores.database);
    const reference = someReference();
    const mandate = made(await create(store.storeId, reference));
    const { storeMandateId, creationDate } = mandate;
    expect(mandate).toEqual({
      ...{ storeMandateId, partnerKey: "acme", storeId: store.storeId },
      ...{ mandateUniqueReference: reference, status: "Draft", creationDate },
      ...{ debtorName: store.ownerName, debtorIban: store.ownerIban },
      ...{ fillDate: null, activationDate: null, disableRequestDate: null, disabledDate: null },
      ...{ feedback: null, attempts: 0, lastPaymentReceiveDate: null, metadata: null },
    });
    expect(await findStoreMandate(stores.database, store.storeId)).toMatchObject({
      ...{ mandateId: storeMandateId, storeId: store.storeId, status: "Draft" },
      ...{ mandateUniqueReference: reference, addressStreet: store.address, city: store.city },
    });
  });

  test.each([
    ["M/2026-001 (Roma).,:?'+", true],
    ["x".repeat(35), true],
    ["x".repeat(36), false],
    ["x".repeat(255), false],
    ["Mandàt 1", false],
    ["ACME_1", false],
    ["/slash", false],
    ["two//slashes", false],
    ["slash/", false],
  ])("the reference %s is told to the bank as it is: %s", async (reference, isSame) => {
    const { storeId } = await openStore(stores.database);
    const mandate = made(await create(storeId, reference));
    expect(mandate.mandateUniqueReference).toBe(reference);
    expect((await findStoreMandate(stores.database, storeId))?.mandateUniqueReference).toBe(
      reference,
    );
    const { storeMandateId } = mandate;
    made(await fillStoreMandate(stores.database, acme, storeMandateId, creditor));
    await runStoreMandates(stores.database, storeMandateId);
    const [asked] = await requestsFor(stores.database, storeMandateId);
    expect(mandate.metadata).toEqual(isSame ? null : { bankReference: asked?.reference });
    expect(asked?.reference).toMatch(isSame ? reference : /^BRS[0-9A-F]{32}$/);
  });

  test("a reference is the partner's once and for all, in whatever case, and another partner's besides", async () => {
    const first = await openStoreMandate(stores.database);
    const { mandateUniqueReference } = first;
    made(await deleteStoreMandate(stores.database, acme, first.storeMandateId));
    const { storeId } = await openStore(stores.database);
    for (const reference of [mandateUniqueReference, mandateUniqueReference.toLowerCase()])
      expect(await create(storeId, reference)).toEqual({
        ok: false,
        code: "MandateReferenceAlreadyPresent",
        properties: { mandateUniqueReference: reference },
      });
    const turin = await openStore(stores.database, {}, globex, "dealer-turin");
    const theirs = { storeId: turin.storeId, mandateUniqueReference };
    expect(codeOf(await createStoreMandate(stores.database, globex, theirs))).toBe("ok");
  });

  test("nobody can take the reference that the bank knows another mandate by", async () => {
    const long = made(await create((await openStore(stores.database)).storeId, "y".repeat(40)));
    const { storeId } = await openStore(stores.database);
    const taken = String(long.metadata?.["bankReference"]);
    expect(codeOf(await create(storeId, taken))).toBe("MandateReferenceAlreadyPresent");
  });

  test.each(["short", "z".repeat(50)])(
    "of simultaneous calls of eight stores one gets a reference (%s)",
    async (reference) => {
      const opened = await Promise.all(Array.from({ length: 8 }, () => openStore(stores.database)));
      const outcomes = await Promise.all(opened.map(({ storeId }) => create(storeId, reference)));
      expect(outcomes.map(codeOf).sort()).toEqual(
        [...Array<string>(7).fill("MandateReferenceAlreadyPresent"), "ok"].sort(),
      );
    },
  );

  test("of simultaneous calls for one store one makes its mandate", async () => {
    const { storeId } = await openStore(stores.database);
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => create(storeId)));
    expect(outcomes.map(codeOf).sort()).toEqual(
      [...Array<string>(7).fill("MandateAlreadyPresent"), "ok"].sort(),
    );
  });
});

test("the list has the partner's alone, in order of creation, or those of one store", async () => {
  const mandates = [await openStoreMandate(stores.database)];
  const [first] = mandates;
  const storeId = first?.storeId ?? "";
  made(await deleteStoreMandate(stores.database, acme, first?.storeMandateId ?? ""));
  mandates.push(made(await create(storeId)));
  await openStoreMandate(stores.database, {}, globex, "dealer-turin");
  const ids = mandates.map(({ storeMandateId }) => storeMandateId);
  const listed = await listStoreMandates(stores.database, "acme", storeId, {
    ...{ pageSize: 10, pageNumber: 0 },
  });
  expect(listed).toMatchObject({ totalCount: 2, limitCount: 10 });
  expect(listed.items.map(({ storeMandateId }) => storeMandateId)).toEqual(ids);
  const all = await listStoreMandates(stores.database, "acme", null, {
    ...{ pageSize: 200, pageNumber: 0 },
  });
  expect(all.items.slice(-2).map(({ storeMandateId }) => storeMandateId)).toEqual(ids);
  expect(new Set(all.items.map(({ partnerKey }) => partnerKey))).toEqual(new Set(["acme"]));
  expect(
    (
      await listStoreMandates(stores.database, "globex", storeId, {
        ...{ pageSize: 10, pageNumber: 0 },
      })
    ).items,
  ).toEqual([]);
});

/** Every command about a mandate that is there; the answer is the code of a refusal, or the status after it. */
const commands = {
  create: (storeId: string) => create(storeId),
  fill: (_: string, storeMandateId: string) =>
    fillStoreMandate(stores.database, acme, storeMandateId, creditor),
  delete: (_: string, storeMandateId: string) =>
    deleteStoreMandate(stores.database, acme, storeMandateId),
  refresh: (storeId: string) => putStoreMandate(stores.database, acme, { dealerKey, storeId }),
  disable: (storeId: string) => disableStoreMandate(stores.database, acme, storeId),
} as const;
type Command = keyof typeof commands;
const commandNames = Object.keys(commands) as Command[];

const answer = async (command: Command, storeId: string, mandateId: string): Promise<string> => {
  const outcome: Outcome<{ readonly status: string }, string> = await commands[command](
    storeId,
    mandateId,
  );
  return outcome.ok ? outcome.value.status : outcome.code;
};

const [invalid, present] = ["MandateStatusInvalid", "MandateAlreadyPresent"];

describe("every command in every status of the mandate", () => {
  const over = {
    create: "Draft",
    fill: invalid,
    delete: invalid,
    refresh: "Draft",
    disable: invalid,
  };
  const table: Readonly<Record<string, Readonly<Record<Command, string>>>> = {
    Draft: {
      create: present,
      fill: "Filled",
      delete: "Cancelled",
      refresh: "Draft",
      disable: "Cancelled",
    },
    Filled: {
      create: present,
      fill: "Filled",
      delete: "Cancelled",
      refresh: "Draft",
      disable: "Cancelled",
    },
    // Filled, and the bank was asked.
    Asked: {
      create: present,
      fill: "Filled",
      delete: "Cancelled",
      refresh: invalid,
      disable: "Cancelled",
    },
    Active: {
      create: present,
      fill: invalid,
      delete: "DisableRequested",
      refresh: invalid,
      disable: "DisableRequested",
    },
    DisableRequested: {
      create: present,
      fill: invalid,
      delete: invalid,
      refresh: invalid,
      disable: invalid,
    },
    Disabled: over,
    Cancelled: over,
    Rejected: over,
  };

  test("the table has them all", () => {
    const statuses = mandateStatuses.filter((status) => status !== "ActivationRequested");
    expect(Object.keys(table).sort()).toEqual([...statuses, "Asked"].sort());
  });

  test.each(Object.entries(table))("%s", async (state, expected) => {
    const answers: Record<string, string> = {};
    for (const command of commandNames) {
      const { storeMandateId, storeId } = await openFilledMandate(stores.database);
      if (state === "Asked") await runStoreMandates(stores.database, storeMandateId);
      else
        await stores.database.execute(
          "update borsello.mandate set status = $2 where mandate_id = $1",
          [storeMandateId, state],
        );
      answers[command] = await answer(command, storeId, storeMandateId);
    }
    expect(answers).toEqual(expected);
  });
});

describe("every command in every state of the store, with a mandate that is Filled", () => {
  const changed =
    (changes: Partial<NewStore>, isActive = true) =>
    async (storeId: string) => {
      const update = { ...someStore(changes), isActive };
      made(await updateStore(stores.database, acme, { dealerKey, storeId }, update));
    };
  const filled = {
    create: present,
    fill: "Filled",
    delete: "Cancelled",
    refresh: "Draft",
    disable: "Cancelled",
  };
  const missing = { ...filled, refresh: "StoreOwnerDataMissing" };
  const table: readonly [
    string,
    (storeId: string) => Promise<void>,
    Readonly<Record<Command, string>>,
  ][] = [
    ["active", () => Promise.resolve(), filled],
    ["inactive", changed({}, false), filled],
    ["its owner has another IBAN", changed({ ownerIban: someone().iban }), filled],
    ["its owner has no IBAN", changed({ ownerIban: null }), missing],
    ["its owner has no name", changed({ ownerName: null }), missing],
    [
      "a group of it waits for money",
      async (storeId) => {
        await stores.database.execute(
          `insert into borsello.reconciliation_group (partner_key, store_id, day, code, owed_to_store_cents)
           values ('acme', $1, '2026-01-15', $2, -5000)`,
          [storeId, someReference()],
        );
      },
      filled,
    ],
    [
      "deleted",
      async (storeId) =>
        void made(await deleteStore(stores.database, acme, { dealerKey, storeId })),
      {
        create: "StoreNotFound",
        fill: invalid,
        delete: invalid,
        refresh: "StoreNotFound",
        disable: "StoreNotFound",
      },
    ],
  ];

  test.each(table)("the store is %s", async (_state, change, expected) => {
    const answers: Record<string, string> = {};
    for (const command of commandNames) {
      const { storeMandateId, storeId } = await openFilledMandate(stores.database);
      await change(storeId);
      answers[command] = await answer(command, storeId, storeMandateId);
    }
    expect(answers).toEqual(expected);
  });

  test.each(["Draft", "Filled", "asked for", "Active"])(
    "another IBAN of the owner is not this mandate's: it keeps its debtor, %s",
    async (state) => {
      const mandate = await (state === "Draft" ? openStoreMandate : openFilledMandate)(
        stores.database,
      );
      const { storeMandateId, storeId, debtorIban } = mandate;
      if (state === "Active")
        await stores.database.execute(
          "update borsello.mandate set status = 'Active' where mandate_id = $1",
          [storeMandateId],
        );
      if (state === "asked for") await runStoreMandates(stores.database, storeMandateId);
      await changed({ ownerIban: someone().iban })(storeId);
      await fillStoreMandate(stores.database, acme, storeMandateId, creditor);
      await runStoreMandates(stores.database, storeMandateId);
      expect((await readStoreMandate(stores.database, mandate)).debtorIban).toBe(debtorIban);
    },
  );

  test("a deleted store's mandate can still be read", async () => {
    const { storeMandateId, storeId } = await openFilledMandate(stores.database);
    made(await deleteStore(stores.database, acme, { dealerKey, storeId }));
    await lookAt(stores.database, storeMandateId);
    expect(await readStoreMandate(stores.database, { storeMandateId })).toMatchObject({
      status: "Cancelled",
    });
  });
});

test("another partner's mandate is unknown, and its store nobody else's to make one for", async () => {
  const { storeMandateId, storeId } = await openStoreMandate(stores.database);
  const theirs = { storeId, mandateUniqueReference: someReference() };
  expect(codeOf(await createStoreMandate(stores.database, globex, theirs))).toBe(
    "DealerOfAnotherPartner",
  );
  const reader = { partnerKey: "globex", isOperator: false };
  const refused = [
    await findStoreMandateById(stores.database, reader, storeMandateId),
    await fillStoreMandate(stores.database, globex, storeMandateId, creditor),
    await deleteStoreMandate(stores.database, globex, storeMandateId),
  ];
  expect(refused.map(codeOf)).toEqual(Array(3).fill("StoreMandateNotFound"));
  const operator = { partnerKey: "platform", isOperator: true };
  expect(codeOf(await findStoreMandateById(stores.database, operator, storeMandateId))).toBe("ok");
});

test("a wallet's mandate is no store mandate", async () => {
  const mandateId = "01890a5d-ac96-774b-bcce-b302099a8057";
  await stores.database.execute(
    `with w as (
       insert into borsello.wallet (partner_key, tax_id, first_name, last_name, phone_number, email,
         originating_dealer_key)
       values ('acme', 'X', 'Maria', 'Rossi', '+393331234567', 'x@example.com', 'dealer-rome')
       returning wallet_id)
     insert into borsello.mandate (mandate_id, wallet_id, partner_key, mandate_unique_reference,
       debtor_name, debtor_iban, amount_cents, frequency)
     select $1, wallet_id, 'acme', 'W', 'N', 'I', 1000, 'Weekly' from w`,
    [mandateId],
  );
  const own = { partnerKey: "acme", isOperator: false };
  expect(codeOf(await findStoreMandateById(stores.database, own, mandateId))).toBe(
    "StoreMandateNotFound",
  );
  expect(codeOf(await deleteStoreMandate(stores.database, acme, mandateId))).toBe(
    "StoreMandateNotFound",
  );
});
