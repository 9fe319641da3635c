/** The proof from outside: a right book has no findings, and each tampering is found where it was done. */
import { randomInt } from "node:crypto";
import type { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase, type Database } from "../../../shared/database/platform/database.js";
import { prepareSandbox } from "../../../shared/database/sandbox/preparation.js";
import { readBook } from "../../../shared/database/accounting/book.js";
import { checkChain } from "../../../shared/database/accounting/check-chain.js";
import { proveBook, type BookProof } from "../../../shared/database/accounting/prove.js";
import { sealAudit } from "../../../shared/database/accounting/seal.js";
import {
  deposit,
  openBookWallet,
  payment,
  rejectedTransfer,
  returnedCollection,
  transferUnderWay,
  writeOperation,
} from "../../support/accounting/books.js";
import { writeNotifications } from "../../support/accounting/notifications.js";
import { connect } from "../../support/database/connections.js";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";
import { silentLogger } from "../../support/wallet/bank-fixtures.js";

const openBook = (url: string): Database =>
  openDatabase({
    connection: { kind: "url", url },
    logger: silentLogger,
    prepare: prepareSandbox,
  });

const patient = { patienceMs: 30_000, linksMax: 1_000 };

let original: TestDatabase;
let head: string;

const writeBook = async (database: Database): Promise<void> => {
  const [one, other, gone] = [
    await openBookWallet(database),
    await openBookWallet(database),
    await openBookWallet(database),
  ];
  for (const wallet of [one, other, gone]) {
    for (let index = 1n; index <= 8n; index += 1n)
      await writeOperation(database, wallet, deposit(1_000n * index, 100n));
    await writeNotifications(database, wallet.walletId, wallet.walletId);
    await sealAudit(database, patient);
    await writeOperation(database, wallet, payment(700n, 25n));
    await writeOperation(database, wallet, returnedCollection(400n));
    await writeOperation(database, wallet, transferUnderWay(350n));
    await writeOperation(database, wallet, rejectedTransfer(500n, 50n));
    await writeOperation(database, wallet, { type: "Payment", status: "Initialized", cents: 300n });
    await writeOperation(database, wallet, {
      type: "CashWithdrawal",
      status: "Cancelled",
      cents: 300n,
    });
  }
  await sealAudit(database, patient);
  // Some of its transactions are sealed, and some are not.
  await writeOperation(database, gone, deposit(55n));
  await database.execute("select borsello.force_delete_wallet($1, 'acme-client')", [gone.walletId]);
  await sealAudit(database, patient);
};

const prove = (url: string, options = {}): Promise<BookProof> =>
  proveBook({ kind: "url", url }, options);

beforeAll(async () => {
  original = await createDatabase({ migrated: true });
  const database = openBook(original.url);
  await database.ready();
  await writeBook(database);
  await database.close();
  const { notes } = await prove(original.url);
  head = notes.find(([name]) => name === "end of the chain")?.[1] ?? "";
});
afterAll(() => original.drop());

test("a right book has no findings, a deleted wallet included", async () => {
  const proof = await prove(original.url, { head });
  expect(proof.findings).toEqual([]);
  expect(proof.checks.every(({ rows }) => rows > 0)).toBe(true);
  expect(proof.notes).toContainEqual(["not sealed yet", "0 audit rows, 0 transactions"]);
  expect(proof.notes).toContainEqual(["sealed transactions deleted with their wallets", "17"]);
});

/** Changes a copy of the book as somebody who may do everything, and hands it on. */
const tampered = async <Value>(
  statements: readonly string[],
  work: (url: string, client: Client) => Promise<Value>,
): Promise<Value> => {
  const copy = await createDatabase({ copyOf: original });
  const client = await connect(copy.url);
  try {
    // No trigger and no foreign key stands in the way.
    await client.query("set session_replication_role = replica");
    for (const statement of statements)
      expect((await client.query(statement)).rowCount, statement).not.toBe(0);
    return await work(copy.url, client);
  } finally {
    await client.end();
    await copy.drop();
  }
};

const deposits =
  "(select min(transaction_id) from borsello.ledger_transaction where kind = 'Deposit')";
const anOperation = (type: string, status: string): string =>
  `(select min(operation_id::text)::uuid from borsello.operation
    where type = '${type}' and status = '${status}')`;

const aNotification = (reference: string): string =>
  `(select min(bank_notification_id::text)::uuid from borsello.bank_notification
    where transaction_reference like '%${reference}')`;
const accountOf = (kind: string): string =>
  `(select account_id from borsello.account where partner_key = 'acme' and kind = '${kind}' limit 1)`;
/** Entries of one account's transaction, laid on another one. */
const laidElsewhere = (from: string, to: string, transactions: string): string =>
  `update borsello.entry set account_id = ${accountOf(to)}
   where account_id = ${accountOf(from)} and transaction_id = (
     select max(t.transaction_id) from borsello.ledger_transaction as t join borsello.entry as e
       on e.transaction_id = t.transaction_id and e.account_id = ${accountOf(from)}
     where ${transactions})`;

interface Tampering {
  readonly what: string;
  readonly statements: readonly string[];
  /** The checks that must find it, and no other. */
  readonly foundBy: readonly string[];
}

const tamperings: readonly Tampering[] = [
  {
    what: "one entry larger",
    statements: [
      `update borsello.entry set amount_cents = amount_cents + 1
       where transaction_id = ${deposits} and amount_cents > 0`,
    ],
    foundBy: ["buckets", "hash chain", "operations", "transactions"],
  },
  {
    what: "both entries of a transaction larger, and its bucket",
    statements: [
      `update borsello.bucket set balance_cents = balance_cents + 900 where account_id in (
         select account_id from borsello.entry where transaction_id = ${deposits})`,
      `update borsello.wallet_count set available_cents = available_cents + 900 where shard = (
         select min(shard) from borsello.wallet_count)`,
      `update borsello.entry set amount_cents = amount_cents + 900 * sign(amount_cents)
       where transaction_id = ${deposits} and account_id in (
         select account_id from borsello.account where kind in ('Bucket', 'Store'))`,
    ],
    foundBy: ["hash chain", "operations"],
  },
  {
    what: "an entry moved to another account",
    statements: [
      `update borsello.entry set account_id = (
         select max(account_id) from borsello.account where kind = 'Bucket')
       where transaction_id = ${deposits} and account_id = (
         select min(account_id) from borsello.account where kind = 'Bucket')`,
    ],
    foundBy: ["buckets", "hash chain", "operations"],
  },
  {
    what: "a whole transaction taken away, and its balance",
    statements: [
      `update borsello.bucket set balance_cents = balance_cents - 900 where account_id in (
         select account_id from borsello.entry where transaction_id = ${deposits})`,
      `delete from borsello.entry where transaction_id = ${deposits}`,
      `delete from borsello.ledger_transaction where transaction_id = ${deposits}`,
    ],
    foundBy: ["counters", "hash chain", "operations"],
  },
  {
    what: "a transaction without its entries",
    statements: [`delete from borsello.entry where transaction_id = ${deposits}`],
    foundBy: ["buckets", "hash chain", "operations", "transactions"],
  },
  {
    what: "entries without their transaction",
    statements: [`delete from borsello.ledger_transaction where transaction_id = ${deposits}`],
    foundBy: ["hash chain", "operations", "transactions"],
  },
  {
    what: "a transaction dated otherwise",
    statements: [
      `update borsello.ledger_transaction set posted_at = posted_at - interval '1 day'
       where transaction_id = ${deposits}`,
    ],
    foundBy: ["hash chain"],
  },
  {
    what: "an account that has another name",
    statements: ["update borsello.account set reference = 'mine' where kind = 'Fees'"],
    foundBy: ["hash chain"],
  },
  {
    what: "a balance",
    statements: [
      `update borsello.bucket set balance_cents = balance_cents + 1
       where bucket_id = (select min(bucket_id::text)::uuid from borsello.bucket)`,
    ],
    foundBy: ["buckets", "counters"],
  },
  {
    what: "a bucket given to another wallet",
    statements: [
      `update borsello.bucket set wallet_id = (select max(wallet_id::text)::uuid from borsello.wallet),
         funds_type = 'Loyalty'
       where bucket_id = (select min(bucket_id::text)::uuid from borsello.bucket)`,
    ],
    foundBy: ["operations"],
  },
  {
    what: "more held than a bucket has",
    statements: [
      `update borsello.operation set amount_cents = 9999999, final_amount_cents = 9999999,
         net_amount_cents = 9999999 where operation_id = ${anOperation("Payment", "Initialized")}`,
    ],
    foundBy: ["buckets", "counters"],
  },
  {
    what: "an operation's amount",
    statements: [
      `update borsello.operation set amount_cents = amount_cents + 1,
         final_amount_cents = final_amount_cents + 1, net_amount_cents = net_amount_cents + 1
       where operation_id = ${anOperation("CashDeposit", "Confirmed")}`,
    ],
    foundBy: ["operations"],
  },
  {
    what: "an operation's fee",
    statements: [
      `update borsello.operation set fees = '[]'
       where operation_id = ${anOperation("Payment", "Completed")}`,
    ],
    foundBy: ["operations"],
  },
  {
    what: "an operation's status, with its counters",
    statements: [
      `update borsello.operation set status = 'Cancelled'
       where operation_id = ${anOperation("Payment", "Initialized")}`,
      `update borsello.operation_count set operations = operations - 1
       where ctid = (select min(ctid) from borsello.operation_count
         where type = 'Payment' and status = 'Initialized')`,
      `insert into borsello.operation_count (partner_key, type, status, shard, operations)
       values ('acme', 'Payment', 'Cancelled', 0, 1)`,
      "update borsello.wallet_count set available_cents = available_cents + 300 where shard = (select min(shard) from borsello.wallet_count)",
    ],
    foundBy: ["operations"],
  },
  {
    what: "an operation taken away",
    statements: [
      `delete from borsello.operation where operation_id = ${anOperation("CashWithdrawal", "Cancelled")}`,
    ],
    foundBy: ["counters"],
  },
  {
    what: "a notification's amount",
    statements: [
      `update borsello.bank_notification set amount_cents = amount_cents + 1
       where bank_notification_id = ${aNotification("received")}`,
    ],
    foundBy: ["notifications", "transactions"],
  },
  ...["partly", "sent back"].map((reference) => ({
    what: `what a notification that is ${reference} has used`,
    statements: [
      `update borsello.bank_notification set consumed_amount_cents = consumed_amount_cents - 1
       where bank_notification_id = ${aNotification(reference)}`,
    ],
    foundBy: ["notifications"],
  })),
  {
    what: "a notification's status",
    statements: [
      `update borsello.bank_notification set status = 'Failed'
       where bank_notification_id = ${aNotification("received")}`,
    ],
    foundBy: ["notifications"],
  },
  {
    what: "a notification taken away",
    statements: [
      `delete from borsello.bank_notification
       where bank_notification_id = ${aNotification("received")}`,
    ],
    foundBy: ["notifications"],
  },
  {
    what: "a credit taken from the bank instead of from suspense",
    statements: [
      laidElsewhere("Suspense", "Bank", "kind = 'Deposit' and operation_id is not null"),
    ],
    foundBy: ["hash chain", "notifications"],
  },
  {
    what: "a payment's fee that went to suspense",
    statements: [laidElsewhere("Fees", "Suspense", "kind = 'Fee'")],
    foundBy: ["hash chain", "notifications", "operations"],
  },
  {
    what: "a payment that is not in transit before the bank has booked it",
    statements: [
      laidElsewhere(
        "Transit",
        "Bank",
        `operation_id =
        ${anOperation("SctWithdrawal", "OutgoingPaymentInitialized")}`,
      ),
    ],
    foundBy: ["hash chain", "operations"],
  },
  {
    what: "a collection that did not go back to the bank",
    statements: [laidElsewhere("Bank", "Transit", "kind = 'Reversal'")],
    foundBy: ["hash chain", "operations"],
  },
  {
    what: "a counter of operations",
    statements: ["update borsello.operation_count set operations = operations + 1"],
    foundBy: ["counters"],
  },
  {
    what: "a counter of wallets",
    statements: ["update borsello.wallet_count set active = active - 1"],
    foundBy: ["counters"],
  },
  {
    what: "an audit row taken away",
    statements: ["delete from borsello.audit where audit_id = 3"],
    foundBy: ["hash chain"],
  },
  {
    what: "an audit row in another one's place",
    statements: [
      "delete from borsello.audit where audit_id = 3",
      `insert into borsello.audit (audit_id, actor, entity, entity_id, action)
       overriding system value values (3, 'nobody', 'Wallet', 'x', 'create')`,
    ],
    foundBy: ["hash chain"],
  },
  {
    what: "a link of the chain taken away",
    statements: ["delete from borsello.audit_link where link_id = 2"],
    foundBy: ["hash chain"],
  },
  {
    what: "a link that claims to be older",
    statements: [
      "update borsello.audit_link set sealed_at = sealed_at - interval '1 day' where link_id = 2",
    ],
    foundBy: ["hash chain"],
  },
];

describe("found is", () => {
  test.each(tamperings)("$what", async ({ statements, foundBy }) => {
    const { checks } = await tampered(statements, (url) => prove(url));
    const found = checks.filter(({ findings }) => findings > 0).map(({ name }) => name);
    expect(found.sort()).toEqual(foundBy);
  });
});

test("whoever forges the whole chain is found by a hash that was kept elsewhere", async () => {
  const forged = [
    "update borsello.audit set detail = '{}' where action = 'forceDelete'",
    "update borsello.audit set actor = 'somebody else' where audit_id = 3",
    "delete from borsello.audit_link",
    "select borsello.append_audit_link(1000000, 1000000)",
  ];
  await tampered(forged, async (url) => {
    expect((await prove(url)).findings).toEqual([]);
    expect((await prove(url, { head })).findings).toEqual([
      expect.objectContaining({ check: "hash chain", subject: "the chain" }),
    ]);
  });
});

/** Every column of a sealed row, and a value that it does not have. */
const columns: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  audit: {
    at: "at + interval '1 microsecond'",
    actor: "actor || ' '",
    partner_key: "coalesce(partner_key || 'x', 'NULL')",
    entity: "lower(entity)",
    entity_id: "entity_id || '|'",
    action: "action || ''''",
    from_status: "coalesce(from_status || 'x', '')",
    to_status: "coalesce(to_status || '\\', '')",
    detail: "json_build_object('was', detail)",
  },
  ledger_transaction: {
    operation_id: "uuidv7()",
    reconciliation_id: "uuidv7()",
    kind: "'StorePayment'",
    occurrence: "occurrence + 1",
    posted_at: "posted_at + interval '1 microsecond'",
    posted_in: "(posted_in::text::bigint + 1)::text::xid8",
  },
  entry: { amount_cents: "-amount_cents" },
};

const chainFindings = (url: string): Promise<number> =>
  readBook({ kind: "url", url }, async (book) => {
    let findings = 0;
    await checkChain()(book, {
      find: () => (findings += 1),
      advance: () => undefined,
      note: () => undefined,
    });
    return findings;
  });

test("a change of any column of any sealed row is found", async () => {
  await tampered([], async (url, client) => {
    for (let turn = 0; turn < 120; turn += 1) {
      const tables = Object.keys(columns);
      const table = tables[turn % tables.length] ?? "";
      const names = Object.keys(columns[table] ?? {});
      const column = names[randomInt(names.length)] ?? "";
      const { rows } = await client.query<{ ctid: string; kept: string | null }>(
        `select ctid::text, ${column}::text as kept from borsello.${table} order by random() limit 1`,
      );
      const [{ ctid, kept } = { ctid: "", kept: null }] = rows;
      const changed = await client.query<{ ctid: string; type: string }>(
        `update borsello.${table} set ${column} = ${columns[table]?.[column] ?? ""}
         where ctid = $1::tid returning ctid::text, pg_typeof(${column})::text as type`,
        [ctid],
      );
      const found = await chainFindings(url);
      expect(found, `${table}.${column}, was ${kept ?? "null"}`).toBeGreaterThan(0);
      const [after] = changed.rows;
      await client.query(
        `update borsello.${table} set ${column} = $2::${after?.type ?? "text"} where ctid = $1::tid`,
        [after?.ctid, kept],
      );
    }
    expect((await prove(url)).findings).toEqual([]);
  });
});
