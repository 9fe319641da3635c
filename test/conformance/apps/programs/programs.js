// An orchestrator whose code is data: a test can change it between two starts of the host.
import * as df from "durable-functions";

const retry = new df.RetryOptions(10, 3);

/** What one line of a program asks for; the task of it, or undefined where it asks for none. */
const tasks = {
  activity: (flow, { name }) => flow.callActivity(name, 1),
  retried: (flow, { name }) => flow.callActivityWithRetry(name, retry, 1),
  child: (flow, { name }) => flow.callSubOrchestrator(name, 1),
  timer: (flow) => flow.createTimer(new Date(flow.currentUtcDateTime.getTime() + 5)),
  event: (flow, { name }) => flow.waitForExternalEvent(name),
  entity: (flow, { name }) => flow.callEntity(new df.EntityId(name, flow.instanceId), "touch"),
  all: (flow, { lines }) => flow.Task.all(lines.map((line) => tasks[line.kind](flow, line))),
  any: (flow, { lines }) => flow.Task.any(lines.map((line) => tasks[line.kind](flow, line))),
  signal: (flow, { name }) => {
    flow.signalEntity(new df.EntityId(name, flow.instanceId), "touch");
  },
  status: (flow, { name }) => flow.setCustomStatus(name),
};

df.app.orchestration("program", function* ({ df: flow }) {
  const { before, after } = flow.getInput();
  for (const line of process.env.CODE === "after" ? after : before) {
    if (line.kind === "return") return line.name;
    const task = tasks[line.kind](flow, line);
    if (task !== undefined) yield task;
  }
  return "done";
});
for (const name of ["kidA", "kidB"]) df.app.orchestration(name, function* () {});
for (const name of ["stepA", "stepB", "stepC"]) df.app.activity(name, { handler: () => name });
for (const name of ["entityA", "entityB"])
  df.app.entity(name, ({ df: entity }) => entity.return(1));
