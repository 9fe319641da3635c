/** What the processor's events say was presented or charged: once each, for the clearing and for the card holder. */
import { z } from "zod";
import type { Fee, Presentment } from "../../contracts/card/processor-messages.js";
import type { ClearingFileType } from "../../domain/clearing/file-names.js";
import { creditType } from "../../domain/clearing/record-kinds.js";
import { centsOf } from "../../domain/money.js";
import type { Database, Queryable } from "../platform/database.js";

/** Why an event can't be taken, however often it comes. */
export interface Unfit {
  readonly reason: string;
  readonly description: string;
}

const Card = z.object({
  partnerKey: z.string(),
  accountId: z.string(),
  customerId: z.string(),
});
type Card = z.output<typeof Card>;

interface Item {
  readonly type: ClearingFileType;
  readonly itemId: string;
  readonly cardId: string;
  readonly currency: string;
  /** As it will stand in the processor's file. */
  readonly record: string;
}

/** The row of the card holds back another presentment that wants the same authorisation. */
const lockCard = `
  select partner_key as "partnerKey", account_id as "accountId", customer_id as "customerId"
  from borsello.card where card_id = $1 for no key update`;

const Kept = z.object({ record: z.string() });

const findItem = "select record from borsello.clearing_item where type = $1 and item_id = $2";

const keepItem = `
  insert into borsello.clearing_item
    (type, item_id, record, partner_key, transaction_id, authorised_at)
  values ($1, $2, $3, $4, $5, $6)`;

interface Settled {
  readonly transactionId: string | null;
  readonly authorisedAt: Date | null;
}

const receive = (
  database: Database,
  { type, itemId, cardId, currency, record }: Item,
  settle: (tx: Queryable, card: Card) => Promise<Settled>,
): Promise<Unfit | undefined> =>
  database.transaction(async (tx) => {
    if (currency !== "EUR")
      return {
        reason: "CurrencyNotSupported",
        description: `${currency}: accounts are kept in EUR.`,
      };
    const card = await tx.row(Card, lockCard, [cardId]);
    if (card === undefined)
      return { reason: "CardUnknown", description: `No card has the identifier ${cardId}.` };
    const kept = await tx.row(Kept, findItem, [type, itemId]);
    if (kept !== undefined)
      return kept.record === record
        ? undefined
        : {
            reason: "RecordReused",
            description: `${itemId} was told before with another content.`,
          };
    const { transactionId, authorisedAt } = await settle(tx, card);
    await tx.execute(keepItem, [
      type,
      itemId,
      record,
      card.partnerKey,
      transactionId,
      authorisedAt,
    ]);
    return undefined;
  });

const Matched = z.object({ transactionId: z.string(), authorisedAt: z.date() });

/** The same card, amount and direction: the oldest that waits, or the one that has the presentment's own id. */
const settleAuthorised = `
  update borsello.card_transaction set status = 'Presented', fee_cents = $4,
    metadata = (coalesce(metadata::jsonb, '{}') || jsonb_build_object('presentment', $5::jsonb))::json
  where (partner_key, transaction_id) = (
    select partner_key, transaction_id from borsello.card_transaction
    where card_id = $1 and status = 'Authorised' and billing_cents = $2
      and (type = ${creditType}) = ($3 = ${creditType})
    order by transaction_id <> $6, transaction_date, transaction_id limit 1)
  returning transaction_id as "transactionId", transaction_date as "authorisedAt"`;

/** An authorisation of this very id may have been declined or taken back: what is presented is another fact. */
const presentAnew = `
  insert into borsello.card_transaction (transaction_id, partner_key, card_id, account_id, customer_id,
    billing_cents, fee_cents, status, type, transaction_date, metadata)
  select case when exists (select from borsello.card_transaction
      where partner_key = $2 and transaction_id = $1) then 'presentment:' || $1 else $1 end,
    $2, $3, $4, $5, $6, $7, 'Presented', $8, $9, json_build_object('presentment', $10::json)
  returning transaction_id as "transactionId"`;

const Presented = z.object({ transactionId: z.string() });

const settle = async (
  tx: Queryable,
  card: Card,
  presentment: Presentment,
  record: string,
): Promise<Settled> => {
  const { presentmentId, cardId, type, isReversal, transactionDate } = presentment;
  const cents = centsOf(presentment.amount);
  const feeCents = centsOf(presentment.feeAmount);
  // A reversal settles no authorisation: it takes back what was presented before.
  const matched = isReversal
    ? undefined
    : await tx.row(Matched, settleAuthorised, [
        cardId,
        cents,
        type,
        feeCents,
        record,
        presentmentId,
      ]);
  if (matched !== undefined) return matched;
  const made = await tx.row(Presented, presentAnew, [
    ...[presentmentId, card.partnerKey, cardId, card.accountId, card.customerId],
    ...[cents, feeCents, type, transactionDate, record],
  ]);
  return { transactionId: made?.transactionId ?? null, authorisedAt: null };
};

/** Resolves to why it does not fit; a repeat changes nothing. */
export const receivePresentment = (
  database: Database,
  presentment: Presentment,
): Promise<Unfit | undefined> => {
  const { presentmentId, cardId, amount, currency, merchantName, merchantCountry } = presentment;
  const { type, isReversal, mcc, feeAmount, transactionDate } = presentment;
  const record = JSON.stringify({
    ...{ presentmentId, cardId, amount, currency, merchantName, merchantCountry },
    ...{ type, isReversal, mcc, feeAmount, transactionDate },
  });
  const item = {
    type: "CLEARINGMULTISCHEME",
    itemId: presentmentId,
    cardId,
    currency,
    record,
  } as const;
  return receive(database, item, (tx, card) => settle(tx, card, presentment, record));
};

/** A fee is of no transaction. */
export const receiveFee = (database: Database, fee: Fee): Promise<Unfit | undefined> => {
  const { feeId, cardId, amount, currency, feeType, feeCode, feeDescription } = fee;
  const record = JSON.stringify({
    feeId,
    cardId,
    amount,
    currency,
    feeType,
    feeCode,
    feeDescription,
  });
  const item = { type: "FEEMULTISCHEME", itemId: feeId, cardId, currency, record } as const;
  return receive(database, item, async () => ({ transactionId: null, authorisedAt: null }));
};
