/** Whose account, address or card it is: the check that opens every command and every look-up of cards. */
import { z } from "zod";
import {
  accountLevels,
  accountStatuses,
  cardLevels,
  cardStatuses,
} from "../../domain/card/statuses.js";
import { refusal, success, type Outcome, type Refusal } from "../../domain/outcome.js";
import type { Queryable } from "../platform/database.js";
import type { Actor, Reader } from "./wallet-access.js";

export type AccountRefusal = "AccountNotFound" | "AccountOfAnotherAffiliate";
export type CardRefusal = "CardNotFound" | "AccountOfAnotherAffiliate";
export type AddressRefusal = "AddressNotFound" | "AccountOfAnotherAffiliate";

const asReader = (who: Actor | Reader): Reader =>
  "isOperator" in who ? who : { partnerKey: who.partnerKey, isOperator: false };

interface Kind<Code extends string> {
  readonly table: "card_account" | "card_address" | "card";
  readonly key: "account_id" | "address_id" | "card_id";
  readonly property: "accountId" | "addressId" | "cardId";
  readonly unknown: Code;
}

const accounts: Kind<"AccountNotFound"> = {
  table: "card_account",
  key: "account_id",
  property: "accountId",
  unknown: "AccountNotFound",
};
const addresses: Kind<"AddressNotFound"> = {
  table: "card_address",
  key: "address_id",
  property: "addressId",
  unknown: "AddressNotFound",
};
const cards: Kind<"CardNotFound"> = {
  table: "card",
  key: "card_id",
  property: "cardId",
  unknown: "CardNotFound",
};

/** Undefined: it is the reader's to see. */
const whyNot = async <Code extends string>(
  database: Queryable,
  who: Actor | Reader,
  { table, key, property, unknown }: Kind<Code>,
  id: string,
): Promise<Refusal<Code | "AccountOfAnotherAffiliate"> | undefined> => {
  const { partnerKey, isOperator } = asReader(who);
  const found = await database.row(
    z.object({ partnerKey: z.string() }),
    `select partner_key as "partnerKey" from borsello.${table} where ${key} = $1`,
    [id],
  );
  if (found === undefined) return refusal(unknown, { [property]: id });
  return found.partnerKey === partnerKey || isOperator
    ? undefined
    : refusal("AccountOfAnotherAffiliate", { [property]: id });
};

/** Why somebody may not see or change this account; undefined: nothing forbids it. */
export const whyNoAccount = (
  database: Queryable,
  who: Actor | Reader,
  accountId: string,
): Promise<Refusal<AccountRefusal> | undefined> => whyNot(database, who, accounts, accountId);

/** The same of an address. */
export const whyNoAddress = (
  database: Queryable,
  who: Actor | Reader,
  addressId: string,
): Promise<Refusal<AddressRefusal> | undefined> => whyNot(database, who, addresses, addressId);

/** The same of a card. */
export const whyNoCard = (
  database: Queryable,
  who: Actor | Reader,
  cardId: string,
): Promise<Refusal<CardRefusal> | undefined> => whyNot(database, who, cards, cardId);

const AccountRow = z.object({
  accountId: z.string(),
  partnerKey: z.string(),
  customerId: z.string(),
  status: z.enum(accountStatuses),
  statusReasonCode: z.string().nullable(),
  lockLevel: z.enum(accountLevels).nullable(),
});
/** What commands ask of an account. */
export type AccountRow = z.infer<typeof AccountRow>;

/**
 * The account's row is held until the transaction ends. Whoever holds a card's row must not ask for its
 * account's: an account's block and deletion take the account first, then its cards.
 */
export const lockAccount = async (
  tx: Queryable,
  { partnerKey }: Actor,
  accountId: string,
): Promise<Outcome<AccountRow, AccountRefusal>> => {
  const found = await tx.row(
    AccountRow,
    `select account_id as "accountId", partner_key as "partnerKey", customer_id as "customerId",
       status, status_reason_code as "statusReasonCode", lock_level as "lockLevel"
     from borsello.card_account where account_id = $1 for no key update`,
    [accountId],
  );
  if (found === undefined) return refusal("AccountNotFound", { accountId });
  return found.partnerKey === partnerKey
    ? success(found)
    : refusal("AccountOfAnotherAffiliate", { accountId });
};

const CardRow = z.object({
  cardId: z.string(),
  accountId: z.string(),
  partnerKey: z.string(),
  customerId: z.string(),
  financialReference: z.string().nullable(),
  panToken: z.string().nullable(),
  maskedPan: z.string().nullable(),
  status: z.enum(cardStatuses),
  statusReasonCode: z.string().nullable(),
  lockLevel: z.enum(cardLevels).nullable(),
  /** By its date, whether or not the sweep has come by yet. */
  isOver: z.boolean(),
});
/** What commands ask of a card. */
export type CardRow = z.infer<typeof CardRow>;

const selectCard = `
  select card_id as "cardId", account_id as "accountId", partner_key as "partnerKey",
    customer_id as "customerId", financial_reference as "financialReference",
    pan_token as "panToken", masked_pan as "maskedPan", status,
    status_reason_code as "statusReasonCode", lock_level as "lockLevel",
    coalesce(borsello.is_card_over(expiry_date), false) as "isOver"
  from borsello.card`;

const ownCard = (
  found: CardRow | undefined,
  { partnerKey, isOperator }: Reader,
  cardId: string,
): Outcome<CardRow, CardRefusal> => {
  if (found === undefined) return refusal("CardNotFound", { cardId });
  return found.partnerKey === partnerKey || isOperator
    ? success(found)
    : refusal("AccountOfAnotherAffiliate", { cardId });
};

export const findCard = async (
  database: Queryable,
  reader: Actor | Reader,
  cardId: string,
): Promise<Outcome<CardRow, CardRefusal>> =>
  ownCard(
    await database.row(CardRow, `${selectCard} where card_id = $1`, [cardId]),
    asReader(reader),
    cardId,
  );

/**
 * The card's row is the one lock of its changes and of what its limits allow. The guards that read other
 * tables come in later statements of the transaction, so that they see what the lock made them wait for.
 */
export const lockCard = async (
  tx: Queryable,
  { partnerKey }: Actor,
  cardId: string,
): Promise<Outcome<CardRow, CardRefusal>> =>
  ownCard(
    await tx.row(CardRow, `${selectCard} where card_id = $1 for no key update`, [cardId]),
    { partnerKey, isOperator: false },
    cardId,
  );

/** The affiliate's card of this token; undefined: it has none, whoever else may have one. */
export const cardByToken = (
  database: Queryable,
  partnerKey: string,
  panToken: string,
): Promise<CardRow | undefined> =>
  database.row(CardRow, `${selectCard} where pan_token = $1 and partner_key = $2`, [
    panToken,
    partnerKey,
  ]);
