/** Notifications for tests of the books: received, credited in full and in part, sent back. */
import { z } from "zod";
import type { Database, Queryable } from "../../../shared/database/platform/database.js";

const Identified = z.object({ id: z.string() });

/** Money that has arrived and lies in suspense, as a notification of this reference. */
const receive = async (tx: Queryable, reference: string, cents: bigint): Promise<string> => {
  const held = await tx.row(
    Identified,
    `select borsello.hold_in_suspense('acme', null, 'IncomingSctStandard', $2, 'ROSSI MARIA',
       'IT60X0542811101000000123456', 'rent', $1, 'Code: none', 'None', null) as id`,
    [reference, cents],
  );
  if (held === undefined) throw new Error(`${reference} was received before`);
  return held.id;
};

/** So much of it is credited to the wallet, with its operation. */
const credit = (tx: Queryable, notificationId: string, walletId: string, cents: bigint) =>
  tx.execute(
    `select borsello.consume_notification($1, $3, 'WalletDeposit', (credit).operation_id, $2, null,
       'acme-client')
     from (select borsello.credit_incoming('SctStandardDeposit', $2, $3::bigint,
       borsello.account_for('acme', 'Suspense', 'received'), uuidv7(), $1, 'acme-client') as credit
     ) as credited`,
    [notificationId, walletId, cents],
  );

const sendBack = async (tx: Queryable, notificationId: string, cents: bigint): Promise<void> => {
  await tx.execute(
    `select borsello.post_cause(null, $1, null, 'SentBack',
       array[borsello.account_for('acme', 'Suspense', 'received'),
         borsello.account_for('acme', 'Bank', 'safeguarding')], array[-$2::bigint, $2])`,
    [notificationId, cents],
  );
  await tx.execute(
    `with rejected as (
       update borsello.bank_notification set status = 'Rejected',
         consumed_amount_cents = amount_cents
       where bank_notification_id = $1 returning *
     )
     insert into borsello.audit (actor, partner_key, entity, entity_id, action, to_status)
     select 'bank', partner_key, 'BankNotification', $1::text, 'reject', status from rejected`,
    [notificationId],
  );
};

/** One of each, told apart by their references: `<name> received`, `credited`, `partly`, `sent back`. */
export const writeNotifications = (
  database: Database,
  walletId: string,
  name: string,
): Promise<void> =>
  database.transaction(async (tx) => {
    await receive(tx, `${name} received`, 11_00n);
    await credit(tx, await receive(tx, `${name} credited`, 12_00n), walletId, 12_00n);
    await credit(tx, await receive(tx, `${name} partly`, 13_00n), walletId, 5_00n);
    await sendBack(tx, await receive(tx, `${name} sent back`, 14_00n), 14_00n);
  });
