/** The two ends of an IBAN validation: a matching transfer, credited in full, or thirty silent days. */
import { z } from "zod";
import { bankNotificationTypes } from "../../contracts/platform/bank-messages.js";
import { mismatchOf, type Mismatch } from "../../domain/bank/sct-match.js";
import { disableOpenMandate } from "../mandates/disabling.js";
import type { Database, Queryable } from "../platform/database.js";
import { creditIncoming } from "../operations/operations.js";

export interface IbanAttempt {
  readonly walletId: string;
  readonly attempt: number;
}

export interface SctToMatch extends IbanAttempt {
  readonly bankNotificationId: string;
}

export type SctMatch =
  | { readonly result: "validated" }
  /** The notification stays Received with this feedback; the validation goes on waiting. */
  | { readonly result: "mismatch"; readonly feedback: string }
  /** The attempt ended before (replaced, expired, validated by another transfer), or never was. */
  | { readonly result: "ended" };

const Candidate = z.object({
  partnerKey: z.string(),
  walletStatus: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  code: z.string(),
  iban: z.string(),
  transferAmountCents: z.bigint(),
  validationStatus: z.string(),
  validatedBy: z.string().nullable(),
  type: z.enum(bankNotificationTypes),
  notificationStatus: z.string(),
  reason: z.string(),
  debtorIban: z.string(),
  debtorName: z.string(),
  amountCents: z.bigint(),
});
type Candidate = z.infer<typeof Candidate>;

/** The wallet's row first: it is the one lock that every change of a wallet takes. */
const lockWalletOf = async (tx: Queryable, walletId: string): Promise<void> => {
  await tx.execute("select from borsello.wallet where wallet_id = $1 for no key update", [
    walletId,
  ]);
};

const lockCandidate = async (tx: Queryable, sct: SctToMatch): Promise<Candidate | undefined> => {
  await lockWalletOf(tx, sct.walletId);
  return tx.row(
    Candidate,
    `select wallet.partner_key as "partnerKey", wallet.status as "walletStatus",
       wallet.first_name as "firstName", wallet.last_name as "lastName",
       validation.code, validation.iban, validation.status as "validationStatus",
       validation.transfer_amount_cents as "transferAmountCents",
       validation.bank_notification_id as "validatedBy",
       notification.type, notification.status as "notificationStatus", notification.reason,
       notification.debtor_iban as "debtorIban", notification.debtor_name as "debtorName",
       notification.amount_cents as "amountCents"
     from borsello.wallet
     join borsello.iban_validation as validation using (wallet_id)
     join borsello.bank_notification as notification on notification.bank_notification_id = $3
     where wallet.wallet_id = $1 and validation.attempt = $2
     for update of validation, notification`,
    [sct.walletId, sct.attempt, sct.bankNotificationId],
  );
};

/** On the notification that stays Received and, while it waits, on the validation. */
const writeFeedback = async (
  tx: Queryable,
  sct: SctToMatch,
  { rule, feedback }: Mismatch,
): Promise<void> => {
  await tx.execute(
    `with notification as (
       update borsello.bank_notification set feedback = $4, failed_rule = $5, is_due = false,
         attempts = attempts + 1, last_update_date = borsello.platform_now()
       where bank_notification_id = $3 and status = 'Received'
       returning bank_notification_id
     )
     update borsello.iban_validation set feedback = $4
     from notification where wallet_id = $1 and attempt = $2 and status = 'Waiting'`,
    [sct.walletId, sct.attempt, sct.bankNotificationId, feedback, rule],
  );
};

/** Notification, validation and wallet; the end of the validation tells of itself. */
const validate = (tx: Queryable, sct: SctToMatch, operationId: string): Promise<number> =>
  tx.execute(
    `with notification as (
       update borsello.bank_notification set status = 'Consumed', feedback = null,
         failed_rule = null, is_due = false, attempts = attempts + 1, acceptance_date = borsello.platform_now(),
         last_update_date = borsello.platform_now(), consumed_amount_cents = amount_cents,
         operation_id = $4
       where bank_notification_id = $3
       returning bank_notification_id, partner_key
     ), validation as (
       update borsello.iban_validation set status = 'Validated', feedback = null,
         ended_at = borsello.platform_now(), bank_notification_id = $3
       where wallet_id = $1 and attempt = $2
     ), wallet as (
       update borsello.wallet set is_iban_validated = true, version = version + 1,
         last_update_date = borsello.platform_now(), last_usage_date = borsello.platform_now()
       where wallet_id = $1
       returning *
     ), audited as (
       insert into borsello.audit
         (actor, partner_key, entity, entity_id, action, from_status, to_status)
       select 'platform', partner_key, entity, entity_id, action, from_status, to_status
       from notification, (values
         ('BankNotification', $3::uuid::text, 'accept', 'Received', 'Accepted'),
         ('BankNotification', $3::uuid::text, 'process', 'Accepted', 'Processing'),
         ('BankNotification', $3::uuid::text, 'consume', 'Processing', 'Consumed'),
         ('Wallet', $1::uuid::text, 'validateIban', 'Waiting', 'Validated')
       ) as step (entity, entity_id, action, from_status, to_status)
     )
     select borsello.publish_event('WalletUpdated', partner_key, wallet_id::text, version,
       borsello.wallet_updated_event(wallet::borsello.wallet))
     from wallet`,
    [sct.walletId, sct.attempt, sct.bankNotificationId, operationId],
  );

/** As matchSct, in the caller's transaction. */
const matchLocked = async (tx: Queryable, sct: SctToMatch): Promise<SctMatch> => {
  const candidate = await lockCandidate(tx, sct);
  if (
    candidate?.validationStatus === "Validated" &&
    candidate.validatedBy === sct.bankNotificationId
  )
    return { result: "validated" };
  // What was left when it ended got its feedback there.
  if (candidate?.validationStatus !== "Waiting" || candidate.notificationStatus !== "Received")
    return { result: "ended" };
  const mismatch = mismatchOf(candidate, candidate);
  if (mismatch !== undefined) {
    await writeFeedback(tx, sct, mismatch);
    return { result: "mismatch", feedback: mismatch.feedback };
  }
  const operationId = await creditIncoming(
    tx,
    {
      type: candidate.type === "IncomingSctInstant" ? "SctInstantDeposit" : "SctStandardDeposit",
      walletId: sct.walletId,
      amountCents: candidate.amountCents,
      bankNotificationId: sct.bankNotificationId,
    },
    "Suspense",
  );
  await validate(tx, sct, operationId);
  return { result: "validated" };
};

/**
 * Matches a transfer with the validation that waits for it, in one transaction: the wallet's IBAN
 * becomes valid and all of the transfer is its first deposit. Doing it again changes nothing.
 */
export const matchSct = (database: Database, sct: SctToMatch): Promise<SctMatch> =>
  database.transaction((tx) => matchLocked(tx, sct));

const Untold = z.object({ bankNotificationId: z.string() });

/** Of so many transfers that may fit by now, a last look is taken before the time is up. */
const lastLooksMax = 100;

/** Whether one of the transfers fits after all that failed by the name or the wallet's state, or were never tried. */
const fitsAtLast = async (tx: Queryable, attempt: IbanAttempt): Promise<boolean> => {
  const left = await tx.rows(
    Untold,
    `select bank_notification_id as "bankNotificationId" from borsello.bank_notification
     where wallet_id = $1 and iban_attempt = $2 and status = 'Received'
       and (is_due or failed_rule in ('DebtorName', 'Wallet'))
     order by bank_notification_id limit $3`,
    [attempt.walletId, attempt.attempt, lastLooksMax],
  );
  for (const { bankNotificationId } of left) {
    const match = await matchLocked(tx, { ...attempt, bankNotificationId });
    if (match.result === "validated") return true;
  }
  return false;
};

const Expired = z.object({ status: z.string() });

/**
 * Ends a validation that nobody paid for, after a last look at what was received for it: the IBAN is
 * cleared, so that it or another one can be set anew, and a mandate that debits it is disabled. True
 * when this attempt is expired, now or by an earlier call.
 */
export const expireIbanValidation = (
  database: Database,
  { walletId, attempt }: IbanAttempt,
): Promise<boolean> =>
  database.transaction(async (tx) => {
    await lockWalletOf(tx, walletId);
    if (await fitsAtLast(tx, { walletId, attempt })) return false;
    const expired = await tx.execute(
      `with validation as (
         update borsello.iban_validation set status = 'Expired', ended_at = borsello.platform_now()
         where wallet_id = $1 and attempt = $2 and status = 'Waiting'
         returning wallet_id, attempt
       ), wallet as (
         update borsello.wallet set iban = null, bic = null,
           iban_validation_code = null, is_iban_validated = false,
           version = version + 1, last_update_date = borsello.platform_now()
         from validation where wallet.wallet_id = validation.wallet_id
         returning wallet.*
       ), audited as (
         insert into borsello.audit
           (actor, partner_key, entity, entity_id, action, from_status, to_status)
         select 'platform', partner_key, 'Wallet', wallet_id::text, 'expireIbanValidation',
           'Waiting', 'Expired'
         from wallet
       ), told as (
         insert into borsello.outbox (destinations, session_id, subject, body)
         select '{platform-events}', wallet_id::text, 'IbanValidationExpired', json_build_object(
           'walletId', wallet_id, 'partnerKey', partner_key, 'attempt', $2::integer)
         from wallet
       )
       select borsello.publish_event('WalletIbanDeleted', partner_key, wallet_id::text, version,
         borsello.wallet_event(wallet::borsello.wallet))
       from wallet`,
      [walletId, attempt],
    );
    if (expired > 0) {
      await disableOpenMandate(tx, { clientId: "platform" }, walletId);
      return true;
    }
    const found = await tx.row(
      Expired,
      "select status from borsello.iban_validation where wallet_id = $1 and attempt = $2",
      [walletId, attempt],
    );
    return found?.status === "Expired";
  });
