/** Books for tests: operations of every family, posted as contract 4.6 has them and audited. */
import { z } from "zod";
import type { Database, Queryable } from "../../../shared/database/platform/database.js";
import { openBucket, type Bucket, type BucketKey } from "../../../shared/database/ledger/ledger.js";
import { openWallet } from "../wallet/wallet-fixtures.js";

type Account = "Bank" | "Suspense" | "Transit" | "Fees" | "Store" | "Dealer" | "Cards" | "Bucket";
type Line = readonly [account: Account, cents: bigint];

const references: Readonly<Record<Exclude<Account, "Bucket" | "Store">, string>> = {
  Bank: "safeguarding",
  Suspense: "received",
  Transit: "outgoing",
  Fees: "partner",
  Dealer: "dealer-rome",
  Cards: "cards",
};

export const storeId = "01890a5d-ac96-774b-bcce-b302099a8057";

export interface BookWallet extends Bucket {
  readonly walletId: string;
}

export interface Written {
  readonly type: string;
  readonly status: string;
  readonly cents: bigint;
  readonly feeCents?: bigint;
  /** Its movements, in their order. */
  readonly movements?: readonly (readonly [kind: string, ...lines: Line[]])[];
  readonly dates?: Readonly<Record<string, string>>;
}

const Identified = z.object({ operationId: z.string() });
const Account = z.object({ id: z.bigint() });

const accountOf = async (tx: Queryable, wallet: BookWallet, kind: Account): Promise<bigint> => {
  if (kind === "Bucket") return wallet.accountId;
  const reference = kind === "Store" ? storeId : references[kind];
  const found = await tx.row(Account, "select borsello.account_for('acme', $1, $2) as id", [
    kind,
    reference,
  ]);
  if (found === undefined) throw new Error(`no account ${kind}`);
  return found.id;
};

type Funds = Partial<Pick<BucketKey, "fundsType" | "fundsExpiryDate" | "isWithdrawable">>;

/** A bucket of one of acme's wallets: of standard funds, unless the test asks for others. */
export const openBook = async (
  database: Database,
  walletId: string,
  funds: Funds = {},
): Promise<BookWallet> => {
  const standard = { fundsType: "Standard", fundsExpiryDate: null, isWithdrawable: true } as const;
  const bucket = await database.transaction((tx) =>
    openBucket(tx, { walletId, partnerKey: "acme", ...standard, ...funds }),
  );
  return { walletId, ...bucket };
};

export const openBookWallet = async (database: Database): Promise<BookWallet> =>
  openBook(database, (await openWallet(database)).walletId);

const insertOperation = `
  insert into borsello.operation (wallet_id, partner_key, dealer_key, store_id, type, amount_cents,
    final_amount_cents, net_amount_cents, fees_amount_cents, fees, status, funds_type, bucket_id,
    creation_date, confirmation_date, cancellation_date, termination_date, expiry_date)
  values ($1, 'acme', 'dealer-rome', $2, $3, $4::bigint,
    case when $8::boolean then $4::bigint else $4::bigint + $5::bigint end,
    case when $8 then $4::bigint - $5::bigint else $4::bigint end, $5::bigint,
    case when $5::bigint = 0 then '[]'::json else json_build_array(json_build_object(
      'amount', borsello.money($5::bigint), 'beneficiary', 'partner', 'debtor', 'wallet')) end,
    $6, 'Standard', $7, coalesce($9, borsello.platform_now()), $10, $11, $12, $13)
  returning operation_id as "operationId"`;

const debits = ["CashWithdrawal", "Payment", "SctWithdrawal"];

/** Writes an operation in its last state, with its movements and the audit row of that state. */
export const writeOperation = (
  database: Database,
  wallet: BookWallet,
  { type, status, cents, feeCents = 0n, movements = [], dates = {} }: Written,
): Promise<string> =>
  database.transaction(async (tx) => {
    const written = await tx.row(Identified, insertOperation, [
      wallet.walletId,
      storeId,
      type,
      cents,
      feeCents,
      status,
      wallet.bucketId,
      !debits.includes(type),
      ...["creation", "confirmation", "cancellation", "termination", "expiry"].map(
        (name) => dates[name] ?? null,
      ),
    ]);
    if (written === undefined) throw new Error("no operation was written");
    const { operationId } = written;
    for (const [kind, ...lines] of movements) {
      const accounts: bigint[] = [];
      for (const [account] of lines) accounts.push(await accountOf(tx, wallet, account));
      await tx.execute("select borsello.post_movement($1, $2, $3::bigint[], $4::bigint[])", [
        operationId,
        kind,
        accounts,
        lines.map(([, amount]) => amount),
      ]);
    }
    await tx.execute(
      `insert into borsello.audit (actor, partner_key, entity, entity_id, action, to_status)
       values ('acme-client', 'acme', 'Operation', $1, 'test', $2)`,
      [operationId, status],
    );
    return operationId;
  });

export const deposit = (cents: bigint, feeCents = 0n): Written => ({
  type: "CashDeposit",
  status: "Confirmed",
  cents,
  feeCents,
  movements: [["Deposit", ["Store", -cents], ["Bucket", cents - feeCents], ["Fees", feeCents]]],
});

export const payment = (cents: bigint, feeCents = 0n): Written => ({
  type: "Payment",
  status: "Completed",
  cents,
  feeCents,
  movements: [
    ["Payment", ["Bucket", -cents], ["Store", cents]],
    ...(feeCents === 0n ? [] : [["Fee", ["Bucket", -feeCents], ["Fees", feeCents]] as const]),
  ],
});

/** Confirmed, its fee held until it is completed. */
export const confirmedPayment = (cents: bigint, feeCents = 0n): Written => ({
  type: "Payment",
  status: "Confirmed",
  cents,
  feeCents,
  movements: [["Payment", ["Bucket", -cents], ["Store", cents]]],
});

export const cashWithdrawal = (cents: bigint, feeCents = 0n): Written => ({
  type: "CashWithdrawal",
  status: "Confirmed",
  cents,
  feeCents,
  movements: [["Withdrawal", ["Bucket", -cents - feeCents], ["Store", cents], ["Fees", feeCents]]],
});

/** A collection that the bank has booked. */
export const collection = (cents: bigint): Written => ({
  type: "SddDeposit",
  status: "Confirmed",
  cents,
  movements: [["Deposit", ["Bank", -cents], ["Bucket", cents]]],
});

/** The bank took a collection back: it keeps its status. */
export const returnedCollection = (cents: bigint): Written => ({
  type: "SddDeposit",
  status: "Confirmed",
  cents,
  movements: [
    ["Deposit", ["Bank", -cents], ["Bucket", cents]],
    ["Reversal", ["Bank", cents], ["Bucket", -cents]],
  ],
});

/** The bank was asked for the payment and has not booked it. */
export const transferUnderWay = (cents: bigint): Written => ({
  type: "SctWithdrawal",
  status: "OutgoingPaymentInitialized",
  cents,
  movements: [["Withdrawal", ["Bucket", -cents], ["Transit", cents]]],
});

/** Refused by the bank: what was posted is mirrored. */
export const rejectedTransfer = (cents: bigint, feeCents: bigint): Written => ({
  type: "SctWithdrawal",
  status: "OutgoingPaymentRejected",
  cents,
  feeCents,
  movements: [
    ["Withdrawal", ["Bucket", -cents - feeCents], ["Transit", cents], ["Fees", feeCents]],
    ["Reversal", ["Bucket", cents + feeCents], ["Transit", -cents], ["Fees", -feeCents]],
  ],
});

/** Any number of confirmed deposits of seven cents each, written at once and past every trigger. */
export const writeDeposits = (
  database: Database,
  { walletId, bucketId, accountId }: BookWallet,
  count: number,
): Promise<void> =>
  database.transaction(async (tx) => {
    await tx.execute("set local session_replication_role = replica");
    await tx.execute(
      `with store as materialized (
         select borsello.account_for('acme', 'Store', $4) as store_account
       ), made as materialized (
         select uuidv7() as operation_id, n from generate_series(1, $5::integer) as n
       ), operations as (
         insert into borsello.operation (operation_id, wallet_id, partner_key, store_id, type,
           amount_cents, final_amount_cents, net_amount_cents, fees_amount_cents, status,
           funds_type, bucket_id, confirmation_date)
         select operation_id, $1, 'acme', $4::uuid, 'CashDeposit', 7, 7, 7, 0, 'Confirmed',
           'Standard', $2, borsello.platform_now()
         from made
       ), posted as (
         insert into borsello.ledger_transaction (operation_id, kind)
         select operation_id, 'Deposit' from made order by n returning transaction_id
       ), entries as (
         insert into borsello.entry (transaction_id, account_id, amount_cents)
         select transaction_id, store_account, -7 from posted, store
         union all select transaction_id, $3, 7 from posted
       ), audited as (
         insert into borsello.audit (actor, partner_key, entity, entity_id, action, to_status)
         select 'acme-client', 'acme', 'Operation', operation_id::text, action, status
         from made, (values ('initialise', 'Initialized'), ('confirm', 'Confirmed')) as step (action, status)
         order by n, action desc
       )
       update borsello.bucket set balance_cents = balance_cents + 7 * $5 where bucket_id = $2`,
      [walletId, bucketId, accountId, storeId, count],
    );
  });
