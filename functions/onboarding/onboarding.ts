/** GET …/onboarding: how far the wallet's onboarding has come. */
import { getOnboarding } from "../../shared/contracts/onboarding/onboarding.js";
import { findOnboarding } from "../../shared/database/onboarding/onboarding.js";
import { endpoint } from "../kit/endpoint.js";

export const getOnboardingEndpoint = endpoint(
  getOnboarding,
  async ({ database }, { params, caller, ok, refuse }) => {
    const found = await findOnboarding(database, caller, params.walletId);
    return found.ok ? ok(found.value) : refuse(found);
  },
);
