/** What the flow of a mandate does with it: ask the bank, then settle. Doing it again changes nothing. */
import { z } from "zod";
import { addBankDays } from "../../domain/bank/bank-days.js";
import type { Database } from "../platform/database.js";
import { transition, type Transition } from "./transitions.js";

const platform = "platform";

/** Resolves to whether the mandate changed now. */
const settle = (database: Database, mandateId: string, wanted: Transition): Promise<boolean> =>
  database.transaction((tx) => transition(tx, mandateId, platform, wanted));

/** Filled and signed → ActivationRequested; the bank is asked in the same statement. */
export const requestActivation = (
  database: Database,
  mandateId: string,
  documentKey: string,
): Promise<boolean> =>
  settle(database, mandateId, {
    action: "requestActivation",
    from: ["Filled"],
    to: "ActivationRequested",
    set: "activation_request_date = borsello.platform_now(), document_key = $4, last_error = null",
    values: [documentKey],
    effect: `borsello.request_bank(uuidv7(), 'mandateActivation', partner_key, wallet_id, mandate_id,
      json_build_object('mandateUniqueReference', mandate_unique_reference,
        'debtorName', debtor_name, 'debtorIban', debtor_iban,
        'amount', borsello.money(amount_cents), 'frequency', frequency),
      'mandate-' || mandate_id, 'bankOutcome')`,
  });

const Today = z.object({ today: z.iso.date() });

/** The first collection is asked for on the next bank day and settles on the one after it. */
export const activateMandate = (database: Database, mandateId: string): Promise<boolean> =>
  database.transaction(async (tx) => {
    const read = await tx.row(
      Today,
      "select (borsello.platform_now() at time zone 'Europe/Rome')::date::text as today",
    );
    if (read === undefined) throw new Error("The database did not tell the date.");
    const requestDate = addBankDays(read.today, 1);
    return transition(tx, mandateId, platform, {
      action: "activate",
      from: ["ActivationRequested"],
      to: "Active",
      set: `activation_date = borsello.platform_now(), last_error = null,
        next_deposit_request_date = $4::date, next_deposit_date = $5::date`,
      values: [requestDate, addBankDays(requestDate, 1)],
      message: "MandateSettled",
    });
  });

export const rejectMandate = (
  database: Database,
  mandateId: string,
  reasonCode: string | null,
): Promise<boolean> =>
  settle(database, mandateId, {
    action: "reject",
    from: ["ActivationRequested"],
    to: "Rejected",
    set: "rejection_date = borsello.platform_now(), last_error = $4",
    values: [reasonCode],
    message: "MandateSettled",
  });

/** The bank kept silent: the mandate can be filled and signed again. */
export const lapseMandate = (database: Database, mandateId: string): Promise<boolean> =>
  settle(database, mandateId, {
    action: "lapse",
    from: ["ActivationRequested"],
    to: "Draft",
    set: `sign_requested_at = null, last_failure_date = borsello.platform_now(),
      last_error = 'The bank did not answer within ten working days'`,
    message: "MandateSettled",
  });

/** The bank confirmed the revocation. */
export const disableMandate = (database: Database, mandateId: string): Promise<boolean> =>
  settle(database, mandateId, {
    action: "disable",
    from: ["DisableRequested"],
    to: "Disabled",
    set: "disabled_date = borsello.platform_now()",
    message: "MandateSettled",
  });
