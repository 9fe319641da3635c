/** Clears a day: imports what the processor sent, sums it by affiliate, writes the affiliates' files. */
import { z } from "zod";
import { aFewTimes, flow, flowEvent, step } from "../shared/durable/flow.js";

const Clearing = z.object({
  clearingBookmarkId: z.uuid(),
  /** What it was asked for, counted: each time has a flow of its own. */
  round: z.int().positive(),
});

/** Somebody wants it to wait no longer. */
export const clearingQueued = flowEvent("clearingQueued", z.unknown());

export const readClearingState = step("readClearingState", {
  input: Clearing,
  output: z.object({
    /** One of the six, or Unknown. */
    status: z.string(),
    next: z.enum(["empty", "import", "aggregate", "export", "wait", "end"]),
    dueAt: z.iso.datetime().nullable(),
    feedback: z.string().nullable(),
  }),
});

/** Each takes a part of the work, and is run again until the state says otherwise. */
const part = (name: string) => step(name, { input: Clearing, output: z.null(), retry: aFewTimes });
const steps = {
  empty: part("emptyDeletedClearing"),
  import: part("importClearing"),
  aggregate: part("aggregateClearing"),
  export: part("exportClearing"),
} as const;
export const clearingParts = steps;

export const failClearingTry = step("failClearingTry", {
  input: Clearing.extend({ during: z.enum(["empty", "import", "aggregate", "export"]) }),
  output: z.null(),
});

const sentences = {
  empty: "Gives back what deleted files had taken",
  import: "Takes over what the processor sent",
  aggregate: "Sums it by affiliate",
  export: "Writes the affiliates' files",
} as const;

export const clearingId = (clearingBookmarkId: string, round: number): string =>
  `clearing-${clearingBookmarkId}-${round}`;

export const clearing = flow({
  name: "clearing",
  input: Clearing,
  steps: [readClearingState, failClearingTry, ...Object.values(steps)],
  *body(context, input) {
    const { status, next, dueAt, feedback } = yield* context.run(readClearingState, input);
    if (next === "end") {
      context.setStatus(feedback === null ? status : `${status}: ${feedback}`);
      return { status };
    }
    if (next === "wait") {
      context.setStatus(`${status}: ${feedback ?? ""}; again at ${dueAt ?? "demand"}`);
      yield* context.waitFor([clearingQueued], dueAt === null ? null : new Date(dueAt));
      return context.again(input);
    }
    context.setStatus(sentences[next]);
    const done = yield* context.attempt(steps[next], input);
    if (!done.ok) yield* context.run(failClearingTry, { ...input, during: next });
    return context.again(input);
  },
});

export const clearingStart = (input: z.infer<typeof Clearing>) => ({
  flow: clearing,
  instanceId: clearingId(input.clearingBookmarkId, input.round),
  input,
  // The sweep finds by their rows those that have lost their way.
  restartAfter: ["completed", "failed"] as const,
});
