/** What the flow of a mandate does with it: ask the bank, then settle. Doing it again changes nothing. */
import { z } from "zod";
import { addBankDays, bankDayAfter } from "../../domain/bank/bank-days.js";
import type { Database, Queryable } from "../platform/database.js";
import { transition } from "./transitions.js";

const platform = "platform";

const askForActivation = `
  with changed as (
    update borsello.mandate as m set status = 'ActivationRequested',
      activation_request_date = borsello.platform_now(), document_key = $3, last_error = null
    where mandate_id = $1 and status = 'Filled'
    returning m, old.status as status_before
  )
  select borsello.record_mandate_change(m, $2, 'requestActivation', status_before),
    borsello.request_bank(
      borsello.derived_id('mandateActivation', (m).mandate_id, (m).sign_attempt),
      'mandateActivation', (m).partner_key, (m).wallet_id, (m).mandate_id,
      borsello.mandate_terms(m), 'mandate-' || (m).mandate_id, 'bankOutcome')
  from changed`;

/** Filled and signed → ActivationRequested; the bank is asked in the same statement. */
export const requestActivation = (
  database: Database,
  mandateId: string,
  documentKey: string,
): Promise<boolean> =>
  database.transaction((tx) => transition(tx, askForActivation, mandateId, platform, documentKey));

const Today = z.object({ today: z.iso.date(), preNotificationDays: z.int() });

const activate = `
  with changed as (
    update borsello.mandate as m set status = 'Active',
      activation_date = borsello.platform_now(),
      next_deposit_request_date = $3, next_deposit_date = $4, deposit_anchor = $4
    where mandate_id = $1 and status = 'ActivationRequested'
    returning m, old.status as status_before
  )
  select borsello.record_mandate_change(m, $2, 'activate', status_before, 'MandateSettled')
  from changed`;

/**
 * The first collection is asked for on the first bank day that leaves the agreed days for the debtor to be
 * told of it, and settles on the bank day after that.
 */
export const activateMandate = (database: Database, mandateId: string): Promise<boolean> =>
  database.transaction(async (tx) => {
    const read = await tx.row(
      Today,
      `select borsello.rome_date(borsello.platform_now())::text as today,
         coalesce(pre_notification_days, 0) as "preNotificationDays"
       from borsello.mandate where mandate_id = $1`,
      [mandateId],
    );
    if (read === undefined) return false;
    const requestDate = bankDayAfter(read.today, read.preNotificationDays);
    const dates = [requestDate, addBankDays(requestDate, 1)];
    return transition(tx, activate, mandateId, platform, ...dates);
  });

/** The bank's answers and the ends of a request meet at the mandate's row: what comes second sees the first. */
const lockMandate = (tx: Queryable, mandateId: string): Promise<number> =>
  tx.execute("select from borsello.mandate where mandate_id = $1 for no key update", [mandateId]);

const reject = `
  with changed as (
    update borsello.mandate as m set status = 'Rejected',
      rejection_date = borsello.platform_now(), last_error = $3
    where mandate_id = $1 and status = 'ActivationRequested' and not exists (
      select from borsello.activation_of(m.mandate_id, m.mandate_unique_reference)
      where status = 'Accepted')
    returning m, old.status as status_before
  )
  select borsello.record_mandate_change(m, $2, 'reject', status_before, 'MandateSettled')
  from changed`;

/** False where the bank has accepted it after all. */
export const rejectMandate = (
  database: Database,
  mandateId: string,
  reasonCode: string | null,
): Promise<boolean> =>
  database.transaction(async (tx) => {
    await lockMandate(tx, mandateId);
    return transition(tx, reject, mandateId, platform, reasonCode);
  });

/** The next signature has a reference of its own: the bank may yet accept this one. */
const lapse = `
  with changed as (
    update borsello.mandate as m set status = 'Draft', sign_requested_at = null,
      mandate_unique_reference = 'BRS' || upper(replace(uuidv7()::text, '-', '')),
      last_failure_date = borsello.platform_now(), last_error = 'BankSilent'
    where mandate_id = $1 and status = 'ActivationRequested' and not exists (
      select from borsello.activation_of(m.mandate_id, m.mandate_unique_reference)
      where status <> 'Requested')
    returning m, old.status as status_before
  )
  select borsello.record_mandate_change(m, $2, 'lapse', status_before, 'MandateSettled')
  from changed`;

/** The bank kept silent: the mandate can be filled and signed again. False where it has answered after all. */
export const lapseMandate = (database: Database, mandateId: string): Promise<boolean> =>
  database.transaction(async (tx) => {
    await lockMandate(tx, mandateId);
    return transition(tx, lapse, mandateId, platform);
  });

const Lapsed = z.object({ count: z.int() });

/** Disables mandates that were not used for thirty-six months, at most so many; resolves to how many. */
export const lapseUnusedMandates = async (database: Database, most: number): Promise<number> => {
  const lapsed = await database.command(
    Lapsed,
    "select borsello.lapse_unused_mandates($1) as count",
    [most],
  );
  return lapsed?.count ?? 0;
};
