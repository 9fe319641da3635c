/** Works off a run that a person or a timer asked for, page by page. */
import { z } from "zod";
import { flow, step } from "../shared/durable/flow.js";

const Run = z.object({ runId: z.uuid(), partnerKey: z.string() });

export const workFlowRun = step("workFlowRun", {
  input: Run,
  output: z.object({
    isOver: z.boolean(),
    /** So long it waits before it goes on. */
    pauseMs: z.int().default(0),
  }),
});

export const flowRunId = (runId: string): string => `run-${runId}`;

export const flowRun = flow({
  name: "flowRun",
  input: Run,
  steps: [workFlowRun],
  *body(context, input) {
    context.setStatus("Taking up what is due");
    const { isOver, pauseMs } = yield* context.run(workFlowRun, input);
    if (isOver) {
      context.setStatus("All that was due is on its way");
      return { status: "Over" };
    }
    if (pauseMs > 0) yield* context.waitFor([], new Date(context.now().getTime() + pauseMs));
    return context.again(input);
  },
});
