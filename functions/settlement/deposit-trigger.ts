/** Has one mandate's collection asked for now: a wallet's where that is due today, a store's whenever it owes. */
import { triggerMandateDepositRequestRoute } from "../../shared/contracts/settlement/deposit-trigger.js";
import {
  findCollectable,
  type CollectableMandate,
} from "../../shared/database/mandates/collections.js";
import type { Queryable } from "../../shared/database/platform/database.js";
import { collectableCents } from "../../shared/database/settlement/compensations.js";
import { requestRun } from "../../shared/database/settlement/runs.js";
import { amountOf, centsOf } from "../../shared/domain/money.js";
import { refusal, success, type Outcome } from "../../shared/domain/outcome.js";
import { endpoint } from "../kit/endpoint.js";

const ofStores = "is for a store's mandate only: this one is a wallet's.";

interface Asked {
  readonly mandateId: string;
  readonly amount: number | undefined;
  readonly reconciliationId: string | undefined;
}

interface Collection {
  readonly isIgnored: boolean;
  readonly amountCents: bigint | null;
  readonly reconciliationId: string | null;
}

const ofWallet = (
  { isDueToday }: CollectableMandate,
  { amount, reconciliationId }: Asked,
): Outcome<Collection, "QueryParameterInvalid"> => {
  if (amount !== undefined) return refusal("QueryParameterInvalid", { amount: ofStores });
  return reconciliationId === undefined
    ? success({ isIgnored: !isDueToday, amountCents: null, reconciliationId: null })
    : refusal("QueryParameterInvalid", { reconciliationId: ofStores });
};

const ofStore = async (
  database: Queryable,
  { mandateId, amount, reconciliationId: named }: Asked,
): Promise<Outcome<Collection, "QueryParameterInvalid">> => {
  const reconciliationId = named ?? null;
  const owedCents = await collectableCents(database, mandateId, reconciliationId);
  if (owedCents === undefined)
    return refusal("QueryParameterInvalid", {
      reconciliationId: "is no reconciliation of the mandate's store.",
    });
  const amountCents = amount === undefined ? null : (centsOf(amount) ?? null);
  return amountCents !== null && amountCents > owedCents
    ? refusal("QueryParameterInvalid", {
        amount: `must be at most ${amountOf(owedCents)}, which may be collected now.`,
      })
    : success({ isIgnored: owedCents === 0n, amountCents, reconciliationId });
};

export const triggerMandateDepositRequest = endpoint(
  triggerMandateDepositRequestRoute,
  async ({ database }, { query, caller, ok, refuse }) => {
    const { mandateId, amount, reconciliationId } = query;
    const { partnerKey, clientId } = caller;
    const found = await findCollectable(database, partnerKey, mandateId);
    if (found === undefined) return refuse(refusal("MandateNotFound", { mandateId }));
    const asked = { mandateId, amount, reconciliationId };
    const collection = found.isOfStore ? await ofStore(database, asked) : ofWallet(found, asked);
    if (!collection.ok) return refuse(collection);
    const run = await requestRun(database, {
      ...{ partnerKey, flow: "MandateDepositRequest", actor: clientId, type: null, upTo: "now" },
      ...{ subjectId: mandateId, isScheduled: false, ...collection.value },
    });
    if (run === undefined) throw new Error("A run that was asked for was not written.");
    return ok(run);
  },
);
