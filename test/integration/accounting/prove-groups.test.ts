/** The proof of what stores owe: groups in every state have no findings, and each tampering is found. */
import type { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Book } from "../../../shared/database/accounting/book.js";
import { checkGroups } from "../../../shared/database/accounting/check-groups.js";
import { checkNotifications } from "../../../shared/database/accounting/check-notifications.js";
import { destroyWallet } from "../../../shared/database/wallet/deletion.js";
import { closeWallet, suspendWallet } from "../../../shared/database/wallet/states.js";
import { connect } from "../../support/database/connections.js";
import {
  activateMandate,
  compensate,
  credit,
  operateOn,
  owe,
  requestsOf,
  tellBank,
} from "../../support/settlement/store-money.js";
import { openStore } from "../../support/stores/store-fixtures.js";
import {
  acme,
  made,
  openValidatedWallet,
  openWalletTest,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

let opened: WalletTest;
let client: Client;

/** One group of its own store, of what the store is owed. */
const openGroup = async (cents: bigint) => {
  const { walletId } = await openValidatedWallet(opened.database);
  const { storeId } = await openStore(opened.database);
  return { ...(await owe(opened.database, { walletId, storeId, cents })), storeId, walletId };
};
type Opened = Awaited<ReturnType<typeof openGroup>>;

const tell = ({ reconciliationId }: Opened, outcome: "booked" | "refused" | "returned") =>
  tellBank(opened.database, reconciliationId, outcome);

/** Groups that a direct debit, or a payment, is out for. */
const collecting = async (cents: bigint, times: number): Promise<Opened[]> => {
  const groups: Opened[] = [];
  for (let count = 0; count < times; count += 1) {
    const group = await openGroup(cents);
    await activateMandate(opened.database, group.storeId);
    groups.push(group);
  }
  await compensate(opened.database);
  return groups;
};

beforeAll(async () => {
  opened = await openWalletTest();
  const [, debited, drawn, refused, returned] = await collecting(-50_00n, 5);
  const [, paid, lost] = await collecting(40_00n, 3);
  if (!debited || !drawn || !refused || !returned || !paid || !lost) throw new Error("no groups");
  const [request] = await requestsOf(opened.database, drawn.reconciliationId);
  await credit(opened.database, 50_00n, "collection", {
    namedRequestId: request?.requestId ?? null,
  });
  for (const group of [debited, drawn, returned, paid, lost]) await tell(group, "booked");
  for (const group of [returned, lost]) await tell(group, "returned");
  await tell(refused, "refused");
  const [waiting, partly, over] = [
    await openGroup(-20_00n),
    await openGroup(-20_00n),
    await openGroup(-20_00n),
  ];
  await credit(opened.database, 5_00n, partly.code);
  await credit(opened.database, 27_00n, over.code);
  const { walletId, storeId } = waiting;
  await operateOn(opened.database, { walletId, storeId, cents: 3_00n });
  made(await suspendWallet(opened.database, acme, over.walletId));
  made(await closeWallet(opened.database, acme, over.walletId, { requiresZeroBalance: false }));
  made(await destroyWallet(opened.database, acme, over.walletId));
  client = await connect(opened.url);
  await client.query("set session_replication_role = replica");
});
afterAll(async () => {
  await client.end();
  await opened.end();
});

const findings = async (): Promise<string[]> => {
  const book: Book = {
    row: async (schema, text, values = []) =>
      schema.parse((await client.query<object>(text, [...values])).rows[0]),
  };
  const found: string[] = [];
  const note = (check: string) => ({
    find: (_: string, detail: string) => found.push(`${check}: ${detail}`),
    advance: () => undefined,
    note: () => undefined,
  });
  await checkGroups(book, note("groups"));
  await checkNotifications(book, note("notifications"));
  return found;
};

test("groups in every state have no findings, a deleted wallet included", async () => {
  const { rows } = await client.query<{ status: string; groups: number }>(
    `select status, count(*)::int as groups from borsello.reconciliation_group
     group by status order by status`,
  );
  expect(rows).toEqual([
    { status: "Collecting", groups: 2 },
    { status: "Pending", groups: 5 },
    { status: "Reconciled", groups: 4 },
  ]);
  expect(await findings()).toEqual([]);
});

const accountOf = (kind: string): string =>
  `(select min(account_id) from borsello.account where kind = '${kind}')`;
const groupWhere = (condition: string): string =>
  `(select min(reconciliation_id::text)::uuid from borsello.reconciliation_group where ${condition})`;
const moved = (kind: string, account: string): string =>
  `(select max(transaction_id) from borsello.ledger_transaction join borsello.entry
      using (transaction_id) join borsello.account using (account_id)
    where ledger_transaction.kind = '${kind}' and account.kind = '${account}'
      and ledger_transaction.operation_id is null)`;

test.each<readonly [string, string, readonly RegExp[]]>([
  [
    "what a group says was paid",
    `update borsello.reconciliation_group set settled_cents = settled_cents + 1
     where reconciliation_id = ${groupWhere("status = 'Collecting' and open_cents < 0")}`,
    [/^groups: Settled/, /^groups: Balance/],
  ],
  [
    "what a group says was harvested",
    `update borsello.reconciliation_group set owed_to_store_cents = owed_to_store_cents - 1
     where reconciliation_id = ${groupWhere("status = 'Pending'")}`,
    [/^groups: Harvested/, /^groups: Balance/],
  ],
  [
    "a group that nobody collects",
    `update borsello.bank_request set status = 'Refused'
     where reconciliation_id = ${groupWhere("status = 'Collecting' and open_cents < 0")}`,
    [/^groups: it is Collecting, and 0 requests/],
  ],
  [
    "a payment that is in transit and was asked for of nobody",
    `update borsello.bank_request set status = 'Booked'
     where reconciliation_id = ${groupWhere("status = 'Collecting' and open_cents = 0")}`,
    [/^groups: 4000 cents of it are in transit/],
  ],
  [
    "a payment that went to another store",
    `update borsello.entry set account_id = (
       select max(account_id) from borsello.account where kind = 'Store')
     where transaction_id = ${moved("StorePayment", "Store")} and account_id <> ${accountOf("Transit")}`,
    [/^groups: 4000 cents of its entries lie on another store/, /^groups: Balance/],
  ],
  [
    "a store's transfer that did not leave suspense",
    `update borsello.entry set account_id = ${accountOf("Bank")}
     where transaction_id = ${moved("Reconciliation", "Suspense")}
       and account_id = ${accountOf("Suspense")}`,
    [/^notifications: it holds 700 cents, and 2700/, /^notifications: it has/],
  ],
  [
    "a direct debit that was drawn from suspense, posted from the bank",
    `update borsello.entry set account_id = ${accountOf("Bank")}
     where transaction_id = ${moved("Booking", "Suspense")}
       and account_id = ${accountOf("Suspense")}`,
    [/^notifications: it holds 0 cents, and 5000/, /^notifications: it has/],
  ],
])("found is %s", async (_, statement, expected) => {
  await client.query("begin");
  try {
    expect((await client.query(statement)).rowCount).toBe(1);
    const found = await findings();
    for (const pattern of expected)
      expect(found).toContainEqual(expect.stringMatching(pattern) as unknown);
  } finally {
    await client.query("rollback");
  }
});
