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
  /** What verifies a customer's IBAN; without an account of its own, the platform's takes the transfer. */
  ibanVerification: z
    .object({
      destinationIban: z.string().nullable().default(null),
      destinationOwner: z.string().nullable().default(null),
      transferAmountCents: z.int().positive().default(100),
      validDays: z.int().positive().default(30),
    })
    .prefault({}),
});

/** As an administrator writes them. */
export type GivenPartnerSettings = z.input<typeof partnerSettings>;
export type PartnerSettings = z.output<typeof partnerSettings>;
