/** Answers to authorisations that came by message: told to the card processor as commands. */
import { z } from "zod";
import type { O2iAnswer } from "../../contracts/authorisations/o2i.js";
import type { Database, Queryable } from "../platform/database.js";
import { lockCardByToken } from "./facts.js";

const Owner = z.object({ partnerKey: z.string() });

/** Whose card it is: a token is one card's alone, whoever its affiliate. */
export const affiliateOfToken = async (
  database: Queryable,
  panToken: string,
): Promise<string | undefined> => {
  const text = `select partner_key as "partnerKey" from borsello.card where pan_token = $1`;
  return (await database.row(Owner, text, [panToken]))?.partnerKey;
};

/** The same answer is one command, however often it is told. */
export const tellAnswer = (
  database: Database,
  partnerKey: string,
  panToken: string,
  answer: O2iAnswer,
): Promise<void> =>
  database.transaction(async (tx) => {
    const { transactionId, responseCode, availableBalance, accountCurrency } = answer;
    // One after the other: the statement after it sees what another delivery has told.
    await lockCardByToken(tx, panToken);
    await tx.execute(
      `select borsello.tell_card_processor(command_id, card_id::text, json_build_object(
         'kind', 'authorisationAnswer', 'affiliate', $1::text, 'cardId', card_id,
         'transactionId', $3::text, 'responseCode', $4::text,
         'availableBalance', borsello.money($5::bigint), 'accountCurrency', $6::integer))
       from (
         select card_id,
           borsello.derived_id('authorisationAnswer ' || $4 || ' ' || $3, card_id, 1) as command_id
         from borsello.card where partner_key = $1 and pan_token = $2
       ) as told
       where not exists (select from borsello.outbox where message_id = command_id)`,
      [
        ...[partnerKey, panToken, transactionId, responseCode],
        ...[Math.round(availableBalance * 100), accountCurrency],
      ],
    );
  });
