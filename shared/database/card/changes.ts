/** The states of card accounts and cards: lock, unlock, block, delete; an account's cards go along with it. */
import { z } from "zod";
import { Account, Card } from "../../contracts/card/fields.js";
import { decideOnAccount, decideOnCard, type RefusalCodes } from "../../domain/card/decisions.js";
import {
  cardsReachedBy,
  cardTransitions,
  type AccountCommand,
  type AccountTransition,
  type CardCommand,
} from "../../domain/card/transitions.js";
import { success, type Outcome } from "../../domain/outcome.js";
import {
  lockAccount,
  lockCard,
  type AccountRefusal,
  type CardRefusal,
} from "../access/card-access.js";
import type { Actor } from "../access/wallet-access.js";
import type { Database, Queryable } from "../platform/database.js";

/** What a caller gives with a command. */
export interface Given {
  /** Of a lock or an unlock. */
  readonly level: string | null;
  /** Null: an unlock. */
  readonly reason: string | null;
  readonly note: string | null;
}

/** `$1` the subject, `$2` and on as `commandOf` takes them. */
const commandOf = `
  row($2::text, $3::text, $4::text, $5::text, $6::text, $7::text)::borsello.card_command`;

/** `$8` is the status after; only what is locked has a level. */
const newState = `
  status = $8, status_reason_code = $6,
  lock_level = case when $8 in ('LOCKED', 'Locked') then $5 end,
  version = version + 1, last_update_date = borsello.platform_now()`;

const writeAccount = `
  with changed as (
    update borsello.card_account as a set ${newState}
    where account_id = $1
    returning a, old.status as state_before
  )
  select borsello.card_account_record(a) as record,
    borsello.record_card_account_change(a, ${commandOf}, state_before),
    borsello.command_card_account(a, $9, ${commandOf})
  from changed`;

const recordsOf = `
    borsello.record_card_change(c, ${commandOf}, state_before),
    borsello.command_card(c, $9, ${commandOf})
  from changed`;

const writeCard = `
  with changed as (
    update borsello.card as c set ${newState}
    where card_id = $1
    returning c, old.status as state_before
  )
  select borsello.card_record(c) as record, ${recordsOf}`;

/** `$10` are the statuses from which the cards go. */
const writeCardsOfAccount = `
  with changed as (
    update borsello.card as c set ${newState}
    where account_id = $1 and status = any($10)
    returning c, old.status as state_before
  )
  select ${recordsOf} order by (c).card_id`;

const valuesOf = (
  id: string,
  { clientId }: Actor,
  {
    command,
    event,
    to,
    told,
  }: Pick<AccountTransition, "event" | "told"> & {
    readonly command: string;
    readonly to: string;
  },
  { level, reason, note }: Given,
): readonly unknown[] => [id, command, event, clientId, level, reason, note, to, told];

/**
 * In one order, so that two who take several wait for each other and do not block each other. What is asked
 * of other tables later sees what the cards' purchases made it wait for.
 */
const lockCards = (
  tx: Queryable,
  accountId: string,
  command: "block" | "delete",
): Promise<number> =>
  tx.execute(
    `select from borsello.card where account_id = $1 and status = any($2)
     order by card_id for no key update`,
    [accountId, cardsReachedBy(command)],
  );

/** An account has a bounded number of live cards: one statement takes them all. */
const changeCardsOf = async (
  tx: Queryable,
  actor: Actor,
  accountId: string,
  command: "block" | "delete",
  given: Given,
): Promise<void> => {
  const transition = cardTransitions.find((row) => row.command === command);
  if (transition === undefined) throw new Error(`Cards have no command ${command}.`);
  const values = valuesOf(accountId, actor, transition, given);
  await tx.execute(writeCardsOfAccount, [...values, cardsReachedBy(command)]);
};

const openHolds = async (tx: Queryable, accountId: string): Promise<number> =>
  (
    await tx.row(z.object({ holds: z.int() }), "select borsello.open_card_holds($1) as holds", [
      accountId,
    ])
  )?.holds ?? 0;

const ChangedAccount = z.object({ record: Account });
const ChangedCard = z.object({ record: Card });

/** Every command of an account's state; `codes` are what it may refuse with. */
export const changeAccount = <Code extends string>(
  database: Database,
  actor: Actor,
  accountId: string,
  command: AccountCommand,
  given: Given,
  codes: RefusalCodes<Code>,
): Promise<Outcome<Account, AccountRefusal | Code>> =>
  database.transaction(async (tx): Promise<Outcome<Account, AccountRefusal | Code>> => {
    const locked = await lockAccount(tx, actor, accountId);
    if (!locked.ok) return locked;
    const isEnd = command === "block" || command === "delete";
    if (isEnd) await lockCards(tx, accountId, command);
    const holds = command === "delete" ? await openHolds(tx, accountId) : 0;
    const found = { ...locked.value, openHolds: holds };
    const decided = decideOnAccount(command, found, given.level, codes);
    if (!decided.ok) return decided;
    const { cards } = decided.value;
    const values = valuesOf(accountId, actor, decided.value, given);
    const changed = await tx.row(ChangedAccount, writeAccount, values);
    if (changed === undefined) throw new Error("A locked account was gone before its change.");
    if (cards !== null) await changeCardsOf(tx, actor, accountId, cards, given);
    return success(changed.record);
  });

/** The same of a card. */
export const changeCard = <Code extends string>(
  database: Database,
  actor: Actor,
  cardId: string,
  command: Exclude<CardCommand, "create" | "expire">,
  given: Given,
  codes: RefusalCodes<Code>,
): Promise<Outcome<Card, CardRefusal | Code>> =>
  database.transaction(async (tx): Promise<Outcome<Card, CardRefusal | Code>> => {
    const locked = await lockCard(tx, actor, cardId);
    if (!locked.ok) return locked;
    const decided = decideOnCard(command, locked.value, given.level, codes);
    if (!decided.ok) return decided;
    const values = valuesOf(cardId, actor, decided.value, given);
    const changed = await tx.row(ChangedCard, writeCard, values);
    if (changed === undefined) throw new Error("A locked card was gone before its change.");
    return success(changed.record);
  });
