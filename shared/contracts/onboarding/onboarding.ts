/** The onboarding of a wallet as one view (contract 0.5). */
import { z } from "zod";
import { route } from "../route.js";
import { DateTime, NullableDateTime, walletParams } from "../wallet/fields.js";

export const onboardingStatuses = ["Running", "Completed", "Expired", "Failed"] as const;
export const onboardingStepNames = [
  "ibanValidation",
  "contractSigning",
  "mandateActivation",
] as const;
export const onboardingStepStatuses = [
  "Waiting",
  "Running",
  "Completed",
  "Failed",
  "Skipped",
] as const;

export const OnboardingStep = z
  .object({
    name: z.enum(onboardingStepNames),
    status: z.enum(onboardingStepStatuses),
    startedAt: NullableDateTime,
    endedAt: NullableDateTime,
    /** What it waits for, or how it ended, in words. */
    detail: z.string().nullable(),
  })
  .meta({ id: "OnboardingStep" });

export const Onboarding = z
  .object({
    walletId: z.uuid(),
    status: z.enum(onboardingStatuses),
    steps: z.array(OnboardingStep),
    startedAt: DateTime,
    endedAt: NullableDateTime,
  })
  .meta({ id: "Onboarding" });
export type Onboarding = z.output<typeof Onboarding>;

export const getOnboarding = route({
  id: "getOnboarding",
  api: "wallet",
  method: "GET",
  path: "wallets/{walletId}/onboarding",
  params: walletParams,
  role: "Wallet.Read",
  ok: { status: 200, schema: Onboarding },
  errors: ["WalletOfAnotherPartner", "WalletNotFound"],
  summary: "How far a wallet's onboarding has come",
  result: "The steps of the onboarding and where each of them is.",
  description:
    "What the durable flow `walletOnboarding` has done and what it waits for. It is `Completed` " +
    "once the IBAN is validated, the contract is signed (`Skipped` where the partner's activation " +
    "flow is not enabled) and the mandate is settled as the partner's setting " +
    "`onboarding.mandate` asks: `required`, `optional` or `none`. A `Failed` step starts again " +
    "with the next attempt: another IBAN, another signature, another mandate. After 90 days the " +
    "onboarding is `Expired`; that of a wallet closed before is `Failed`, each open step with the " +
    "reason. When such a wallet is reactivated, an ended onboarding with an open step runs again: " +
    "what is settled stays `Completed`, an IBAN that is not validated gets a new code. The partner is " +
    "told by OnboardingReminder, 7, 30 and 60 days after the start, and by OnboardingEnded.",
});
