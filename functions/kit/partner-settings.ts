/** Settings as handlers ask for them: those of a wallet's own partner, and who collects by mandates. */
import type { PartnerSettings } from "../../shared/contracts/platform/partner-settings.js";
import { DependencyUnavailableError } from "../../shared/platform/dependency-unavailable.js";
import type { Caller } from "./authorize.js";
import type { Services } from "./services.js";

/** An operator reads wallets of every partner; for all others this is the caller itself. */
export const settingsFor = async (
  { partners }: { readonly partners: Pick<Services["partners"], "byKey"> },
  caller: Pick<Caller, "partnerKey" | "settings">,
  { partnerKey }: { readonly partnerKey: string },
): Promise<PartnerSettings> => {
  if (partnerKey === caller.partnerKey) return caller.settings;
  const partner = await partners.byKey(partnerKey);
  if (partner === undefined) throw new Error(`The partner ${partnerKey} of a wallet is gone.`);
  return partner.settings;
};

/** Who collects by a partner's mandates, and how many days before each collection the debtor is told. */
export const creditorTerms = ({ creditor, mandate }: PartnerSettings) => {
  // A mandate that names no creditor is none: that is for the platform's operators to mend.
  if (creditor === null) throw new DependencyUnavailableError("the partner's creditor identifier");
  return { ...creditor, ...mandate };
};
