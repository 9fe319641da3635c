/** Operations on a wallet's funds. Incoming credits are initialised and confirmed in one go. */
import { z } from "zod";
import { movement } from "../../domain/ledger/posting.js";
import type { Queryable } from "../platform/database.js";
import { bankAccountOf, openBucket, post } from "../ledger/ledger.js";

export type IncomingType = "SctStandardDeposit" | "SctInstantDeposit" | "SddDeposit";

export interface IncomingCredit {
  readonly type: IncomingType;
  readonly walletId: string;
  readonly partnerKey: string;
  readonly amountCents: bigint;
  readonly bankNotificationId: string;
}

const Identified = z.object({ operationId: z.string() });

/** The operation as Initialized, without fees: what arrives is credited in full. */
const initialise = async (
  tx: Queryable,
  credit: IncomingCredit,
  bucket: { readonly bucketId: string; readonly isNew: boolean },
): Promise<string> => {
  const operation = await tx.row(
    Identified,
    `with operation as (
       insert into borsello.operation
         (wallet_id, partner_key, type, amount_cents, final_amount_cents, net_amount_cents,
          fees_amount_cents, status, bank_notification_id, funds_type, bucket_id)
       values ($1, $2, $3, $4, $4, $4, 0, 'Initialized', $5, 'Standard', $6)
       returning *
     ), audited as (
       insert into borsello.audit (actor, partner_key, entity, entity_id, action, to_status)
       select 'platform', partner_key, 'Operation', operation_id::text, 'initialise', status
       from operation
     ), events (position, subject, version, payload) as (
       select 1, 'BucketCreated', 1, borsello.bucket_event(bucket)
       from borsello.bucket where bucket_id = $6 and $7
       union all
       select 2, 'OperationInitialized', operation.version,
         borsello.operation_event(operation::borsello.operation)
       from operation
     ), published as (
       select count(borsello.publish_event(subject, $2, $1::text, version, payload)) as events
       from (select * from events order by position) as in_order
     )
     select operation_id as "operationId" from operation, published`,
    [
      credit.walletId,
      credit.partnerKey,
      credit.type,
      credit.amountCents,
      credit.bankNotificationId,
      bucket.bucketId,
      bucket.isNew,
    ],
  );
  if (operation === undefined) throw new Error(`no operation was written for ${credit.walletId}`);
  return operation.operationId;
};

/** Initialized to Confirmed, with the events that tell of the operation and of its transaction. */
const confirm = (tx: Queryable, operationId: string, transactionId: bigint): Promise<number> =>
  tx.execute(
    `with operation as (
       update borsello.operation set status = 'Confirmed', version = version + 1,
         confirmation_date = borsello.platform_now(), last_update_date = borsello.platform_now()
       where operation_id = $1 and status = 'Initialized'
       returning *
     ), audited as (
       insert into borsello.audit
         (actor, partner_key, entity, entity_id, action, from_status, to_status)
       select 'platform', partner_key, 'Operation', operation_id::text, 'confirm', 'Initialized',
         status
       from operation
     ), events (position, subject, payload) as (
       select 1, 'OperationConfirmed', borsello.json_with(
         borsello.operation_event(operation::borsello.operation),
         json_build_object('confirmationDate', borsello.iso(confirmation_date)))
       from operation
       union all
       select 2, 'TransactionConfirmed',
         borsello.transaction_event(operation::borsello.operation, $2, 'Deposit')
       from operation
     )
     select borsello.publish_event(subject, partner_key, wallet_id::text, version, payload)
     from (
       select events.*, partner_key, wallet_id, version from events, operation order by position
     ) as in_order`,
    [operationId, transactionId],
  );

/** Credits an incoming transfer in the caller's transaction, which holds the wallet's row. */
export const creditIncoming = async (tx: Queryable, credit: IncomingCredit): Promise<string> => {
  const bucket = await openBucket(tx, {
    walletId: credit.walletId,
    partnerKey: credit.partnerKey,
    fundsType: "Standard",
    fundsExpiryDate: null,
    isWithdrawable: true,
  });
  const operationId = await initialise(tx, credit, bucket);
  const transactionId = await post(
    tx,
    movement(operationId, "Deposit", {
      from: await bankAccountOf(tx, credit.partnerKey),
      to: bucket.accountId,
      amountCents: credit.amountCents,
    }),
  );
  if (transactionId === undefined) throw new Error(`operation ${operationId} was posted before`);
  await confirm(tx, operationId, transactionId);
  return operationId;
};

/**
 * Cancels what is initialised and not yet confirmed, the pending group first, so that nothing of the
 * wallet's funds stays held. The caller holds the wallet's row.
 */
export const cancelOpenOperations = async (
  tx: Queryable,
  walletId: string,
  actor: string,
  feedback: string,
): Promise<void> => {
  await tx.execute(
    `select borsello.end_group(operation_group_id, $2, 'cancel', 'Cancelled', $3)
     from borsello.operation_group where wallet_id = $1 and status = 'Initialized'`,
    [walletId, actor, feedback],
  );
  await tx.execute(
    `select borsello.end_operation(operation_id, $2, 'cancel', 'Cancelled', $3) from (
       select operation_id from borsello.operation
       where wallet_id = $1 and status = 'Initialized' order by operation_id) as open`,
    [walletId, actor, feedback],
  );
};
