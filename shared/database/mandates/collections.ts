/** Collections of wallet mandates that are due: asked of the bank or left out, each once (contract 4.3). */
import { z } from "zod";
import { mandateFrequencies } from "../../contracts/mandates/mandates.js";
import { isBankDay } from "../../domain/bank/bank-days.js";
import { depositDateFor, nextDeposit } from "../../domain/bank/deposit-dates.js";
import type { Queryable } from "../platform/database.js";

/** So many collections one transaction takes. */
export const collectionsPerPage = 100;

const Due = z.object({
  mandateId: z.string(),
  anchor: z.iso.date(),
  frequency: z.enum(mandateFrequencies),
  nextDepositDate: z.iso.date(),
  preNotificationDays: z.int(),
  today: z.iso.date(),
  walletStatus: z.string(),
  isIbanValidated: z.boolean(),
  amountCents: z.bigint(),
  usedCents: z.bigint(),
});
type Due = z.infer<typeof Due>;

/** The wallets of what is due are locked in one order; then what is due is read, as it is by then. */
const lockWallets = `
  select wallet_id from borsello.wallet where wallet_id in (
    select wallet_id from borsello.mandate
    where partner_key = $1 and status = 'Active' and wallet_id is not null
      and next_deposit_request_date <= borsello.rome_date(borsello.platform_now())
      and ($2::uuid is null or mandate_id = $2)
    order by next_deposit_request_date, mandate_id limit $3)
  order by wallet_id for no key update`;

const selectDue = `
  select mandate_id as "mandateId", frequency, m.amount_cents as "amountCents",
    coalesce(deposit_anchor, next_deposit_date)::text as anchor,
    next_deposit_date::text as "nextDepositDate",
    coalesce(pre_notification_days, 0) as "preNotificationDays",
    borsello.rome_date(borsello.platform_now())::text as today,
    w.status as "walletStatus", is_iban_validated as "isIbanValidated",
    (borsello.limits_used(wallet_id)).sdd_deposit
      + borsello.collecting_cents(wallet_id) as "usedCents"
  from borsello.mandate as m join borsello.wallet as w using (wallet_id)
  where wallet_id = any($1::uuid[]) and m.status = 'Active'
    and next_deposit_request_date <= borsello.rome_date(borsello.platform_now())
    and ($2::uuid is null or mandate_id = $2)
  order by wallet_id for no key update of m`;

const take = `
  select count(borsello.take_due_collection("mandateId", why, "depositDate", "nextRequestDate",
    "nextDepositDate", $2))::integer as asked
  from json_to_recordset($1::json) as due ("mandateId" uuid, why text, "depositDate" date,
    "nextRequestDate" date, "nextDepositDate" date)`;

const whySkipped = (due: Due, limitCents: bigint): string | null => {
  if (due.walletStatus !== "Active") return "WalletNotActive";
  if (!due.isIbanValidated) return "IbanNotValidated";
  return due.usedCents + due.amountCents > limitCents ? "LimitExceeded" : null;
};

const decided = (due: Due, limitCents: bigint) => {
  const { mandateId, today, preNotificationDays } = due;
  const depositDate = depositDateFor(due.nextDepositDate, today);
  const next = nextDeposit(due, depositDate, { today, preNotificationDays });
  return {
    mandateId,
    why: whySkipped(due, limitCents),
    depositDate,
    nextRequestDate: next.requestDate,
    nextDepositDate: next.depositDate,
  };
};

export interface DueCollections {
  readonly partnerKey: string;
  readonly actor: string;
  /** Null: all that are due. */
  readonly mandateId: string | null;
  /** `maximumLastMonthSddDeposit`: what would exceed it is left out until the next date. */
  readonly limitCents: bigint;
}

const Taken = z.object({ asked: z.int() });
const Today = z.object({ today: z.iso.date() });

/**
 * A page of what is due, in the caller's transaction: `asked` of the bank, of all that were `seen`; the others
 * were left out, or had ended by the time their wallet was free. On a day on which banks are closed nothing is due.
 */
export const takeDueCollections = async (
  tx: Queryable,
  { partnerKey, actor, mandateId, limitCents }: DueCollections,
): Promise<{ readonly asked: number; readonly seen: number }> => {
  const day = await tx.row(
    Today,
    "select borsello.rome_date(borsello.platform_now())::text as today",
    [],
  );
  if (day === undefined || !isBankDay(day.today)) return { asked: 0, seen: 0 };
  const wallets = await tx.rows(z.object({ wallet_id: z.string() }), lockWallets, [
    partnerKey,
    mandateId,
    collectionsPerPage,
  ]);
  const ids = wallets.map(({ wallet_id: walletId }) => walletId);
  const due = await tx.rows(Due, selectDue, [ids, mandateId]);
  const taken = due.map((one) => decided(one, limitCents));
  const result = await tx.row(Taken, take, [JSON.stringify(taken), actor]);
  return { asked: result?.asked ?? 0, seen: ids.length };
};

const Mandate = z.object({ isOfStore: z.boolean(), isDueToday: z.boolean() });
export type CollectableMandate = z.infer<typeof Mandate>;

/** A partner's mandate as a trigger sees it, which alone wants its request date to be today. */
export const findCollectable = (
  database: Queryable,
  partnerKey: string,
  mandateId: string,
): Promise<CollectableMandate | undefined> =>
  database.row(
    Mandate,
    `select store_id is not null as "isOfStore", coalesce(status = 'Active'
       and next_deposit_request_date = borsello.rome_date(borsello.platform_now()), false)
       as "isDueToday"
     from borsello.mandate where mandate_id = $1 and partner_key = $2`,
    [mandateId, partnerKey],
  );

/** Whether a partner has collections that wait to be asked for. */
export const hasDueCollections = async (
  database: Queryable,
  partnerKey: string,
): Promise<boolean> =>
  (await database.row(
    z.object({}),
    `select from borsello.mandate where partner_key = $1 and status = 'Active'
       and wallet_id is not null
       and next_deposit_request_date <= borsello.rome_date(borsello.platform_now()) limit 1`,
    [partnerKey],
  )) !== undefined;
