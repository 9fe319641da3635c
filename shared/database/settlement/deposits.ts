/** How a run of MandateDepositRequest is worked off: what is due by wallet mandates, or one store's debit. */
import { findPartner } from "../access/partners.js";
import type { Queryable } from "../platform/database.js";
import {
  collectionsPerPage,
  findCollectable,
  takeDueCollections,
} from "../mandates/collections.js";
import { requestStoreCollection } from "./compensations.js";
import type { BegunRun, RunPage } from "./run-work.js";

/** A page of the wallet mandates that are due, or the one that is named. */
export const takeDeposits = async (
  tx: Queryable,
  { partnerKey, actor }: BegunRun,
  mandateId: string | null = null,
): Promise<RunPage> => {
  const partner = await findPartner(tx, partnerKey);
  if (partner === undefined) throw new Error(`The partner ${partnerKey} of a run is gone.`);
  const limitCents = BigInt(partner.settings.limits.lastMonthSddDepositCents);
  const due = { partnerKey, actor, mandateId, limitCents };
  const { asked, seen } = await takeDueCollections(tx, due);
  return { items: asked, isLast: mandateId !== null || seen < collectionsPerPage };
};

/** The mandate that a trigger named: a wallet's where it is due, a store's whenever it is asked for. */
export const takeDepositOf = async (
  tx: Queryable,
  run: BegunRun,
  mandateId: string,
): Promise<RunPage> => {
  const { actor, amountCents: cents, reconciliationId } = run;
  const found = await findCollectable(tx, run.partnerKey, mandateId);
  if (found?.isOfStore !== true) return takeDeposits(tx, run, mandateId);
  const items = await requestStoreCollection(tx, { mandateId, cents, reconciliationId, actor });
  return { items, isLast: true };
};
