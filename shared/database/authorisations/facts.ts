/** What decides about a request of the card network, read under the lock of its card's row. */
import { z } from "zod";
import { cardLimitTypes } from "../../domain/card/limit-types.js";
import type { Earlier, Facts, Order } from "../../domain/authorisations/decision.js";
import { countedIn, type CardLimits } from "../../domain/authorisations/limits.js";
import { transactionTypes } from "../../domain/authorisations/types.js";
import type { Queryable } from "../platform/database.js";

/**
 * Longer than an affiliate is asked, both attempts together: who asks for so long is not there any more.
 * By the true clock.
 */
const askingSeconds = 10;

const LockedCard = z.object({
  cardId: z.string(),
  accountId: z.string(),
  partnerKey: z.string(),
  cardStatus: z.string(),
  cardReason: z.string().nullable(),
  isPastExpiry: z.boolean(),
});
export type LockedCard = z.output<typeof LockedCard>;

/** The card's row is the lock of all that is asked about it: what its limits allow is decided one by one. */
export const lockCardByToken = (tx: Queryable, panToken: string): Promise<LockedCard | undefined> =>
  tx.row(
    LockedCard,
    `select card_id as "cardId", account_id as "accountId", partner_key as "partnerKey",
       status as "cardStatus", status_reason_code as "cardReason",
       coalesce(borsello.is_card_over(expiry_date), false) as "isPastExpiry"
     from borsello.card where pan_token = $1 for no key update`,
    [panToken],
  );

/** Within what a double carries exactly: amounts are bounded, and so are a year's. */
const Cents = z.int().transform(BigInt);
const Type = z.literal(transactionTypes);

const EarlierJson = z.object({
  transactionId: z.string(),
  kind: z.string(),
  cardId: z.string(),
  type: Type,
  cents: Cents,
  status: z.enum([
    ...(["Pending", "Unreached", "Approved", "Declined"] as const),
    ...(["Reversed", "Replaced", "Abandoned"] as const),
  ]),
  answeredBy: z.enum(["platform", "affiliate", "standIn"]).nullable(),
  root: z.string().nullable(),
  isUnderWay: z.boolean(),
  requestHash: z.string(),
  answer: z.unknown(),
});

const FactsRow = z.object({
  accountStatus: z.string(),
  periods: z.object({ today: z.string(), week: z.string(), month: z.string(), year: z.string() }),
  known: EarlierJson.nullable(),
  ref: EarlierJson.nullable(),
  held: z.array(
    z.object({
      type: Type,
      cents: Cents,
      countedOn: z.string().nullable(),
      isAtm: z.boolean(),
      isEcommerce: z.boolean(),
      isUnderWay: z.boolean(),
    }),
  ),
  isReversedBefore: z.boolean(),
  isBeingReversed: z.boolean(),
  /** Null: none were set for this card. */
  limits: z
    .array(z.object({ type: z.enum(cardLimitTypes), cents: Cents, isDisabled: z.boolean() }))
    .nullable(),
  used: z.object({
    dailyOverall: Cents,
    weeklyOverall: Cents,
    monthlyOverall: Cents,
    yearlyOverall: Cents,
    dailyAtm: Cents,
    monthlyAtm: Cents,
    dailyEcommerce: Cents,
    monthlyEcommerce: Cents,
  }),
});

const isUnderWay = `a.status = 'Pending' and a.asked_at > clock_timestamp() - $5::interval`;

const earlier = (transactionId: string): string => `(
  select json_build_object('transactionId', a.transaction_id, 'kind', a.kind, 'cardId', a.card_id,
    'type', a.type, 'cents', a.amount_cents, 'status', a.status, 'answeredBy', a.answered_by,
    'root', a.root_transaction_id, 'requestHash', encode(a.request_hash, 'hex'),
    'answer', a.answer, 'isUnderWay', ${isUnderWay})
  from borsello.card_authorisation as a
  where a.partner_key = $1 and a.transaction_id = ${transactionId})`;

/** Facts are not bounded by limits: above what a double carries exactly they are above any limit anyway. */
const sum = (column: string, first: string): string =>
  `least(coalesce(sum(${column}_cents) filter (where day >= ${first}), 0), ${Number.MAX_SAFE_INTEGER})`;

const statement = `
  with period as (
    select today, date_trunc('week', today)::date as week, date_trunc('month', today)::date as month,
      date_trunc('year', today)::date as year
    from (select borsello.rome_date(borsello.platform_now()) as today) as now
  )
  select account.status as "accountStatus",
    json_build_object('today', today, 'week', week, 'month', month, 'year', year) as periods,
    ${earlier("$2")} as known,
    ${earlier("$3")} as ref,
    (
      select coalesce(json_agg(json_build_object('type', a.type, 'cents', a.amount_cents,
        'countedOn', a.counted_on, 'isAtm', a.is_atm, 'isEcommerce', a.is_ecommerce,
        'isUnderWay', ${isUnderWay})), '[]')
      from borsello.card_authorisation as a
      where a.partner_key = $1 and a.transaction_id <> $2 and a.status in ('Pending', 'Approved')
        and a.root_transaction_id = (
          select root_transaction_id from borsello.card_authorisation
          where partner_key = $1 and transaction_id = $3)
    ) as held,
    exists (
      select from borsello.card_authorisation
      where partner_key = $1 and ref_transaction_id = $2 and kind = 'reversal'
        and status <> 'Declined'
    ) as "isReversedBefore",
    exists (
      select from borsello.card_authorisation as a
      where a.partner_key = $1 and a.ref_transaction_id = $3 and a.kind = 'reversal'
        and a.transaction_id <> $2 and ${isUnderWay}
    ) as "isBeingReversed",
    (
      select json_agg(json_build_object(
        'type', type, 'cents', limit_cents, 'isDisabled', is_disabled))
      from borsello.card_limit where card_id = $4
    ) as limits,
    (
      select json_build_object(
        'dailyOverall', ${sum("overall", "today")}, 'weeklyOverall', ${sum("overall", "week")},
        'monthlyOverall', ${sum("overall", "month")}, 'yearlyOverall', ${sum("overall", "year")},
        'dailyAtm', ${sum("atm", "today")}, 'monthlyAtm', ${sum("atm", "month")},
        'dailyEcommerce', ${sum("ecommerce", "today")},
        'monthlyEcommerce', ${sum("ecommerce", "month")})
      from borsello.card_usage where card_id = $4 and day >= least(week, year)
    ) as used
  from period, borsello.card join borsello.card_account as account using (account_id)
  where card.card_id = $4`;

export interface KnownFacts extends Facts {
  /** The answer under the same identifier, as it was given. */
  readonly answer: unknown;
  /** An ISO date of Rome. */
  readonly today: string;
}

/** In a statement after the card's lock, so that it sees what the lock made it wait for. */
export const readFacts = async (
  tx: Queryable,
  card: LockedCard,
  order: Order & { readonly requestHash: string },
  defaultLimits: CardLimits,
): Promise<KnownFacts> => {
  const { cardId, partnerKey, cardStatus, cardReason, isPastExpiry } = card;
  const found = await tx.row(FactsRow, statement, [
    ...[partnerKey, order.transactionId, order.refTransactionId, cardId],
    `${askingSeconds} seconds`,
  ]);
  if (found === undefined) throw new Error("A card that is locked has no account.");
  const { periods, known, ref, held, limits, ...facts } = found;
  const earlierOf = (row: z.output<typeof EarlierJson>): Earlier => row;
  return {
    ...facts,
    ...{ cardId, cardStatus, cardReason, isPastExpiry },
    known:
      known === null
        ? null
        : { ...earlierOf(known), isSame: known.requestHash === order.requestHash },
    ref: ref === null ? null : earlierOf(ref),
    held: held.map((row) => ({ ...row, counted: countedIn(periods, row) })),
    limits:
      limits === null
        ? defaultLimits
        : Object.fromEntries(
            limits.map(({ type, cents, isDisabled }) => [type, isDisabled ? null : cents]),
          ),
    answer: known?.answer ?? null,
    today: periods.today,
  };
};
