/** A dealer's stores on a real database: exact record and event, uniqueness under races, reads. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { StoreUpdate } from "../../../shared/contracts/stores/stores.js";
import {
  createStore,
  findStore,
  findStoreByCode,
  findStores,
  listStores,
  updateStore,
} from "../../../shared/database/stores/stores.js";
import { countOf, outboxOf } from "../../support/wallet/bank-fixtures.js";
import { openStore, payloadOf, someStore } from "../../support/stores/store-fixtures.js";
import { envelope } from "../../support/wallet/wallet-events.js";
import {
  acme,
  auditOf,
  globex,
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
const readers = {
  acme: { partnerKey: "acme", isOperator: false },
  globex: { partnerKey: "globex", isOperator: false },
  operator: { partnerKey: "platform", isOperator: true },
} as const;

const updateOf = (changes: Partial<StoreUpdate> = {}): StoreUpdate => ({
  ...someStore(),
  isActive: true,
  ...changes,
});

const lastEvent = async (storeId: string) => (await outboxOf(stores.database, storeId)).at(-1);

const versionOf = (storeId: string) =>
  stores.database.row(
    z.object({ version: z.bigint() }),
    "select max(entity_version) as version from borsello.outbox where session_id = $1",
    [storeId],
  );

describe("adding", () => {
  test("a new store is active, has every field, an account, an audit row and its event", async () => {
    const body = someStore();
    const store = made(await createStore(stores.database, acme, dealerKey, body));

    const { storeId, accountId, creationDate } = store;
    const given = { storeId, accountId, creationDate, dealerKey, partnerKey: "acme" };
    expect(store).toEqual({ ...body, ...given, isActive: true, lastUpdateDate: null });
    const accounts = await countOf(
      stores.database,
      `select count(*) from borsello.account
       where account_id = $1 and partner_key = 'acme' and kind = 'Store' and reference = $2`,
      [accountId, storeId],
    );
    expect(accounts).toBe(1);
    const [message, ...more] = await outboxOf(stores.database, storeId);
    expect(more).toEqual([]);
    expect(message).toMatchObject({
      subject: "StoreCreated",
      destinations: ["acme", "platform-events"],
    });
    expect(message?.body).toEqual({ ...envelope(message?.messageId ?? ""), ...payloadOf(store) });
    expect(await auditOf(stores.database, storeId)).toEqual([
      { actor: "acme-client", entity: "Store", action: "create", toStatus: "Active" },
    ]);
  });

  test("of twenty simultaneous stores with one code exactly one is made, with one event", async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        createStore(stores.database, acme, dealerKey, someStore({ code: "ONE", city: `${index}` })),
      ),
    );
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    const refused = outcomes.filter(({ ok }) => !ok);
    for (const outcome of refused)
      expect(outcome).toEqual({
        ok: false,
        code: "StoreCodeAlreadyPresent",
        properties: { code: "ONE" },
      });
    const events = "select count(*) from borsello.outbox where body ->> 'code' = 'ONE'";
    expect(await countOf(stores.database, events)).toBe(1);
  });

  test("the same code may be used by another dealer, of the same partner and of another", async () => {
    await openStore(stores.database, { code: "SHARED" });
    await openStore(stores.database, { code: "SHARED" }, acme, "dealer-milan");
    await openStore(stores.database, { code: "SHARED" }, globex, "dealer-turin");
    await openStore(stores.database, { code: "shared" });
  });

  test.each([
    ["nobody", "DealerNotFound"],
    ["dealer-turin", "DealerOfAnotherPartner"],
  ])("at the dealer %s it is refused as %s, and nothing is written", async (dealer, code) => {
    const body = someStore();
    expect(await createStore(stores.database, acme, dealer, body)).toEqual({
      ok: false,
      code,
      properties: { dealerKey: dealer },
    });
    const rows = "select count(*) from borsello.store where code = $1";
    expect(await countOf(stores.database, rows, [body.code])).toBe(0);
  });
});

describe("updating", () => {
  test("an update replaces every given field, counts the version and tells the partner", async () => {
    const { storeId, accountId, creationDate } = await openStore(stores.database);
    const update = updateOf({ isActive: false, type: null, metadata: null, ownerIban: null });
    const updated = made(await updateStore(stores.database, acme, { dealerKey, storeId }, update));
    expect(updated).toEqual({
      ...update,
      storeId,
      accountId,
      creationDate,
      dealerKey,
      partnerKey: "acme",
      lastUpdateDate: expect.stringMatching(/Z$/) as string,
    });
    const message = await lastEvent(storeId);
    expect(message?.subject).toBe("StoreUpdated");
    expect(message?.body).toEqual({ ...envelope(message?.messageId ?? ""), ...payloadOf(updated) });
    expect(await versionOf(storeId)).toEqual({ version: 2n });
    expect((await auditOf(stores.database, storeId)).at(-1)).toMatchObject({
      action: "update",
      toStatus: "Inactive",
    });
  });

  test("a store keeps its own code, and of twenty who want one code a single one gets it", async () => {
    const opened = await Promise.all(Array.from({ length: 20 }, () => openStore(stores.database)));
    const outcomes = await Promise.all(
      opened.map(({ storeId }) =>
        updateStore(stores.database, acme, { dealerKey, storeId }, updateOf({ code: "WANTED" })),
      ),
    );
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    expect(outcomes.find(({ ok }) => !ok)).toEqual({
      ok: false,
      code: "StoreCodeAlreadyPresent",
      properties: { code: "WANTED" },
    });
    const winner = made(
      await findStoreByCode(stores.database, readers.acme, { dealerKey, code: "WANTED" }),
    );
    const again = updateOf({ code: "WANTED" });
    const path = { dealerKey, storeId: winner.storeId };
    expect(await updateStore(stores.database, acme, path, again)).toMatchObject({ ok: true });
  });

  test("simultaneous updates of one store each have a version and an event of their own", async () => {
    const { storeId } = await openStore(stores.database);
    const path = { dealerKey, storeId };
    await Promise.all(
      Array.from({ length: 8 }, async () =>
        made(await updateStore(stores.database, acme, path, updateOf())),
      ),
    );
    const versions = await stores.database.rows(
      z.object({ version: z.bigint() }),
      `select entity_version as version from borsello.outbox where session_id = $1
       order by outbox_id`,
      [storeId],
    );
    expect(versions.map(({ version }) => version)).toEqual([1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n]);
  });
});

describe("reading", () => {
  test("the pages of a dealer hold each store once, the oldest first", async () => {
    const before = made(
      await listStores(stores.database, readers.globex, "dealer-turin", {
        pageSize: 200,
        pageNumber: 0,
      }),
    ).totalCount;
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1)
      ids.push((await openStore(stores.database, {}, globex, "dealer-turin")).storeId);
    const read: string[] = [];
    for (let pageNumber = 0; ; pageNumber += 1) {
      const page = { pageSize: 2, pageNumber };
      const listed = made(await listStores(stores.database, readers.globex, "dealer-turin", page));
      expect(listed).toMatchObject({ totalCount: before + 5, limitCount: 2 });
      if (listed.items.length === 0) break;
      read.push(...listed.items.map(({ storeId }) => storeId));
    }
    expect(read.slice(before)).toEqual(ids);
  });

  test("a page far behind the last is empty, and still counts all", async () => {
    const page = { pageSize: 200, pageNumber: 2_147_483_647 };
    const listed = made(await listStores(stores.database, readers.globex, "dealer-turin", page));
    expect(listed.items).toEqual([]);
    expect(listed.totalCount).toBeGreaterThan(0);
  });

  test("an operator reads every partner's stores, a partner its own alone", async () => {
    const { database } = stores;
    const { storeId, code } = await openStore(database);
    const page = { pageSize: 1, pageNumber: 0 };
    const reads = (reader: (typeof readers)[keyof typeof readers]) => [
      findStore(database, reader, { dealerKey, storeId }),
      findStoreByCode(database, reader, { dealerKey, code }),
      listStores(database, reader, dealerKey, page),
    ];
    for (const read of [...reads(readers.acme), ...reads(readers.operator)])
      expect(await read).toMatchObject({ ok: true });
    for (const read of reads(readers.globex))
      expect(await read).toMatchObject({ code: "DealerOfAnotherPartner" });
  });

  test("a store is found below its own dealer alone", async () => {
    const { storeId } = await openStore(stores.database);
    const path = { dealerKey: "dealer-milan", storeId };
    expect(await findStore(stores.database, readers.acme, path)).toMatchObject({
      code: "StoreNotFound",
    });
    expect(await updateStore(stores.database, acme, path, updateOf())).toMatchObject({
      code: "StoreNotFound",
    });
  });

  test("a search gives each known store once, and leaves out unknown and foreign ones", async () => {
    const first = await openStore(stores.database);
    const second = await openStore(stores.database);
    const foreign = await openStore(stores.database, {}, globex, "dealer-turin");
    const ids = [second, first, second, foreign].map(({ storeId }) => storeId);
    const unknown = "01890a5d-ac96-774b-bcce-b302099a8057";
    const search = (reader: (typeof readers)[keyof typeof readers]) =>
      findStores(stores.database, reader, [...ids, unknown]);
    expect(await search(readers.acme)).toEqual([first, second]);
    expect(await search(readers.globex)).toEqual([foreign]);
    expect(await search(readers.operator)).toEqual([first, second, foreign]);
  });
});
