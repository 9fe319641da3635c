/** Signs a wallet's contract: fills its PDF, seals it, stores it; a refusal on the way ends it. */
import { z } from "zod";
import { flow, step } from "../shared/durable/flow.js";

const Signature = z.object({ walletId: z.uuid(), attempt: z.int().positive() });

/** Over: the contract was declined or its wallet closed meanwhile, or another signature took this one's place. */
const Progress = z.object({ result: z.enum(["done", "over"]) });

/** Asks whether the signature is still wanted; the name is of lives in which the form was kept between the steps. */
export const fillContractPdf = step("fillContractPdf", { input: Signature, output: Progress });
export const sealContractPdf = step("sealContractPdf", { input: Signature, output: Progress });
/** Makes the sealed PDF the wallet's contract and, in the same transaction, tells the bus. */
export const concludeContract = step("concludeContract", { input: Signature, output: Progress });

export const contractSigningId = (walletId: string, attempt: number): string =>
  `contract-${walletId}-${attempt}`;

const stages = [
  [fillContractPdf, "Filling the contract"],
  [sealContractPdf, "Sealing the contract"],
  [concludeContract, "Storing the signed contract"],
] as const;

export const contractSigning = flow({
  name: "contractSigning",
  input: Signature,
  steps: [fillContractPdf, sealContractPdf, concludeContract],
  *body(context, input) {
    for (const [stage, doing] of stages) {
      context.setStatus(doing);
      const { result } = yield* context.run(stage, input);
      if (result === "over") {
        context.setStatus("The signature ended before the contract was sealed");
        return { status: "Declined" } as const;
      }
    }
    context.setStatus("The contract is signed");
    return { status: "Signed" } as const;
  },
});
