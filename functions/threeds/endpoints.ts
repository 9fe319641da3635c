/** All endpoints of 3-D Secure. */
import { challengeEndpoints } from "./challenges.js";
import { triggerThreeDsCleanup } from "./cleanup.js";
import { assessRisk } from "./risk.js";

export const threeDsEndpoints = [assessRisk, ...challengeEndpoints, triggerThreeDsCleanup] as const;
