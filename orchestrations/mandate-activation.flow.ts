/** Carries a signed mandate to its end: bank's answer or silence, then the wait for its revocation. */
import { z } from "zod";
import { bankDaysLater, romeDate } from "../shared/domain/bank/bank-days.js";
import { flow, flowEvent, step } from "../shared/durable/flow.js";

const Mandate = z.object({ mandateId: z.uuid() });

export const bankOutcome = flowEvent("bankOutcome", z.unknown());
export const disableRequested = flowEvent("disableRequested", z.unknown());

export const readMandate = step("readMandate", {
  input: Mandate,
  output: z.object({
    status: z.enum([
      "Draft",
      "Filled",
      "Signed",
      "ActivationRequested",
      "Active",
      "DisableRequested",
      "Disabled",
      "Rejected",
      "Cancelled",
      "Unknown",
    ]),
    /** When the bank was last asked. */
    requestedAt: z.iso.datetime().nullable(),
    /** What the bank answered to that; null: nothing yet. */
    outcome: z.enum(["Accepted", "Refused"]).nullable(),
  }),
});
export const sealMandatePdf = step("sealMandatePdf", {
  input: Mandate,
  output: z.object({ documentKey: z.string() }),
});
export const requestMandateActivation = step("requestMandateActivation", {
  input: Mandate.extend({ documentKey: z.string() }),
  output: z.null(),
});
export const settleMandateActivation = step("settleMandateActivation", {
  input: Mandate.extend({ as: z.enum(["Active", "Rejected", "Lapsed"]) }),
  output: z.null(),
});
export const requestMandateRevocation = step("requestMandateRevocation", {
  /** `seen`: when the bank was asked last, as far as the flow knows. */
  input: Mandate.extend({ seen: z.iso.datetime().nullable() }),
  output: z.null(),
});
export const settleMandateRevocation = step("settleMandateRevocation", {
  input: Mandate,
  output: z.null(),
});

export const mandateActivationId = (mandateId: string): string => `mandate-${mandateId}`;

const bankDaysToAnswer = 10;

export const mandateActivation = flow({
  name: "mandateActivation",
  input: Mandate,
  steps: [
    readMandate,
    sealMandatePdf,
    requestMandateActivation,
    settleMandateActivation,
    requestMandateRevocation,
    settleMandateRevocation,
  ],
  *body(context, input) {
    const { status, requestedAt, outcome } = yield* context.run(readMandate, input);
    const due =
      requestedAt === null ? context.now() : bankDaysLater(new Date(requestedAt), bankDaysToAnswer);
    const dueDate = romeDate(due);
    switch (status) {
      case "Signed": {
        context.setStatus("Sealing the mandate and asking the bank to activate it");
        const sealed = yield* context.run(sealMandatePdf, input);
        yield* context.run(requestMandateActivation, { ...input, ...sealed });
        return context.again(input);
      }
      case "ActivationRequested":
        context.setStatus(`Waiting for the bank to activate the mandate (until ${dueDate})`);
        if (outcome !== null) {
          const as = outcome === "Accepted" ? "Active" : "Rejected";
          yield* context.run(settleMandateActivation, { ...input, as });
        } else if (context.now() >= due) {
          yield* context.run(settleMandateActivation, { ...input, as: "Lapsed" });
        } else {
          yield* context.waitFor([bankOutcome, disableRequested], due);
        }
        return context.again(input);
      case "Active":
        context.setStatus("The mandate is active; waiting for somebody to disable it");
        yield* context.waitFor([disableRequested], null);
        return context.again(input);
      case "DisableRequested":
        // A mandate must not be collected again, so a refusal or silence is no end: the bank is asked anew.
        context.setStatus(`Waiting for the bank to revoke the mandate (asked again on ${dueDate})`);
        if (outcome === "Accepted") {
          yield* context.run(settleMandateRevocation, input);
        } else if (context.now() >= due) {
          yield* context.run(requestMandateRevocation, { ...input, seen: requestedAt });
        } else {
          yield* context.waitFor([bankOutcome], due);
        }
        return context.again(input);
      case "Draft":
      case "Filled":
      case "Rejected":
      case "Cancelled":
      case "Disabled":
      case "Unknown":
        context.setStatus(`The mandate is settled: ${status}`);
        return { status };
    }
  },
});
