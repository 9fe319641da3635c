/** The hash chain: everything committed is sealed once, whatever is under way, and force-delete explains itself. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { proveBooks } from "../../../shared/database/accounting/proof.js";
import { sealAudit } from "../../../shared/database/accounting/seal.js";
import { sealAfterCommits } from "../../../functions/schedule/audit-seal.js";
import { deposit, openBookWallet, writeOperation } from "../../support/accounting/books.js";
import { countOf } from "../../support/wallet/bank-fixtures.js";
import {
  openWallet,
  openWalletTest,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";
import { connect } from "../../support/database/connections.js";

let wallets: WalletTest;
beforeAll(async () => {
  wallets = await openWalletTest();
});
afterAll(() => wallets.end());

/** As long as other tests of this server keep transactions open. */
const patient = { patienceMs: 30_000, linksMax: 1_000 };

const Sealed = z.object({ links: z.bigint(), audits: z.bigint(), transactions: z.bigint() });
const sealed = async () => {
  const found = await wallets.database.row(
    Sealed,
    `select count(*) as links, coalesce(sum(audit_rows), 0)::bigint as audits,
       coalesce(sum(transactions), 0)::bigint as transactions from borsello.audit_link`,
  );
  return found ?? { links: 0n, audits: 0n, transactions: 0n };
};
const countRows = (table: string) =>
  countOf(wallets.database, `select count(*) from borsello.${table}`);

test("every committed row is sealed once, while others commit and roll back", async () => {
  const { database } = wallets;
  const wallet = await openBookWallet(database);
  const writing = new AbortController();
  const sealing = (async () => {
    while (!writing.signal.aborted) await sealAudit(database, patient);
  })();
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let turn = 0; turn < 15; turn += 1) {
        await writeOperation(database, wallet, deposit(100n, 1n));
        // Draws numbers and gives them up.
        await database
          .transaction(async (tx) => {
            await tx.execute(
              `insert into borsello.audit (actor, entity, entity_id, action)
               values ('nobody', 'Wallet', '1', 'rolled back')`,
            );
            throw new Error("given up");
          })
          .catch((error: unknown) => expect(String(error)).toContain("given up"));
      }
    }),
  );
  writing.abort();
  await sealing;
  await sealAudit(database, patient);
  const { links, audits, transactions } = await sealed();
  expect(links).toBeGreaterThan(1n);
  expect(Number(audits)).toBe(await countRows("audit"));
  expect(Number(transactions)).toBe(await countRows("ledger_transaction"));
});

test("a row that commits late is waited for, and nothing behind it is sealed before", async () => {
  const { database } = wallets;
  await sealAudit(database, patient);
  const before = await sealed();
  const late = await connect(wallets.url);
  await late.query("begin");
  await late.query(
    "insert into borsello.audit (actor, entity, entity_id, action) values ('late', 'Wallet', '2', 'late')",
  );
  await openWallet(database);
  const pending = await sealAudit(database, { ...patient, patienceMs: 20 });
  expect(pending).toBeDefined();
  expect(await sealed()).toEqual(before);
  await late.query("commit");
  await late.end();
  expect(await sealAudit(database, { ...patient, pending })).toBeUndefined();
  expect(Number((await sealed()).audits)).toBe(await countRows("audit"));
});

test.each([
  "update borsello.audit set actor = 'somebody else'",
  "delete from borsello.audit",
  "truncate borsello.audit",
  "update borsello.audit_link set hash = hash",
  "delete from borsello.audit_link",
])("the database refuses: %s", async (statement) => {
  await openWallet(wallets.database);
  await sealAudit(wallets.database, patient);
  await expect(wallets.database.execute(statement)).rejects.toMatchObject({
    constraint: "audit_append_only",
  });
});

test("the proof adds up a partner's own entries, and lists the buckets that differ", async () => {
  const { database } = wallets;
  const wallet = await openBookWallet(database);
  const { debits } = await proveBooks(database, { partnerKey: "acme", at: null });
  await writeOperation(database, wallet, deposit(12_345n, 45n));
  await sealAudit(database, patient);
  const proof = await proveBooks(database, { partnerKey: "acme", at: null });
  expect(proof).toMatchObject({ balanced: true, mismatches: [] });
  expect(proof.debits).toBeCloseTo(debits + 123.45, 2);
  expect(proof.credits).toBe(proof.debits);
  expect(proof.headHash).toMatch(/^[0-9a-f]{64}$/);
  expect(await proveBooks(database, { partnerKey: "globex", at: null })).toMatchObject({
    debits: 0,
    credits: 0,
    balanced: true,
    headHash: proof.headHash,
  });
  const past = new Date("2020-01-01T00:00:00Z");
  expect(await proveBooks(database, { partnerKey: null, at: past })).toMatchObject({
    debits: 0,
    balanced: true,
    headHash: null,
  });

  await database.execute(
    "update borsello.bucket set balance_cents = balance_cents + 1 where bucket_id = $1",
    [wallet.bucketId],
  );
  const found = await proveBooks(database, { partnerKey: null, at: null });
  expect(found.mismatches).toEqual([
    {
      partnerKey: "acme",
      walletId: wallet.walletId,
      bucketId: wallet.bucketId,
      balance: 123.01,
      replayedBalance: 123,
    },
  ]);
  expect((await proveBooks(database, { partnerKey: "globex", at: null })).mismatches).toEqual([]);
  await database.execute(
    "update borsello.bucket set balance_cents = balance_cents - 1 where bucket_id = $1",
    [wallet.bucketId],
  );
});

test("a commit wakes the sealing, which then sleeps until the next one", async () => {
  const { database } = wallets;
  await sealAudit(database, patient);
  const failures: string[] = [];
  const sealing = sealAfterCommits({ database, note: (work) => failures.push(work) }, 5);
  for (let commits = 0; commits < 2; commits += 1) {
    const before = await sealed();
    await openWallet(database);
    await expect.poll(async () => (await sealed()).links).toBe(before.links + 1n);
    expect(Number((await sealed()).audits)).toBe(await countRows("audit"));
  }
  sealing.stop();
  await openWallet(database);
  expect(failures).toEqual([]);
});
