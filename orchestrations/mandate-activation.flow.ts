/** Carries a wallet's or a store's mandate through the bank: its answer or silence, then what it has to revoke. */
import { z } from "zod";
import { bankDaysLater, romeDate } from "../shared/domain/bank/bank-days.js";
import { flow, flowEvent, step } from "../shared/durable/flow.js";

const Mandate = z.object({ mandateId: z.uuid() });

/** Wake-ups: whichever comes, the mandate is looked at anew. */
export const bankOutcome = flowEvent("bankOutcome", z.unknown());
export const disableRequested = flowEvent("disableRequested", z.unknown());
export const mandateSigned = flowEvent("mandateSigned", z.unknown());
const wakeUps = [bankOutcome, disableRequested, mandateSigned];

export const readMandate = step("readMandate", {
  input: Mandate,
  output: z.object({
    status: z.enum([
      "Draft",
      "Filled",
      "Signed",
      /** A store's: Filled, and the bank was asked for it. */
      "Asked",
      "ActivationRequested",
      "Active",
      "DisableRequested",
      /** A reference is to be revoked that the mandate's status does not tell of. */
      "Revoking",
      "Disabled",
      "Rejected",
      "Cancelled",
      "Unknown",
    ]),
    /** When the bank was last asked. */
    requestedAt: z.iso.datetime().nullable(),
    /** What the bank answered to that; null: nothing yet. Accepted, of a revocation, is whatever ends it. */
    outcome: z.enum(["Accepted", "Refused"]).nullable(),
    /** When a revocation, if one is open, or the next look at what was asked is due. Absent in lives that began when silence was all they knew. */
    dueAt: z.iso.datetime().nullable().optional(),
    /** Which reference is to be revoked; absent: the mandate's own. */
    reference: z.string().optional(),
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
/** Whatever comes next for a store's mandate on its way: settled, asked for again, or asked after. */
export const advanceStoreMandate = step("advanceStoreMandate", {
  input: Mandate,
  output: z.null(),
});
export const requestMandateRevocation = step("requestMandateRevocation", {
  /** `seen`: when the bank was asked last, as far as the flow knows. */
  input: Mandate.extend({ seen: z.iso.datetime().nullable(), reference: z.string().optional() }),
  output: z.null(),
});
export const settleMandateRevocation = step("settleMandateRevocation", {
  input: Mandate,
  output: z.null(),
});

export const mandateActivationId = (mandateId: string): string => `mandate-${mandateId}`;

const bankDaysToAnswer = 10;

const earlier = (left: Date, right: Date | null): Date =>
  right !== null && right < left ? right : left;

export const mandateActivation = flow({
  name: "mandateActivation",
  input: Mandate,
  steps: [
    readMandate,
    sealMandatePdf,
    requestMandateActivation,
    settleMandateActivation,
    advanceStoreMandate,
    requestMandateRevocation,
    settleMandateRevocation,
  ],
  *body(context, input) {
    const read = yield* context.run(readMandate, input);
    const { status, requestedAt, outcome, reference } = read;
    const silentUntil =
      requestedAt === null ? context.now() : bankDaysLater(new Date(requestedAt), bankDaysToAnswer);
    const dueAt = read.dueAt == null ? null : new Date(read.dueAt);
    switch (status) {
      case "Signed": {
        context.setStatus("Sealing the mandate and asking the bank to activate it");
        const sealed = yield* context.run(sealMandatePdf, input);
        yield* context.run(requestMandateActivation, { ...input, ...sealed });
        return context.again(input);
      }
      case "Asked":
        if (dueAt === null || context.now() >= dueAt) {
          context.setStatus("Taking the store's mandate a step further");
          yield* context.run(advanceStoreMandate, input);
        } else {
          context.setStatus(
            `Waiting for the bank to activate the store's mandate (asked again at ${dueAt.toISOString()})`,
          );
          yield* context.waitFor(wakeUps, dueAt);
        }
        return context.again(input);
      case "ActivationRequested":
        context.setStatus(
          `Waiting for the bank to activate the mandate (until ${romeDate(silentUntil)})`,
        );
        if (outcome !== null) {
          const as = outcome === "Accepted" ? "Active" : "Rejected";
          yield* context.run(settleMandateActivation, { ...input, as });
        } else if (context.now() >= silentUntil) {
          yield* context.run(settleMandateActivation, { ...input, as: "Lapsed" });
        } else {
          yield* context.waitFor(wakeUps, earlier(silentUntil, dueAt));
        }
        return context.again(input);
      case "Active":
        context.setStatus("The mandate is active; waiting for somebody to disable it");
        yield* context.waitFor(wakeUps, dueAt);
        return context.again(input);
      case "DisableRequested":
      case "Revoking": {
        // What the bank may know must not be collected any more: it is asked until it says how that stands.
        const due = dueAt ?? silentUntil;
        context.setStatus(
          `Waiting for the bank to revoke the mandate (asked again on ${romeDate(due)})`,
        );
        if (outcome === "Accepted") {
          yield* context.run(settleMandateRevocation, input);
        } else if (context.now() >= due) {
          yield* context.run(requestMandateRevocation, { ...input, seen: requestedAt, reference });
        } else {
          yield* context.waitFor(wakeUps, due);
        }
        return context.again(input);
      }
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
