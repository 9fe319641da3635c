/** The risk of a card transaction: assessed once, then the same answer, however often it is asked for. */
import { z } from "zod";
import type { Risk, RiskBody } from "../../contracts/threeds/risk.js";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import { assess, euroCentsOf, riskLevels, type LowValueTerms } from "../../domain/threeds/risk.js";
import type { Actor } from "../access/wallet-access.js";
import type { Database, Queryable } from "../platform/database.js";

export type RiskRefusal = "CardTokenInvalid" | "AccountOfAnotherAffiliate" | "ValidationFailed";

const Answered = z.object({
  partnerKey: z.string(),
  isSame: z.boolean(),
  riskLevel: z.enum(riskLevels),
});

/** As it is kept and compared: what was left out is null. */
const requestOf = ({
  dsTransactionId = null,
  messageCategory = null,
  threeRiIndicator = null,
  whitelistStatus = null,
  ...rest
}: RiskBody): string =>
  JSON.stringify({ ...rest, dsTransactionId, messageCategory, threeRiIndicator, whitelistStatus });

const answerOf = ({ whitelistStatus }: RiskBody, riskLevel: Risk["riskLevel"]): Risk => ({
  riskLevel,
  whitelistStatus: whitelistStatus ?? "N",
});

/** Undefined: nobody has asked for this transaction yet. */
const answered = async (
  tx: Queryable,
  { partnerKey }: Actor,
  body: RiskBody,
): Promise<Outcome<Risk, RiskRefusal> | undefined> => {
  const { transactionId } = body;
  const before = await tx.row(
    Answered,
    `select partner_key as "partnerKey", request = $2::jsonb as "isSame", risk_level as "riskLevel"
     from borsello.threeds_transaction where transaction_id = $1`,
    [transactionId, requestOf(body)],
  );
  if (before === undefined) return undefined;
  if (before.partnerKey !== partnerKey)
    return refusal("AccountOfAnotherAffiliate", { transactionId });
  if (before.isSame) return success(answerOf(body, before.riskLevel));
  return refusal("ValidationFailed", {
    "/transactionId": "must be a new one: this one was assessed with another body.",
  });
};

const AssessedCard = z.object({ cardId: z.string(), isPayable: z.boolean() });

const findAssessedCard = (tx: Queryable, partnerKey: string, panToken: string) =>
  tx.row(
    AssessedCard,
    `select card_id as "cardId", c.status = 'Active' and a.status = 'ACTIVE'
       and not coalesce(borsello.is_card_over(c.expiry_date), false) as "isPayable"
     from borsello.card as c join borsello.card_account as a using (account_id)
     where c.pan_token = $1 and c.partner_key = $2`,
    [panToken, partnerKey],
  );

const Used = z.object({ uses: z.int(), sumCents: z.bigint() });

/** Held until the transaction ends: the assessments of one card follow each other. */
const lockLowValue = async (tx: Queryable, cardId: string): Promise<z.output<typeof Used>> => {
  const used = await tx.row(
    Used,
    `insert into borsello.threeds_low_value as l (card_id) values ($1)
     on conflict (card_id) do update set uses = l.uses
     returning uses, sum_cents as "sumCents"`,
    [cardId],
  );
  if (used === undefined) throw new Error(`no low-value use of card ${cardId}`);
  return used;
};

const insert = `
  with made as (
    insert into borsello.threeds_transaction as t
      (transaction_id, partner_key, card_id, request, risk_level, exemption)
    values ($1, $2, $3, $4, $5, $6)
    on conflict (transaction_id) do nothing
    returning t
  ), counted as (
    update borsello.threeds_low_value set uses = uses + 1, sum_cents = sum_cents + $7::bigint
    where card_id = $3 and $6 = 'lowValue' and exists (select from made)
  )
  select count(borsello.audit_threeds(t, $8, 'assess', null))::int as made from made`;

const Made = z.object({ made: z.int() });

export const assessRisk = (
  database: Database,
  actor: Actor,
  terms: LowValueTerms,
  body: RiskBody,
): Promise<Outcome<Risk, RiskRefusal>> =>
  database.transaction(async (tx) => {
    const before = await answered(tx, actor, body);
    if (before !== undefined) return before;
    const { partnerKey, clientId } = actor;
    const card = await findAssessedCard(tx, partnerKey, body.panToken);
    if (card === undefined) return refusal("CardTokenInvalid");
    const used = await lockLowValue(tx, card.cardId);
    const purchase = { ...body, isListed: body.whitelistStatus === "Y" };
    const { riskLevel, exemption } = assess(purchase, card.isPayable, used, terms);
    const lowCents = exemption === "lowValue" ? (euroCentsOf(body) ?? 0n) : 0n;
    const { transactionId } = body;
    const done = await tx.row(Made, insert, [
      ...[transactionId, partnerKey, card.cardId, requestOf(body), riskLevel, exemption],
      ...[lowCents, clientId],
    ]);
    if (done?.made === 1) return success(answerOf(body, riskLevel));
    const meanwhile = await answered(tx, actor, body);
    if (meanwhile === undefined) throw new Error(`${transactionId} was assessed and is not there`);
    return meanwhile;
  });
