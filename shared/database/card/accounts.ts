/** Card accounts: read, find by number, set the affiliate's own reference. */
import { z } from "zod";
import type { AccountUpdate } from "../../contracts/card/accounts.js";
import { Account } from "../../contracts/card/fields.js";
import type { Page, Paginated } from "../../contracts/pages.js";
import { success, type Outcome } from "../../domain/outcome.js";
import { whyNoAccount, type AccountRefusal } from "../access/card-access.js";
import type { Actor, Reader } from "../access/wallet-access.js";
import type { Database, Queryable } from "../platform/database.js";
import { readPage } from "../platform/pages.js";
import { refusedFor } from "./refused.js";

const Found = z.object({ account: Account });

export const findAccount = async (
  database: Queryable,
  reader: Reader,
  accountId: string,
): Promise<Outcome<Account, AccountRefusal>> => {
  const found = await database.row(
    Found,
    `select borsello.card_account_record(a) as account from borsello.card_account as a
     where account_id = $1 and ($3 or partner_key = $2)`,
    [accountId, reader.partnerKey, reader.isOperator],
  );
  return found === undefined
    ? refusedFor(whyNoAccount(database, reader, accountId), "AccountNotFound")
    : success(found.account);
};

/** `accountNumber` is the number or its beginning: what sorts before the last character of all after it. */
export const searchAccounts = (
  database: Queryable,
  { partnerKey }: Reader,
  accountNumber: string,
  page: Page,
): Promise<Paginated<Account>> =>
  readPage(
    database,
    {
      item: Account,
      record: "borsello.card_account_record(a)",
      from: `borsello.card_account as a where partner_key = $1
        and account_number >= $2 and account_number < $2 || chr(1114111)`,
      order: "creation_date, account_id",
      values: [partnerKey, accountNumber],
    },
    page,
  );

const writeReference = `
  with changed as (
    update borsello.card_account as a
    set external_reference = $4, version = version + 1,
      last_update_date = borsello.platform_now()
    where account_id = $1 and partner_key = $2 returning a
  )
  select borsello.card_account_record(a) as account, borsello.record_card_account_update(a, $3)
  from changed`;

export const updateAccount = async (
  database: Database,
  actor: Actor,
  accountId: string,
  { externalReference }: AccountUpdate,
): Promise<Outcome<Account, AccountRefusal>> => {
  const { partnerKey, clientId } = actor;
  const values = [accountId, partnerKey, clientId, externalReference];
  const updated = await database.command(Found, writeReference, values);
  return updated === undefined
    ? refusedFor(
        whyNoAccount(database, { partnerKey, isOperator: false }, accountId),
        "AccountNotFound",
      )
    : success(updated.account);
};
