/** Waits for the bank's word on what was asked for a store's reconciliation group, and asks again after silence. */
import { z } from "zod";
import { flow, flowEvent, step } from "../shared/durable/flow.js";

const Compensation = z.object({ reconciliationId: z.uuid(), partnerKey: z.string() });

export const compensationOutcome = flowEvent("bankOutcome", z.unknown());
/** A direct debit or a payment of the group was asked for. */
export const storePaymentAsked = flowEvent("storePaymentAsked", z.unknown());

export const readCompensation = step("readCompensation", {
  input: Compensation,
  output: z.object({
    status: z.enum(["Pending", "Collecting", "Reconciled", "Unknown"]),
    /** So long the bank may be silent. */
    silenceSeconds: z.int().positive(),
  }),
});
export const inquireCompensation = step("inquireCompensation", {
  input: Compensation,
  output: z.null(),
});

export const storesCompensationId = (reconciliationId: string): string =>
  `compensation-${reconciliationId}`;

/** What the bank says moves the money in the transaction that records it: nothing here does. */
export const storesCompensation = flow({
  name: "storesCompensation",
  input: Compensation,
  steps: [readCompensation, inquireCompensation],
  *body(context, input) {
    const { status, silenceSeconds } = yield* context.run(readCompensation, input);
    if (status !== "Collecting") {
      context.setStatus(`The group is ${status}`);
      return { status };
    }
    const until = new Date(context.now().getTime() + silenceSeconds * 1_000);
    context.setStatus(`Collecting, waiting for the bank (until ${until.toISOString()})`);
    const woken = yield* context.waitFor([compensationOutcome, storePaymentAsked], until);
    if (woken.event === "timeOut") yield* context.run(inquireCompensation, input);
    return context.again(input);
  },
});

/** A group that the bank refused is asked for again: its flow then has another life. */
export const storesCompensationStart = (input: z.infer<typeof Compensation>) => ({
  flow: storesCompensation,
  instanceId: storesCompensationId(input.reconciliationId),
  input,
  restartAfter: ["completed", "failed"] as const,
});
