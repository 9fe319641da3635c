/** Validates one IBAN of a wallet: waits thirty days for the first SCT that fits its instructions. */
import { z } from "zod";
import { flow, flowEvent, step } from "../shared/durable/flow.js";

const Attempt = z.object({ walletId: z.uuid(), attempt: z.int().positive() });

/** A notification came that may belong to this validation. */
export const sctReceived = flowEvent("sctReceived", z.object({ bankNotificationId: z.uuid() }));
/** The IBAN was replaced or removed, or its wallet closed. */
export const ibanChanged = flowEvent("ibanChanged", z.unknown());

/** So many notifications are tried in one life. */
const untriedMax = 100;

export const readIbanValidation = step("readIbanValidation", {
  input: Attempt,
  output: z.object({
    status: z.enum(["Waiting", "Validated", "Expired", "Replaced", "Closed", "Unknown"]),
    code: z.string(),
    expiresAt: z.iso.datetime(),
    /** Why the last credit did not fit. */
    feedback: z.string().nullable(),
    /** Notifications that are to be tried, first or again; no more than a page of them. */
    untried: z.array(z.uuid()),
  }),
});
export const matchFirstSct = step("matchFirstSct", {
  input: Attempt.extend({ bankNotificationId: z.uuid() }),
  output: z.object({ validated: z.boolean() }),
});
export const expireIban = step("expireIban", { input: Attempt, output: z.null() });

export const ibanValidationId = (walletId: string, attempt: number): string =>
  `iban-${walletId}-${attempt}`;

export const ibanValidation = flow({
  name: "ibanValidation",
  input: Attempt,
  steps: [readIbanValidation, matchFirstSct, expireIban],
  *body(context, input) {
    const validation = yield* context.run(readIbanValidation, input);
    if (validation.status !== "Waiting") {
      context.setStatus(`The validation is over: ${validation.status}`);
      return { status: validation.status };
    }
    const until = validation.expiresAt.slice(0, 10);
    const last =
      validation.feedback === null ? "" : `; the last one did not fit: ${validation.feedback}`;
    context.setStatus(
      `Waiting for the first SCT with code ${validation.code} (until ${until})${last}`,
    );
    const expiresAt = new Date(validation.expiresAt);
    // What arrived in time counts, even where the platform was away when the time was up.
    for (const bankNotificationId of validation.untried) {
      const match = yield* context.run(matchFirstSct, { ...input, bankNotificationId });
      if (match.validated) return context.again(input);
    }
    if (validation.untried.length >= untriedMax) return context.again(input);
    if (context.now() >= expiresAt) {
      yield* context.run(expireIban, input);
      return context.again(input);
    }
    const woken = yield* context.waitFor([sctReceived, ibanChanged], expiresAt);
    if (woken.event === "sctReceived" && woken.data !== undefined)
      yield* context.run(matchFirstSct, { ...input, ...woken.data });
    return context.again(input);
  },
});
