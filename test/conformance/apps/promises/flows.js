// Promises that the smaller apps leave out: polled HTTP calls, nested tasks, hooks, large values.
import { app } from "@azure/functions";
import * as df from "durable-functions";

const define = (name, handler) => df.app.orchestration(name, handler);
const inMs = ({ currentUtcDateTime }, ms) => new Date(currentUtcDateTime.getTime() + ms);

df.app.activity("echo", { handler: (value) => value });
df.app.activity("failing", {
  handler: () => {
    throw new Error("no");
  },
});

define("callAndPoll", function* ({ df: flow }) {
  const { statusCode, content } = yield flow.callHttp({ method: "GET", url: flow.getInput() });
  return { statusCode, content };
});
define("callOnce", function* ({ df: flow }) {
  const call = { method: "GET", url: flow.getInput(), enablePolling: false };
  return (yield flow.callHttp(call)).statusCode;
});
define("nested", function* ({ df: flow }) {
  const pair = (a, b) =>
    flow.Task.all([flow.callActivity("echo", a), flow.callActivity("echo", b)]);
  const never = flow.waitForExternalEvent("never");
  const first = flow.Task.any([pair(1, 2), never]);
  const results = yield flow.Task.all([first, pair(3, 4)]);
  return [results[0].result, results[1]];
});
define("allFails", function* ({ df: flow }) {
  const calls = [flow.callActivity("echo", 1), flow.callActivity("failing")];
  try {
    yield flow.Task.all(calls);
  } catch {
    return "the first failure ends the wait";
  }
});
define("twoWaits", function* ({ df: flow }) {
  const waits = ["left", "right"].map((name) => flow.waitForExternalEvent(name));
  return yield flow.Task.all(waits);
});
define("waits", function* ({ df: flow }) {
  return yield flow.waitForExternalEvent("go");
});
define("naps", function* ({ df: flow }) {
  for (const ms of flow.getInput()) yield flow.createTimer(inMs(flow, ms));
  return "rested";
});
define("failsTwice", function* ({ df: flow }) {
  const key = new df.EntityId("attempts", flow.getInput());
  yield flow.callEntity(key, "add");
  const attempts = yield flow.callEntity(key, "get");
  if (attempts < 3) throw new Error(`attempt ${attempts}`);
  return attempts;
});
define("patientParent", function* ({ df: flow }) {
  const retry = new df.RetryOptions(10, 4);
  return yield flow.callSubOrchestratorWithRetry("failsTwice", retry, flow.instanceId);
});
define("statusStays", function* ({ df: flow }) {
  flow.setCustomStatus({ at: "work" });
  yield flow.callActivity("echo", 1);
  return "done";
});
define("signalsInOrder", function* ({ df: flow }) {
  const list = new df.EntityId("list", flow.instanceId);
  for (let n = 0; n < 20; n++) flow.signalEntity(list, "append", n);
  return yield flow.callEntity(list, "get");
});
df.app.entity("attempts", ({ df: entity }) => {
  const count = entity.getState(() => 0);
  if (entity.operationName === "add") entity.setState(count + 1);
  else entity.return(count);
});
df.app.entity("list", ({ df: entity }) => {
  const list = entity.getState(() => []);
  if (entity.operationName === "append") entity.setState([...list, entity.getInput()]);
  else entity.return(list);
});

/** An endpoint that asks its caller to come back, as the asynchronous HTTP pattern has it. */
const looks = new Map();
app.http("slowAnswer", {
  route: "slow/{job}/{looks:int}",
  authLevel: "anonymous",
  handler: (request) => {
    const { job, looks: wanted } = request.params;
    const seen = (looks.get(job) ?? 0) + 1;
    looks.set(job, seen);
    if (seen <= Number(wanted))
      return { status: 202, headers: { Location: request.url, "Retry-After": "0" } };
    return { body: `${job} after ${seen} looks` };
  },
});

const invoked = [];
app.hook.preInvocation(({ invocationContext, inputs }) => {
  const { functionName } = invocationContext;
  invoked.push(`before ${functionName}`);
  if (functionName === "echo" && inputs[0] === "raw") inputs[0] = "hooked";
});
app.hook.postInvocation((hook) => {
  const { functionName } = hook.invocationContext;
  invoked.push(`after ${functionName}`);
  if (functionName === "echo" && hook.result === "hooked") hook.result = "hooked twice";
});
define("hooked", function* ({ df: flow }) {
  return yield flow.callActivity("echo", "raw");
});
app.http("invoked", { authLevel: "anonymous", handler: () => ({ jsonBody: invoked }) });

let openGate;
const gate = new Promise((resolve) => {
  openGate = resolve;
});
app.hook.preInvocation(async ({ invocationContext }) => {
  if (invocationContext.functionName === "gated") await gate;
});
define("gated", function* ({ df: flow }) {
  return yield flow.callActivity("echo", "through");
});
app.http("gate", {
  authLevel: "anonymous",
  handler: () => {
    openGate();
    return {};
  },
});
