/** A mandate on its way to the bank: filled with the data of the day, then signed as it was filled. */
import type { Outcome } from "../../domain/outcome.js";
import type { Actor } from "../access/wallet-access.js";
import type { Database } from "../platform/database.js";
import {
  changeCurrentOfActive,
  findMandate,
  mandateColumns,
  readMandateRow,
  type MandateRefusal,
  type StoredMandate,
} from "./mandates.js";

/** Who collects, and how many days before each collection the debtor is told. */
export interface CreditorTerms {
  readonly identifier: string;
  readonly name: string;
  readonly address: string;
  readonly preNotificationDays: number;
}

const fill = `
  with changed as (
    update borsello.mandate as m set status = 'Filled', fill_date = borsello.platform_now(),
      (debtor_name, debtor_tax_id, debtor_bic, address_street, zip_code, city, province, country) = (
        select w.first_name || ' ' || w.last_name, w.tax_id, w.bic,
          nullif(concat_ws(' ', w.address_street, w.address_number), ''), w.zip_code, w.city,
          w.province, w.country
        from borsello.wallet as w where w.wallet_id = m.wallet_id),
      creditor_identifier = $3, creditor_name = $4, creditor_address = $5,
      pre_notification_days = $6
    where mandate_id = $1 and status in ('Draft', 'Filled') and sign_requested_at is null
    returning m, old.status as status_before
  )
  select ${mandateColumns}, borsello.record_mandate_change(m, $2, 'fill', status_before)
  from changed`;

/**
 * The debtor's data are taken from the wallet again; the account stays the one of the initialisation. While
 * its signature is under way, the mandate stays as it is being signed.
 */
export const fillMandate = (
  database: Database,
  actor: Actor,
  walletId: string,
  { identifier, name, address, preNotificationDays }: CreditorTerms,
): Promise<Outcome<StoredMandate, MandateRefusal | "WalletNotActive">> =>
  changeCurrentOfActive(database, actor, walletId, async (tx, { mandateId }) => {
    const creditor = [identifier, name, address, preNotificationDays];
    const filled = await readMandateRow(tx, fill, [mandateId, actor.clientId, ...creditor]);
    if (filled !== undefined) return filled;
    const signed = await findMandate(tx, mandateId);
    return signed?.mandate.status === "Filled" ? signed : undefined;
  });

const requestSignature = `
  with changed as (
    update borsello.mandate as m
    set sign_attempt = sign_attempt + (sign_requested_at is null)::integer,
      sign_requested_at = coalesce(sign_requested_at, borsello.platform_now())
    where mandate_id = $1 and status = 'Filled'
    returning m, old.status as status_before
  )
  select ${mandateColumns}, borsello.record_mandate_change(
    m, $2, 'requestSignature', status_before, 'MandateSigned')
  from changed`;

/** The mandate stays Filled until the flow has sealed its PDF; asking again is no second signature. */
export const requestMandateSignature = (
  database: Database,
  actor: Actor,
  walletId: string,
): Promise<Outcome<StoredMandate, MandateRefusal | "WalletNotActive">> =>
  changeCurrentOfActive(database, actor, walletId, (tx, { mandateId }) =>
    readMandateRow(tx, requestSignature, [mandateId, actor.clientId]),
  );
