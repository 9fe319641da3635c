/** The audit of an entity: each entry with its own hash, and with the link that covers it once it is sealed. */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AuditEntry } from "../../../shared/contracts/accounting/audit.js";
import { listAudit } from "../../../shared/database/accounting/audit.js";
import { sealAudit } from "../../../shared/database/accounting/seal.js";
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

const quote = (text: string | null): string => (text === null ? "NULL" : `'${text}'`);

/** The entry's hash, computed from what the entry says: an actor, names and statuses without quotes. */
const hashOf = (entry: AuditEntry, at: string): string => {
  const { auditId, actor, partnerKey, entity, entityId, action, fromStatus, toStatus } = entry;
  const texts = [actor, partnerKey, entity, entityId, action, fromStatus, toStatus].map(quote);
  return createHash("sha256")
    .update([String(auditId), at, ...texts, "NULL"].join("|"))
    .digest("hex");
};

const suspend = (walletId: string) =>
  wallets.database.execute(
    `insert into borsello.audit (at, actor, partner_key, entity, entity_id, action, from_status, to_status)
     values ('2026-03-02T09:15:00Z', 'acme-client', 'acme', 'Wallet', $1, 'suspend', 'Active', 'Suspended')`,
    [walletId],
  );

const read = (id: string, partnerKey: string | null, pageNumber = 0, pageSize = 50) =>
  listAudit(wallets.database, { entity: "Wallet", id, partnerKey }, { pageSize, pageNumber });

test("an entry is hashed as it reads, and has the first link that covers it once it is sealed", async () => {
  const { walletId } = await openWallet(wallets.database);
  await suspend(walletId);
  const [created, suspended] = (await read(walletId, "acme")).items;
  expect(created).toMatchObject({ action: "create", link: null });
  if (suspended === undefined) throw new Error("the suspension was not audited");
  expect(suspended.hash).toBe(
    hashOf(suspended, String(Date.parse("2026-03-02T09:15:00Z") * 1_000)),
  );
  await sealAudit(wallets.database, { patienceMs: 30_000, linksMax: 100 });
  const { items } = await read(walletId.toUpperCase(), null);
  const links = items.map(({ link }) => link?.hash);
  expect(links).toEqual(items.map(() => expect.stringMatching(/^[0-9a-f]{64}$/) as unknown));
  await suspend(walletId);
  await sealAudit(wallets.database, { patienceMs: 30_000, linksMax: 100 });
  expect((await read(walletId, "acme")).items.slice(0, 2).map(({ link }) => link?.hash)).toEqual(
    links,
  );
});

test("pages follow each other, the oldest first, and another partner's are empty", async () => {
  const { walletId } = await openWallet(wallets.database);
  for (let change = 0; change < 4; change += 1) await suspend(walletId);
  const whole = await read(walletId, "acme");
  const ids = whole.items.map(({ auditId }) => auditId);
  expect(ids).toEqual([...ids].sort((one, other) => one - other));
  const pages = await Promise.all([0, 1, 2].map((page) => read(walletId, "acme", page, 2)));
  expect(pages.flatMap(({ items }) => items)).toEqual(whole.items);
  expect(pages.map(({ totalCount }) => totalCount)).toEqual([5, 5, 5]);
  expect(await read(walletId, "globex")).toMatchObject({ totalCount: 0, items: [] });
});
