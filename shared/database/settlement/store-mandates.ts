/** Store mandates as the flow StoreMandates takes them to the bank: the due ones, or one of them (contract 4.3). */
import { z } from "zod";
import type { Database, Queryable } from "../platform/database.js";
import { taken, type BegunRun, type RunPage } from "./run-work.js";
import { termsOf, type SettlementEnvironment, type SettlementTerms } from "./terms.js";

const Owner = z.object({ partnerKey: z.string() });

/** False: there was nothing to do, or there is no such mandate. */
export const advanceOneStoreMandate = (
  database: Database,
  mandateId: string,
  environment: SettlementEnvironment,
): Promise<boolean> =>
  database.transaction(async (tx) => {
    const owner = await tx.row(
      Owner,
      `select partner_key as "partnerKey" from borsello.mandate where mandate_id = $1`,
      [mandateId],
    );
    if (owner === undefined) return false;
    const terms = await termsOf(tx, owner.partnerKey, environment);
    const advanced = await tx.row(
      z.object({ isAdvanced: z.boolean() }),
      `select borsello.advance_store_mandate($1, $2) as "isAdvanced"`,
      [mandateId, JSON.stringify(terms)],
    );
    return advanced?.isAdvanced ?? false;
  });

const perPage = 100;

/** The one that somebody asks for: after a refusal or silence it waits no longer. */
export const takeStoreMandate = async (
  tx: Queryable,
  { partnerKey }: Pick<BegunRun, "partnerKey">,
  mandateId: string,
  terms: SettlementTerms,
): Promise<RunPage> => {
  const items = await taken(
    tx,
    `select borsello.advance_store_mandate(mandate_id, $3, true)::integer as taken
     from borsello.mandate where mandate_id = $1 and partner_key = $2`,
    [mandateId, partnerKey, JSON.stringify(terms)],
  );
  return { items, isLast: true };
};

/** Those that were never asked for, and those whose time has come; mandates are locked in one order. */
export const takeDueStoreMandates = async (
  tx: Queryable,
  { partnerKey }: Pick<BegunRun, "partnerKey">,
  terms: SettlementTerms,
): Promise<RunPage> => {
  const items = await taken(
    tx,
    `with page as (
       select mandate_id from borsello.mandate
       where partner_key = $1 and store_id is not null and status = 'Filled'
         and coalesce(next_attempt_at, fill_date) <= borsello.platform_now()
       order by coalesce(next_attempt_at, fill_date) limit $2
     )
     select count(*) filter (where borsello.advance_store_mandate(mandate_id, $3))::integer as taken
     from (select mandate_id from page order by mandate_id) as in_order`,
    [partnerKey, perPage, JSON.stringify(terms)],
  );
  return { items, isLast: items < perPage };
};

const Partner = z.object({ partnerKey: z.string() });

/** Whose store mandates wait for the bank to be asked. */
export const partnersWithDueStoreMandates = async (
  database: Queryable,
): Promise<readonly string[]> => {
  const found = await database.rows(
    Partner,
    `select partner_key as "partnerKey" from borsello.partner as p where exists (
       select from borsello.mandate
       where partner_key = p.partner_key and store_id is not null and status = 'Filled'
         and coalesce(next_attempt_at, fill_date) <= borsello.platform_now())
     order by partner_key`,
  );
  return found.map(({ partnerKey }) => partnerKey);
};
