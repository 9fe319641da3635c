/** DBOS as a contender: the chain of three as steps of a workflow, called in its own process. */
import { appendFileSync } from "node:fs";
import { DBOS } from "@dbos-inc/dbos-sdk";
import { serveSlots } from "../../dist/bench/durable/slot-program.js";

const [databaseUrl, mode, count] = process.argv.slice(2);
const { STEP_LOG: stepLog, HELD_STEP: heldStep } = process.env;

const chain = DBOS.registerWorkflow(
  async (input) => {
    let value = input;
    for (let step = 1; step <= 3; step += 1)
      value = await DBOS.runStep(async () => value + 1, { name: `increment${step}` });
    return value;
  },
  { name: "chain" },
);

const note = async (id, step) => {
  appendFileSync(stepLog, `${id} ${step}\n`);
  if (String(step) === heldStep) await new Promise(() => undefined);
  return step;
};

/** Leaves a trace at each step, for the bench that kills the process. */
const noted = DBOS.registerWorkflow(
  async () => {
    const id = DBOS.workflowID;
    for (let step = 1; step <= 3; step += 1)
      await DBOS.runStep(() => note(id, step), { name: `note${step}` });
  },
  { name: "noted" },
);

DBOS.setConfig({
  name: "bench",
  systemDatabaseUrl: databaseUrl,
  logLevel: "error",
  runAdminServer: false,
  applicationVersion: "1",
});
await DBOS.launch();
if (mode === "slots") {
  await serveSlots(async (index) => {
    await chain(index);
  });
  await DBOS.shutdown();
  process.exit(0);
} else {
  process.stdout.write("ready\n");
  for (let n = 0; n < Number(count); n += 1)
    await DBOS.startWorkflow(noted, { workflowID: `noted-${n}` })();
}
