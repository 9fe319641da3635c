/** Mario's wallet is suspended, used again, closed and opened once more; another customer's is deleted. */
import { disableMandateRoute } from "../../../shared/contracts/mandates/mandates.js";
import { deleteWalletIbanRoute } from "../../../shared/contracts/onboarding/iban.js";
import * as states from "../../../shared/contracts/wallet/states.js";
import type { Customer } from "./onboarding.js";
import type { Neighbour } from "./sandbox.js";
import type { Story } from "./teller.js";

export const end = async (
  { at, tell, call }: Story,
  { walletId }: Customer,
  { neighboursWalletId }: Neighbour,
): Promise<void> => {
  const params = { walletId };
  await at("2025-04-02T08:00");
  await tell(states.suspendWalletRoute, { params });
  await at("2025-04-03T08:00");
  await tell(states.reactivateWalletRoute, { params });
  await at("2025-04-04T08:00");
  await tell(disableMandateRoute, { params });
  await tell(deleteWalletIbanRoute, { params });
  await call(states.suspendWalletRoute, { params });
  await at("2025-04-07T08:00");
  await tell(states.closeWalletRoute, { params });
  await at("2025-04-08T08:00");
  await tell(states.reopenWalletRoute, { params });

  const ofOther = { params: { walletId: neighboursWalletId } };
  await call(states.suspendWalletRoute, ofOther);
  await call(states.closeWalletRoute, ofOther);
  await tell(states.destroyWalletRoute, ofOther);
};
