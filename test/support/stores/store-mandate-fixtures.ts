/** What tests of store mandates start from: mandates of stores that nobody used before, and runs of their flow. */
import type { FlowRun } from "../../../shared/contracts/settlement/flows.js";
import type { StoreMandate } from "../../../shared/contracts/stores/store-mandates.js";
import type { NewStore } from "../../../shared/contracts/stores/stores.js";
import type { Actor } from "../../../shared/database/access/wallet-access.js";
import type { Database } from "../../../shared/database/platform/database.js";
import { findRun, requestRun, workRun } from "../../../shared/database/settlement/runs.js";
import { termsOf } from "../../../shared/database/settlement/terms.js";
import {
  createStoreMandate,
  fillStoreMandate,
  findStoreMandateById,
} from "../../../shared/database/stores/store-mandates.js";
import { creditor, environment } from "../wallet/mandate-fixtures.js";
import { acme, made } from "../wallet/wallet-fixtures.js";
import { openStore } from "./store-fixtures.js";

let references = 0;

/** One that no test of this file has used. */
export const someReference = (): string => `ACME-${(references += 1)}`;

export const openStoreMandate = async (
  database: Database,
  changes: Partial<NewStore> = {},
  actor: Actor = acme,
  dealerKey = "dealer-rome",
): Promise<StoreMandate> => {
  const { storeId } = await openStore(database, changes, actor, dealerKey);
  const given = { storeId, mandateUniqueReference: someReference() };
  return made(await createStoreMandate(database, actor, given));
};

export const openFilledMandate = async (
  database: Database,
  changes: Partial<NewStore> = {},
): Promise<StoreMandate> => {
  const { storeMandateId } = await openStoreMandate(database, changes);
  return made(await fillStoreMandate(database, acme, storeMandateId, creditor));
};

export const readStoreMandate = async (
  database: Database,
  { storeMandateId }: Pick<StoreMandate, "storeMandateId">,
): Promise<StoreMandate> =>
  made(
    await findStoreMandateById(database, { partnerKey: "acme", isOperator: false }, storeMandateId),
  );

/** The flow StoreMandates from the trigger to its end: for all that are due, or for one. */
export const runStoreMandates = async (
  database: Database,
  subjectId: string | null = null,
): Promise<FlowRun> => {
  const asked = { partnerKey: "acme", flow: "StoreMandates", type: null, subjectId } as const;
  const by = { actor: "acme-client", upTo: "now", isScheduled: false, isIgnored: false } as const;
  const run = await requestRun(database, { ...asked, ...by });
  if (run === undefined) throw new Error("no run was written");
  const terms = await termsOf(database, "acme", environment);
  while (!(await workRun(database, run.runId, terms)).isLast);
  const over = await findRun(database, "acme", run.runId);
  if (over === undefined) throw new Error("the run is gone");
  return over;
};
