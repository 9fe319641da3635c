/** The sandbox route that stands for a customer who refuses the contract (contract 0.5). */
import { z } from "zod";
import { Identifier } from "../identifier.js";
import { route } from "../route.js";

export const declineContractRoute = route({
  id: "declineContract",
  api: "sandbox",
  method: "PUT",
  path: "wallets/{walletId}/contract/decline",
  params: { walletId: Identifier },
  repeatable: true,
  role: "Sandbox.Use",
  ok: {
    status: 200,
    schema: z
      .object({ walletId: z.uuid(), status: z.enum(["Signing", "Signed", "Declined", "Closed"]) })
      .meta({ id: "SandboxContract" }),
  },
  errors: [
    "WalletNotActive",
    "ActivationFlowNotEnabled",
    "WalletOfAnotherPartner",
    "WalletNotFound",
  ],
  summary: "Let the customer decline the contract",
  result: "What became of the contract.",
  description:
    "Makes the onboarding's contract step `Failed`; a later signature starts it again. A contract " +
    "that is signed already stays so, and the answer says it.",
});
