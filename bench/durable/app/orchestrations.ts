/** The orchestrations that are measured, each as small as it can be. */
import { appendFileSync } from "node:fs";
import * as df from "durable-functions";
import { z } from "zod";
import { resumed } from "./resumptions.js";

const Count = z.number();
const DueAt = z.number();
const StepOfRun = z.object({ id: z.string(), step: z.number() });

df.app.activity("increment", { handler: (value: unknown) => Count.parse(value) + 1 });

/** Three activities, one after the other: what the rivals run too. */
df.app.orchestration("chain", function* ({ df: flow }) {
  let value: unknown = flow.getInput();
  for (let step = 0; step < 3; step += 1) value = yield flow.callActivity("increment", value);
  return value;
});

/** As many activities as its input says, one after the other. */
df.app.orchestration("steps", function* ({ df: flow }) {
  const steps = Count.parse(flow.getInput());
  let value: unknown = 0;
  for (let step = 0; step < steps; step += 1) value = yield flow.callActivity("increment", value);
  return value;
});

/** As many activities as its input says, all at once. */
df.app.orchestration("fan", function* ({ df: flow }) {
  const children = Count.parse(flow.getInput());
  const calls = Array.from({ length: children }, (_, n) => flow.callActivity("increment", n));
  yield flow.Task.all(calls);
  return children;
});

df.app.orchestration("awaitEvent", function* ({ df: flow }) {
  yield flow.waitForExternalEvent("go");
  if (!flow.isReplaying) resumed(flow.instanceId);
  return "went on";
});

df.app.orchestration("awaitTime", function* ({ df: flow }) {
  yield flow.createTimer(new Date(DueAt.parse(flow.getInput())));
  if (!flow.isReplaying) resumed(flow.instanceId);
  return "went on";
});

const { STEP_LOG: stepLog, HELD_STEP: heldStep } = process.env;

/** Notes that it ran, and never ends where this is the step that the run is to be killed in. */
df.app.activity("note", {
  handler: async (value: unknown) => {
    const { id, step } = StepOfRun.parse(value);
    if (stepLog !== undefined) appendFileSync(stepLog, `${id} ${step}\n`);
    if (String(step) === heldStep) await new Promise(() => undefined);
    return step;
  },
});

/** Three activities that leave a trace each, for the bench that kills the host. */
df.app.orchestration("noted", function* ({ df: flow }) {
  for (let step = 1; step <= 3; step += 1)
    yield flow.callActivity("note", { id: flow.instanceId, step });
  return "noted";
});
