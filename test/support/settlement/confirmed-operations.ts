/** Operations that are confirmed, with the movements of their confirmation (contract 4.6), for what settles them. */
import { z } from "zod";
import type { OperationType } from "../../../shared/domain/operations/families.js";
import { openBucket } from "../../../shared/database/ledger/ledger.js";
import type { Database, Queryable } from "../../../shared/database/platform/database.js";

export interface Confirmed {
  readonly walletId: string;
  readonly type: OperationType;
  readonly cents: bigint;
  readonly feesCents?: bigint;
  readonly storeId?: string | null;
  readonly dealerKey?: string | null;
  /** By default now. */
  readonly confirmedOn?: string;
}

const Owner = z.object({ partnerKey: z.string(), name: z.string(), iban: z.string().nullable() });
const Identified = z.object({ operationId: z.string() });

const isDebit = (type: OperationType): boolean =>
  type === "CashWithdrawal" || type === "Payment" || type === "SctWithdrawal";

/** Where the other side of the movement is. */
const counterparty = ({
  type,
  storeId = null,
  dealerKey = null,
}: Confirmed): readonly [kind: string, reference: string] => {
  if (type === "SctWithdrawal") return ["Transit", "outgoing"];
  if (storeId !== null) return ["Store", storeId];
  if (type === "Payment") return ["Cards", "cards"];
  return type === "WelfareDeposit" ? ["Dealer", dealerKey ?? ""] : ["Bank", "safeguarding"];
};

const insert = `
  insert into borsello.operation (wallet_id, partner_key, type, amount_cents, final_amount_cents,
    net_amount_cents, fees_amount_cents, fees, status, funds_type, bucket_id, store_id, dealer_key,
    confirmation_date, creditor_name, creditor_iban)
  values ($1, $2, $3::text, $4::bigint, $4 + case when $6 then $5::bigint else 0 end,
    $4 - case when $6 then 0 else $5 end, $5, case when $5 = 0 then '[]'::json else
      json_build_array(json_build_object('amount', borsello.money($5), 'beneficiary', 'platform',
        'debtor', 'wallet')) end,
    $7, 'Standard', $8, $9, $10, coalesce($11::timestamptz, borsello.platform_now()),
    case when $3 = 'SctWithdrawal' then $12 end, case when $3 = 'SctWithdrawal' then $13 end)
  returning operation_id as "operationId"`;

const post = (
  tx: Queryable,
  operationId: string,
  partnerKey: string,
  kind: string,
  lines: readonly (readonly [kind: string, reference: string, cents: bigint])[],
): Promise<number> =>
  tx.execute(
    `select borsello.post_movement($1, $2, array_agg(borsello.account_for($3, line.kind, reference)),
       array_agg(cents))
     from unnest($4::text[], $5::text[], $6::bigint[]) as line (kind, reference, cents)`,
    [
      operationId,
      kind,
      partnerKey,
      lines.map(([account]) => account),
      lines.map(([, reference]) => reference),
      lines.map(([, , cents]) => cents),
    ],
  );

/** As its confirmation leaves it; a debit's funds come from a deposit that is settled already. */
export const confirmOperation = (database: Database, given: Confirmed): Promise<string> =>
  database.transaction(async (tx) => {
    const { walletId, type, cents, feesCents = 0n } = given;
    const owner = await tx.row(
      Owner,
      `select partner_key as "partnerKey", first_name || ' ' || last_name as name, iban
       from borsello.wallet where wallet_id = $1 for no key update`,
      [walletId],
    );
    if (owner === undefined) throw new Error(`no wallet ${walletId}`);
    const { partnerKey, name, iban } = owner;
    const bucket = await openBucket(tx, {
      ...{ walletId, partnerKey, fundsType: "Standard", fundsExpiryDate: null },
      isWithdrawable: true,
    });
    const reference = await tx.row(
      z.object({ reference: z.string() }),
      "select reference from borsello.account where account_id = $1",
      [bucket.accountId],
    );
    const own = reference?.reference ?? "";
    const write = async (of: OperationType, amount: bigint, fees: bigint, status: string) => {
      const row = await tx.row(Identified, insert, [
        ...[walletId, partnerKey, of, amount, fees, isDebit(of), status, bucket.bucketId],
        ...[given.storeId ?? null, given.dealerKey ?? null, given.confirmedOn ?? null, name, iban],
      ]);
      if (row === undefined) throw new Error("no operation was written");
      return row.operationId;
    };
    if (isDebit(type)) {
      const funds = await write("SctStandardDeposit", cents + feesCents, 0n, "Completed");
      await post(tx, funds, partnerKey, "Deposit", [
        ["Bank", "safeguarding", -cents - feesCents],
        ["Bucket", own, cents + feesCents],
      ]);
    }
    const operationId = await write(type, cents, feesCents, "Confirmed");
    const [kind, party] = counterparty(given);
    if (!isDebit(type))
      await post(tx, operationId, partnerKey, "Deposit", [
        [kind, party, -cents],
        ["Bucket", own, cents - feesCents],
        ["Fees", "platform", feesCents],
      ]);
    else if (type === "Payment")
      await post(tx, operationId, partnerKey, "Payment", [
        ["Bucket", own, -cents],
        [kind, party, cents],
      ]);
    else
      await post(tx, operationId, partnerKey, "Withdrawal", [
        ["Bucket", own, -cents - feesCents],
        [kind, party, cents],
        ["Fees", "platform", feesCents],
      ]);
    return operationId;
  });

const Cents = z.object({ cents: z.bigint() });

/** What the partner's account of this name holds. */
export const accountCents = async (
  database: Queryable,
  kind: string,
  reference: string,
): Promise<bigint> =>
  (
    await database.row(
      Cents,
      `select coalesce(sum(amount_cents), 0)::bigint as cents
       from borsello.account left join borsello.entry using (account_id)
       where partner_key = 'acme' and kind = $1 and reference = $2`,
      [kind, reference],
    )
  )?.cents ?? 0n;

const Step = z.object({ step: z.string() });

/** The states that an operation went through, from its audit rows. */
export const timelineOf = async (database: Queryable, operationId: string): Promise<string[]> =>
  (
    await database.rows(
      Step,
      `select coalesce(from_status, '-') || ' ' || to_status as step from borsello.audit
       where entity = 'Operation' and entity_id = $1 and action <> 'restart' order by audit_id`,
      [operationId],
    )
  ).map(({ step }) => step);

/** The events about an operation, oldest first. */
export const eventsOf = async (
  database: Queryable,
  operationId: string,
): Promise<{ subject: string; body: Record<string, unknown> }[]> =>
  database.rows(
    z.object({ subject: z.string(), body: z.record(z.string(), z.unknown()) }),
    `select subject, body from borsello.outbox
     where partner_key is not null and body ->> 'operationId' = $1 order by outbox_id`,
    [operationId],
  );
