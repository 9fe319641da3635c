/** Cards: create, read, list those of an account, set their references. */
import { z } from "zod";
import type { CardUpdate, NewCard } from "../../contracts/card/cards.js";
import { Card } from "../../contracts/card/fields.js";
import type { Page, Paginated } from "../../contracts/pages.js";
import { decideOnNewCard } from "../../domain/card/decisions.js";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import {
  lockAccount,
  whyNoAccount,
  whyNoCard,
  type AccountRefusal,
  type AccountRow,
  type CardRefusal,
} from "../access/card-access.js";
import type { Actor, Reader } from "../access/wallet-access.js";
import type { Database, Queryable } from "../platform/database.js";
import { readPage } from "../platform/pages.js";
import { refusedFor } from "./refused.js";

const Found = z.object({ card: Card });

export const readCard = async (
  database: Queryable,
  reader: Reader,
  cardId: string,
): Promise<Outcome<Card, CardRefusal>> => {
  const found = await database.row(
    Found,
    `select borsello.card_record(c) as card from borsello.card as c
     where card_id = $1 and ($3 or partner_key = $2)`,
    [cardId, reader.partnerKey, reader.isOperator],
  );
  return found === undefined
    ? refusedFor(whyNoCard(database, reader, cardId), "CardNotFound")
    : success(found.card);
};

export const listCards = async (
  database: Queryable,
  reader: Reader,
  accountId: string,
  page: Page,
): Promise<Outcome<Paginated<Card>, AccountRefusal>> => {
  const refused = await whyNoAccount(database, reader, accountId);
  if (refused !== undefined) return refused;
  const cards = await readPage(
    database,
    {
      item: Card,
      record: "borsello.card_record(c)",
      from: "borsello.card as c where account_id = $1",
      order: "creation_date, card_id",
      values: [accountId],
    },
    page,
  );
  return success(cards);
};

const writeReferences = `
  with changed as (
    update borsello.card as c
    set bar_code = $4, financial_reference = $5, external_reference = $6,
      version = version + 1, last_update_date = borsello.platform_now()
    where card_id = $1 and partner_key = $2 returning c
  )
  select borsello.card_record(c) as card, borsello.record_card_update(c, $3) from changed`;

export const updateCard = async (
  database: Database,
  actor: Actor,
  cardId: string,
  { barCode, financialReference, externalReference }: CardUpdate,
): Promise<Outcome<Card, CardRefusal>> => {
  const { partnerKey, clientId } = actor;
  const references = [barCode, financialReference, externalReference];
  const values = [cardId, partnerKey, clientId, ...references];
  const updated = await database.command(Found, writeReferences, values);
  return updated === undefined
    ? refusedFor(whyNoCard(database, { partnerKey, isOperator: false }, cardId), "CardNotFound")
    : success(updated.card);
};

const AccountId = z.object({ accountId: z.string() });

/** The customer's account, where there is one that is not deleted and no second. */
const lockAccountOfCustomer = async (
  tx: Queryable,
  actor: Actor,
  customerId: string,
): Promise<Outcome<AccountRow, AccountRefusal | "AccountAmbiguous">> => {
  const [account, another] = await tx.rows(
    AccountId,
    `select account_id as "accountId" from borsello.card_account
     where partner_key = $1 and customer_id = $2 and status <> 'DELETED' limit 2`,
    [actor.partnerKey, customerId],
  );
  if (account === undefined) return refusal("AccountNotFound", { accountId: customerId });
  if (another !== undefined) return refusal("AccountAmbiguous", { customerId });
  return lockAccount(tx, actor, account.accountId);
};

const countLiveCards = async (tx: Queryable, accountId: string): Promise<number> =>
  (
    await tx.row(
      z.object({ cards: z.int() }),
      `select count(*)::integer as cards from borsello.card
       where account_id = $1 and status <> 'Deleted'`,
      [accountId],
    )
  )?.cards ?? 0;

/** Until the processor has issued it, its data say what it was asked for: by our own identifiers. */
const insertCard = `
  with fresh as materialized (select uuidv7() as card_id), changed as (
    insert into borsello.card as c (card_id, account_id, partner_key, customer_id, relation_type,
      name_on_card, bar_code, financial_reference, external_reference, product_code, status,
      card_processor_data)
    select card_id, $1::uuid, $2, $4::uuid, $5::text, $6::text, $7, $8, $9, $10::text, $11,
      json_build_object('id', null, 'sourceId', card_id, 'nameOnCard', $6::text,
        'productCode', $10::text,
        'accountId', null, 'accountSourceId', $1::uuid, 'panToken', null, 'maskedPan', null,
        'status', null, 'statusReasonCode', null, 'expiryDate', null, 'customerId', null,
        'customerSourceId', $4::uuid, 'relationType', $5::text, 'lockLevel', null,
        'membershipFeeEffectiveDate', null, 'embossingData', json_build_object(
          'isPlasticOrdered', false, 'persoBureauHandoverDate', null))
    from fresh
    returning c
  )
  select borsello.card_record(c) as card,
    borsello.record_card_change(
      c, row($12::text, $13::text, $3::text, null, null, null)::borsello.card_command, null),
    borsello.describe_card(c, $14)
  from changed`;

/** `id` is the account's, or its customer's. */
export const createCard = (
  database: Database,
  actor: Actor,
  id: string,
  card: NewCard,
  productCode: string,
): Promise<Outcome<Card, AccountRefusal | "AccountAmbiguous" | "AccountStatusInvalid">> =>
  database.transaction(
    async (
      tx,
    ): Promise<Outcome<Card, AccountRefusal | "AccountAmbiguous" | "AccountStatusInvalid">> => {
      const byAccount = await lockAccount(tx, actor, id);
      const locked =
        !byAccount.ok && byAccount.code === "AccountNotFound"
          ? await lockAccountOfCustomer(tx, actor, id)
          : byAccount;
      if (!locked.ok) return locked;
      const { accountId, status } = locked.value;
      const liveCards = await countLiveCards(tx, accountId);
      const decided = decideOnNewCard({ status, liveCards });
      if (!decided.ok) return decided;
      const { command, event, to, told } = decided.value;
      const created = await tx.row(Found, insertCard, [
        ...[accountId, actor.partnerKey, actor.clientId],
        ...[card.cardHolderCustomerId, card.relationType, card.nameOnCard, card.barCode],
        ...[card.financialReference, card.externalReference, productCode, to],
        ...[command, event, told],
      ]);
      if (created === undefined) throw new Error("An account got no card, without a reason.");
      return success(created.card);
    },
  );
