/** Old audit rows are forgotten behind a checkpoint: the chain proves all that is left, and what was forgotten unasked. */
import type { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { forgetAudit } from "../../../shared/database/accounting/forget-audit.js";
import { proveBooks } from "../../../shared/database/accounting/proof.js";
import { proveBook } from "../../../shared/database/accounting/prove.js";
import { sealAudit } from "../../../shared/database/accounting/seal.js";
import { openDatabase, type Database } from "../../../shared/database/platform/database.js";
import { prepareSandbox } from "../../../shared/database/sandbox/preparation.js";
import {
  deposit,
  openBookWallet,
  payment,
  writeOperation,
} from "../../support/accounting/books.js";
import { writeNotifications } from "../../support/accounting/notifications.js";
import { connect } from "../../support/database/connections.js";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";
import { countOf, silentLogger } from "../../support/wallet/bank-fixtures.js";

const patient = { patienceMs: 30_000, linksMax: 1_000 };
const days = 365;

let original: TestDatabase;
let head: string;
let before: number;

const openBook = (url: string): Database =>
  openDatabase({
    connection: { kind: "url", url },
    logger: silentLogger,
    prepare: prepareSandbox,
  });

const pass = (database: Database, howManyDays: number) =>
  database.execute(
    "update borsello.sandbox_clock set offset_ms = offset_ms + $1 * 86400000::bigint",
    [howManyDays],
  );

const work = async (database: Database): Promise<void> => {
  const wallet = await openBookWallet(database);
  for (let index = 1n; index <= 4n; index += 1n) {
    await writeOperation(database, wallet, deposit(1_000n * index, 100n));
    await writeOperation(database, wallet, payment(300n, 25n));
    await sealAudit(database, patient);
  }
  await writeNotifications(database, wallet.walletId, wallet.walletId);
  await sealAudit(database, patient);
};

const audits = (database: Database) => countOf(database, "select count(*) from borsello.audit");

beforeAll(async () => {
  original = await createDatabase({ migrated: true });
  const database = openBook(original.url);
  await database.ready();
  await work(database);
  const proof = await proveBooks(database, { partnerKey: null, at: null });
  head = proof.headHash ?? "";
  before = await audits(database);
  await pass(database, 200);
  await work(database);
  await pass(database, 200);
  while ((await forgetAudit(database, days, 10)) > 0);
  await sealAudit(database, patient);
  await database.close();
});
afterAll(() => original.drop());

const prove = (url: string, options = {}) => proveBook({ kind: "url", url }, options);

const onCopy = async <Value>(look: (url: string, client: Client) => Promise<Value>) => {
  const copy = await createDatabase({ copyOf: original });
  const client = await connect(copy.url);
  try {
    await client.query("set session_replication_role = replica");
    return await look(copy.url, client);
  } finally {
    await client.end();
    await copy.drop();
  }
};

test("what is older than the setting is gone, what is younger is not, and the book is right", async () => {
  const database = openBook(original.url);
  const oldest = await database.row(
    z.object({ isYoung: z.boolean() }),
    `select min(at) > borsello.platform_now() - make_interval(days => ${days}) as "isYoung"
     from borsello.audit`,
  );
  expect(oldest).toEqual({ isYoung: true });
  expect(await audits(database)).toBeGreaterThanOrEqual(before);
  expect(await proveBooks(database, { partnerKey: null, at: null })).toMatchObject({
    balanced: true,
    mismatches: [],
  });
  await database.close();

  const proof = await prove(original.url, { head });
  expect(proof.findings).toEqual([]);
  expect(proof.notes.map(([name]) => name)).toContain("audit rows forgotten");
  expect(proof.notes).toContainEqual(["not sealed yet", "0 audit rows, 0 transactions"]);
});

test("nobody else deletes audit rows, and nobody changes what they left", async () => {
  const client = await connect(original.url);
  for (const statement of [
    "delete from borsello.audit",
    "delete from borsello.forgotten_audit",
    "update borsello.forgotten_audit set hashes = ''",
  ])
    await expect(client.query(statement), statement).rejects.toThrow("append-only");
  await client.end();
});

const firstKept = `(select min(link_id) from borsello.audit_link as l where audit_rows > 0
  and not exists (select from borsello.forgotten_audit as f where f.link_id = l.link_id))`;

test.each([
  [
    "hashes that were left are changed",
    "update borsello.forgotten_audit set hashes = sha256('') where length(hashes) > 0 and link_id = 1",
  ],
  ["hashes that were left are gone", "delete from borsello.forgotten_audit where link_id = 1"],
  [
    "a forgotten row is put back",
    `insert into borsello.audit (audit_id, actor, entity, entity_id, action)
     overriding system value values (1, 'nobody', 'Wallet', '1', 'create')`,
  ],
  [
    "an entry of a transaction in a link that was forgotten is changed",
    `update borsello.entry set amount_cents = amount_cents + 1
     where transaction_id = (select min(transaction_id) from borsello.ledger_transaction)`,
  ],
  [
    "rows are made to look forgotten",
    `with hashed as (
       insert into borsello.forgotten_audit
       select link_id, (select string_agg(borsello.audit_hash(audit), '' order by audit_id)
         from borsello.audit where audit_id <= l.audit_through)
       from borsello.audit_link as l where link_id = ${firstKept}
     )
     delete from borsello.audit
     where audit_id <= (select audit_through from borsello.audit_link where link_id = ${firstKept})`,
  ],
])("is found: %s", async (_what, statement) => {
  const found = await onCopy(async (url, client) => {
    expect((await client.query(statement)).rowCount).not.toBe(0);
    return (await prove(url)).findings.filter(({ check }) => check === "hash chain");
  });
  expect(found.length).toBeGreaterThan(0);
});
