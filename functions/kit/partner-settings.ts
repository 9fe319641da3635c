/** Whose settings hold for a wallet: those of its own partner, whoever calls. */
import type { PartnerSettings } from "../../shared/contracts/platform/partner-settings.js";
import type { Caller } from "./authorize.js";
import type { Services } from "./services.js";

/** An operator reads wallets of every partner; for all others this is the caller itself. */
export const settingsFor = async (
  { partners }: Pick<Services, "partners">,
  caller: Pick<Caller, "partnerKey" | "settings">,
  { partnerKey }: { readonly partnerKey: string },
): Promise<PartnerSettings> => {
  if (partnerKey === caller.partnerKey) return caller.settings;
  const partner = await partners.byKey(partnerKey);
  if (partner === undefined) throw new Error(`The partner ${partnerKey} of a wallet is gone.`);
  return partner.settings;
};
