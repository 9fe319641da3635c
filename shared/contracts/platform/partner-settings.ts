/** What administrators set per partner; absent keys take the defaults. */
import { z } from "zod";

export const partnerSettings = z.object({
  /** Whether the partner's customers sign a contract; without it the contract routes refuse. */
  activationFlowEnabled: z.boolean().default(true),
  onboarding: z
    .object({
      /** Whether onboarding waits for a mandate: always, when one was initialised, never. */
      mandate: z.enum(["required", "optional", "none"]).default("optional"),
    })
    .prefault({}),
});

export type PartnerSettings = z.output<typeof partnerSettings>;
