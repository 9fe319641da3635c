/** Accounts with their addresses, and cards that the processor has issued, as rows of their own. */
import { z } from "zod";
import type {
  AccountLevel,
  AccountStatus,
  CardLevel,
  CardStatus,
} from "../../../shared/domain/card/statuses.js";
import type { Queryable } from "../../../shared/database/platform/database.js";

let accounts = 0;
let cards = 0;

/** A number that hardly another process draws: so what several make in one database differs. */
const run = Math.floor(Math.random() * 1e8);

export interface OpenedAccount {
  readonly accountId: string;
  readonly addressId: string;
  readonly customerId: string;
  readonly accountNumber: string;
}

const Opened = z.object({
  accountId: z.string(),
  addressId: z.string(),
  customerId: z.string(),
  accountNumber: z.string(),
});

export interface AccountChanges {
  readonly partnerKey?: string;
  /** A fresh one where absent. */
  readonly customerId?: string;
  readonly status?: AccountStatus;
  /** Of an account that is LOCKED; Admin where absent. */
  readonly lockLevel?: AccountLevel;
  readonly statusReasonCode?: string;
}

/** An account of acme's, ACTIVE unless another state is asked for, with its address. */
export const openAccount = async (
  database: Queryable,
  {
    partnerKey = "acme",
    customerId,
    status = "ACTIVE",
    lockLevel = "Admin",
    statusReasonCode,
  }: AccountChanges = {},
): Promise<OpenedAccount> => {
  accounts += 1;
  const opened = await database.row(
    Opened,
    `with account as (
       insert into borsello.card_account (account_id, partner_key, customer_id, account_number, status,
         status_reason_code, lock_level, card_processor_reference, card_processor_data)
       values (uuidv7(), $1, coalesce($2::uuid, uuidv7()), $3, $4, $5,
         case $4 when 'LOCKED' then $6 end, 'A-' || $3,
         json_build_object('id', 'A-' || $3, 'accountNumber', $3::text, 'type', 'CHARGE',
           'productCode', 'STANDARD', 'feeProfile', null, 'accountProfile', null, 'customerId', null,
           'sourceId', null, 'status', 'ACTIVE', 'statusReasonCode', null, 'currency', 'EUR'))
       returning *
     ), address as (
       insert into borsello.card_address (address_id, account_id, partner_key, type, country_code, line1,
         city, zip_code, card_processor_reference, card_processor_data)
       select uuidv7(), account_id, partner_key, 'PermanentResidence', 'ITA', 'Via Roma 1', 'Roma', '00184',
         'D-' || $3,
         json_build_object('id', 'D-' || $3, 'sourceId', null, 'type', 'PermanentResidence',
           'countryCode', 'ITA', 'line1', 'Via Roma 1', 'line2', null, 'line3', null, 'city', 'Roma',
           'postOffice', null, 'zipCode', '00184', 'province', null)
       from account
       returning address_id
     ), opening as (
       insert into borsello.card_state_change (account_id, to_status, actor)
       select account_id, 'ACTIVE', 'test' from account
     )
     select account_id as "accountId", address_id as "addressId", customer_id as "customerId",
       account_number as "accountNumber"
     from account, address`,
    [
      ...[partnerKey, customerId ?? null, `${run}-${accounts}`, status],
      ...[statusReasonCode ?? null, lockLevel],
    ],
  );
  if (opened === undefined) throw new Error("no account was opened");
  return opened;
};

export interface IssuedCard {
  readonly cardId: string;
  readonly accountId: string;
  readonly customerId: string;
  readonly panToken: string;
  readonly maskedPan: string;
  readonly expiryDate: string;
}

const Issued = z.object({
  cardId: z.string(),
  accountId: z.string(),
  customerId: z.string(),
  panToken: z.string(),
  maskedPan: z.string(),
  expiryDate: z.string(),
});

export interface CardChanges {
  readonly status?: CardStatus;
  /** Of a card that is Locked; Client where absent. */
  readonly lockLevel?: CardLevel;
  readonly statusReasonCode?: string;
  /** The wallet that its payments are taken from. */
  readonly financialReference?: string;
  /** Four years from now where absent. */
  readonly expiryDate?: string;
}

/** A card that can be paid with, Active unless another state is asked for; its holder is the account's. */
export const issueCard = async (
  database: Queryable,
  accountId: string,
  {
    status = "Active",
    lockLevel = "Client",
    statusReasonCode,
    financialReference,
    expiryDate,
  }: CardChanges = {},
): Promise<IssuedCard> => {
  cards += 1;
  const token = String(run).padStart(8, "0") + String(cards).padStart(4, "0");
  const lastFour = String(cards % 10_000).padStart(4, "0");
  const issued = await database.row(
    Issued,
    `with card as (
       insert into borsello.card (account_id, partner_key, customer_id, relation_type, name_on_card,
         financial_reference, product_code, pan_token, masked_pan, expiry_date, status,
         status_reason_code, lock_level, card_processor_reference, card_processor_data)
       select account_id, partner_key, customer_id, 'Primary', 'MARIO ROSSI', $2, 'STANDARD',
         '999999' || $3 || $4, '999999******' || $4,
         coalesce($5::date, (borsello.platform_now() + interval '4 years')::date), $6, $7,
         case $6 when 'Locked' then $8 end, 'C-' || $3,
         json_build_object('id', 'C-' || $3, 'sourceId', null, 'nameOnCard', 'MARIO ROSSI',
           'productCode', 'STANDARD', 'accountId', null, 'accountSourceId', null,
           'panToken', '999999' || $3 || $4, 'maskedPan', '999999******' || $4,
           'status', 'Active', 'statusReasonCode', null, 'expiryDate', null, 'customerId', null,
           'customerSourceId', null, 'relationType', 'Primary', 'lockLevel', null,
           'membershipFeeEffectiveDate', null, 'embossingData',
           json_build_object('isPlasticOrdered', false, 'persoBureauHandoverDate', null))
       from borsello.card_account where account_id = $1
       returning *
     ), creation as (
       insert into borsello.card_state_change (account_id, card_id, to_status, actor)
       select account_id, card_id, 'Active', 'test' from card
     )
     select card_id as "cardId", account_id as "accountId", customer_id as "customerId",
       pan_token as "panToken", masked_pan as "maskedPan", expiry_date::text as "expiryDate"
     from card`,
    [
      ...[accountId, financialReference ?? null, token, lastFour],
      ...[expiryDate ?? null, status, statusReasonCode ?? null, lockLevel],
    ],
  );
  if (issued === undefined) throw new Error("no such account");
  return issued;
};

/** An affiliate's card with an account of its own. */
export const cardOf = async (database: Queryable, partnerKey: string): Promise<string> => {
  const { accountId } = await openAccount(database, { partnerKey });
  return (await issueCard(database, accountId)).cardId;
};
