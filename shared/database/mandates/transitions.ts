/** One guarded change of a mandate's status, with its audit row and the message that tells of it. */
import type { FlowMessageName } from "../../contracts/platform/flow-messages.js";
import type { MandateStatus } from "../../contracts/mandates/mandates.js";
import type { Queryable } from "../platform/database.js";
import { flowMessage, outboxInsert } from "../outbox/wallet-messages.js";

export interface Transition {
  /** Name in the audit. */
  readonly action: string;
  readonly from: readonly MandateStatus[];
  readonly to: MandateStatus;
  /** SQL assignments of the columns that change beside the status; `$4` and on are `values`. */
  readonly set: string;
  readonly values?: readonly unknown[];
  /** The message to the flows. */
  readonly message?: FlowMessageName;
  /** An SQL function call over `changed`: an effect of the same statement. */
  readonly effect?: string;
}

const messageRow = {
  session: "coalesce(wallet_id, store_id)",
  walletId: "wallet_id",
  partnerKey: "partner_key",
  fields: "'mandateId', mandate_id, 'status', status",
};

const statementOf = ({ action, to, set, message, effect = "null" }: Transition): string => `
  with before as (
    select mandate_id, status from borsello.mandate where mandate_id = $1 for no key update
  ), changed as (
    update borsello.mandate as mandate set status = '${to}', ${set}
    from before
    where mandate.mandate_id = before.mandate_id and before.status = any($3::text[])
    returning mandate.*, before.status as status_before
  ), audited as (
    insert into borsello.audit
      (actor, partner_key, entity, entity_id, action, from_status, to_status)
    select $2, partner_key, 'Mandate', mandate_id::text, '${action}', status_before, status
    from changed
  )${message === undefined ? "" : `, told as (${outboxInsert(flowMessage(message, "changed", messageRow))})`}
  select mandate_id, ${effect} as effect from changed`;

/** False: the mandate is not in one of the `from` statuses, and nothing happened. */
export const transition = async (
  tx: Queryable,
  mandateId: string,
  actor: string,
  wanted: Transition,
): Promise<boolean> => {
  const values = [mandateId, actor, wanted.from, ...(wanted.values ?? [])];
  return (await tx.execute(statementOf(wanted), values)) === 1;
};
