/** How a partner's operations are settled: its settings, and what the environment adds to them. */
import type { OperationType } from "../../domain/operations/families.js";
import { findPartner } from "../access/partners.js";
import type { Queryable } from "../platform/database.js";
import type { PartnerSettings } from "../../contracts/platform/partner-settings.js";

export interface SettlementTerms {
  /** Seconds before each attempt; as many attempts as there are entries. */
  readonly retrySeconds: readonly number[];
  /** So long without an answer of the bank counts as a failure. */
  readonly silenceSeconds: number;
  /** The two accounts of the partner at the bank, between which internal transfers move. */
  readonly collectionAccount: string | null;
  readonly safeguardingAccount: string | null;
  /** Operations of these types are harvested; all others are settled one by one. */
  readonly harvestedTypes: readonly OperationType[];
}

export interface SettlementEnvironment {
  readonly silenceSeconds: number;
  /** Of partners that have none of their own. */
  readonly collectionAccount: string | null;
}

export const settlementTerms = (
  { settlement, ibanVerification }: PartnerSettings,
  { silenceSeconds, collectionAccount }: SettlementEnvironment,
): SettlementTerms => ({
  ...settlement,
  silenceSeconds,
  collectionAccount: ibanVerification.destinationIban ?? collectionAccount,
});

/** A partner's terms, read anew each time: its settings may change meanwhile. */
export const termsOf = async (
  database: Queryable,
  partnerKey: string,
  environment: SettlementEnvironment,
): Promise<SettlementTerms> => {
  const partner = await findPartner(database, partnerKey);
  if (partner === undefined) throw new Error(`The partner ${partnerKey} of a settlement is gone.`);
  return settlementTerms(partner.settings, environment);
};
