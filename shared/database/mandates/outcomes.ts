/** What the flow of a mandate does with it: ask the bank, then settle. Doing it again changes nothing. */
import { z } from "zod";
import { addBankDays } from "../../domain/bank/bank-days.js";
import type { Database } from "../platform/database.js";
import { transition } from "./transitions.js";

const platform = "platform";

/** The change is one statement, and so a transaction by itself; resolves to whether the mandate changed now. */
const settle = async (
  database: Database,
  statement: string,
  mandateId: string,
  ...values: readonly unknown[]
): Promise<boolean> =>
  (await database.command(z.object({}), statement, [mandateId, platform, ...values])) !== undefined;

const askForActivation = `
  with changed as (
    update borsello.mandate as m set status = 'ActivationRequested',
      activation_request_date = borsello.platform_now(), document_key = $3, last_error = null
    where mandate_id = $1 and status = 'Filled'
    returning m, old.status as status_before
  )
  select borsello.record_mandate_change(m, $2, 'requestActivation', status_before),
    borsello.request_bank(uuidv7(), 'mandateActivation', (m).partner_key, (m).wallet_id,
      (m).mandate_id, json_build_object(
        'mandateUniqueReference', (m).mandate_unique_reference,
        'debtorName', (m).debtor_name, 'debtorIban', (m).debtor_iban,
        'amount', borsello.money((m).amount_cents), 'frequency', (m).frequency),
      'mandate-' || (m).mandate_id, 'bankOutcome')
  from changed`;

/** Filled and signed → ActivationRequested; the bank is asked in the same statement. */
export const requestActivation = (
  database: Database,
  mandateId: string,
  documentKey: string,
): Promise<boolean> => settle(database, askForActivation, mandateId, documentKey);

const Today = z.object({ today: z.iso.date() });

const activate = `
  with changed as (
    update borsello.mandate as m set status = 'Active',
      activation_date = borsello.platform_now(), last_error = null,
      next_deposit_request_date = $3, next_deposit_date = $4
    where mandate_id = $1 and status = 'ActivationRequested'
    returning m, old.status as status_before
  )
  select borsello.record_mandate_change(m, $2, 'activate', status_before, 'MandateSettled')
  from changed`;

/** The first collection is asked for on the next bank day and settles on the one after it. */
export const activateMandate = (database: Database, mandateId: string): Promise<boolean> =>
  database.transaction(async (tx) => {
    const read = await tx.row(
      Today,
      "select (borsello.platform_now() at time zone 'Europe/Rome')::date::text as today",
    );
    if (read === undefined) throw new Error("The database did not tell the date.");
    const requestDate = addBankDays(read.today, 1);
    const dates = [requestDate, addBankDays(requestDate, 1)];
    return transition(tx, activate, mandateId, platform, ...dates);
  });

const reject = `
  with changed as (
    update borsello.mandate as m set status = 'Rejected',
      rejection_date = borsello.platform_now(), last_error = $3
    where mandate_id = $1 and status = 'ActivationRequested'
    returning m, old.status as status_before
  )
  select borsello.record_mandate_change(m, $2, 'reject', status_before, 'MandateSettled')
  from changed`;

export const rejectMandate = (
  database: Database,
  mandateId: string,
  reasonCode: string | null,
): Promise<boolean> => settle(database, reject, mandateId, reasonCode);

const lapse = `
  with changed as (
    update borsello.mandate as m set status = 'Draft', sign_requested_at = null,
      last_failure_date = borsello.platform_now(),
      last_error = 'The bank did not answer within ten working days'
    where mandate_id = $1 and status = 'ActivationRequested'
    returning m, old.status as status_before
  )
  select borsello.record_mandate_change(m, $2, 'lapse', status_before, 'MandateSettled')
  from changed`;

/** The bank kept silent: the mandate can be filled and signed again. */
export const lapseMandate = (database: Database, mandateId: string): Promise<boolean> =>
  settle(database, lapse, mandateId);

const disable = `
  with changed as (
    update borsello.mandate as m
    set status = 'Disabled', disabled_date = borsello.platform_now()
    where mandate_id = $1 and status = 'DisableRequested'
    returning m, old.status as status_before
  )
  select borsello.record_mandate_change(m, $2, 'disable', status_before, 'MandateSettled')
  from changed`;

/** The bank confirmed the revocation. */
export const disableMandate = (database: Database, mandateId: string): Promise<boolean> =>
  settle(database, disable, mandateId);
