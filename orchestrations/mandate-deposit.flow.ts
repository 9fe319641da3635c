/** Waits for what the bank does with a collection, and asks it again while it is silent. */
import { z } from "zod";
import { flow, flowEvent, step } from "../shared/durable/flow.js";

const Collection = z.object({ requestId: z.uuid(), partnerKey: z.string() });

/** What the bank says is booked where it is recorded; the flow only looks whether anything is left to wait for. */
const bankOutcome = flowEvent("bankOutcome", z.unknown());

export const readCollection = step("readCollection", {
  input: Collection,
  output: z.object({
    status: z.enum(["Requested", "Accepted", "Booked", "Refused", "Returned", "Unknown"]),
    reasonCode: z.string().nullable(),
    /** How often the bank was asked again. */
    inquiries: z.int(),
    /** When it is asked again; null: it has decided. */
    dueAt: z.iso.datetime().nullable(),
  }),
});
export const askForCollectionAgain = step("askForCollectionAgain", {
  /** `inquiries`: as far as the flow knows, so that a repeat asks once. */
  input: Collection.extend({ inquiries: z.int() }),
  output: z.null(),
});

/** The instance of a collection's flow; its request names it, so that outcomes find it. */
export const mandateDepositId = (requestId: string): string => `deposit-${requestId}`;

export const mandateDeposit = flow({
  name: "mandateDeposit",
  input: Collection,
  steps: [readCollection, askForCollectionAgain],
  *body(context, input) {
    const seen = yield* context.run(readCollection, input);
    const { status, reasonCode, inquiries } = seen;
    if (seen.dueAt === null) {
      context.setStatus(reasonCode === null ? status : `${status}: ${reasonCode}`);
      return { status };
    }
    const dueAt = new Date(seen.dueAt);
    context.setStatus(`${status}, waiting for the bank (asked again on ${seen.dueAt})`);
    if (context.now() >= dueAt) yield* context.run(askForCollectionAgain, { ...input, inquiries });
    else yield* context.waitFor([bankOutcome], dueAt);
    return context.again(input);
  },
});
