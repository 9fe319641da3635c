/** One guarded change of a mandate's status: a statement that touches no row where the status is another. */
import type { MandateStatus } from "../../contracts/mandates/mandates.js";
import type { Queryable } from "../platform/database.js";

/** False: the mandate is in none of the statuses that the statement names, and nothing happened. */
export const transition = async (
  tx: Queryable,
  statement: string,
  mandateId: string,
  actor: string,
  ...values: readonly unknown[]
): Promise<boolean> => (await tx.execute(statement, [mandateId, actor, ...values])) === 1;

const cancel = `
  with changed as (
    update borsello.mandate as m set status = 'Cancelled', disabled_date = borsello.platform_now()
    where mandate_id = $1 and status in ('Draft', 'Filled')
    returning m, old.status as status_before
  )
  select borsello.record_mandate_change(m, $2, 'cancel', status_before, 'MandateSettled')
  from changed`;

const askToDisable = `
  with changed as (
    update borsello.mandate as m
    set status = 'DisableRequested', disable_request_date = borsello.platform_now()
    where mandate_id = $1 and status in ('ActivationRequested', 'Active')
    returning m, old.status as status_before
  )
  select borsello.record_mandate_change(
    m, $2, 'requestDisable', status_before, 'MandateDisableRequested')
  from changed`;

/** Cancelled at once when its activation was never requested, else for the bank to confirm. */
export const disabling = (status: MandateStatus): string =>
  status === "Draft" || status === "Filled" ? cancel : askToDisable;
