// Orchestrations of activities, children and entities, one for each shape of a recorded history.
import * as df from "durable-functions";

const define = (name, body) => df.app.orchestration(name, (context) => body(context.df));
const isSecondVersion = process.env.CODE_VARIANT === "2";

define("sequence2", function* (flow) {
  const first = yield flow.callActivity("greet", flow.getInput());
  const second = yield flow.callActivity("greet", "again");
  return [first, second];
});
define("chain3", function* (flow) {
  let value = flow.getInput();
  for (const _ of [1, 2, 3]) value = yield flow.callActivity("echo", value);
  return value;
});
define("fan3", function* (flow) {
  const echo = (value) => flow.callActivity("echo", value);
  return yield flow.Task.all([1, 2, 3].map(echo));
});
define("oneSlow", function* (flow) {
  return yield flow.callActivity("slow", null);
});
define("emptyAll", function* (flow) {
  return yield flow.Task.all([]);
});
define("nothings", function* (flow) {
  const shown = (value) => (value === undefined ? "undefined" : value);
  const a = shown(yield flow.callActivity("giveNothing"));
  const b = shown(yield flow.callActivity("giveNull", null));
  return { a, b };
});

define("activityFails", function* (flow) {
  return yield flow.callActivity("fails", "no");
});
define("activityFailsTyped", function* (flow) {
  return yield flow.callActivity("failsTyped");
});
define("activityFailsString", function* (flow) {
  return yield flow.callActivity("failsString");
});
define("activityFailsCaught", function* (flow) {
  try {
    yield flow.callActivity("fails", "caught");
  } catch (error) {
    const { name, message } = error;
    return { name, message, isError: error instanceof Error, keys: Object.keys(error) };
  }
  return "not reached";
});
define("allOneFails", function* (flow) {
  const [first, third] = [1, 3].map((value) => () => flow.callActivity("echo", value));
  return yield flow.Task.all([first(), flow.callActivity("fails", "one of three"), third()]);
});
define("anyActivity", function* (flow) {
  const late = flow.createTimer(new Date(flow.currentUtcDateTime.getTime() + 60_000));
  const early = flow.callActivity("echo", "quick");
  const { result } = yield flow.Task.any([late, early]);
  late.cancel();
  return { result };
});

/** Calls an activity that fails so often, with so many attempts a fifth of a second apart. */
const retried = (failures, attempts, more = {}) =>
  function* (flow) {
    const options = Object.assign(new df.RetryOptions(200, attempts), more);
    const input = { key: flow.instanceId, failures };
    return yield flow.callActivityWithRetry("flaky", options, input);
  };
define("retryOk", retried(2, 5));
define("retryExhausted", retried(9, 3));
define(
  "retryBackoff",
  retried(3, 4, { backoffCoefficient: 2, maxRetryIntervalInMilliseconds: 500 }),
);
define("failsOnce", function* (flow) {
  const before = yield flow.callActivity("echo", "before");
  return [before, yield flow.callActivity("flaky", { key: flow.instanceId, failures: 1 })];
});

define("childOk", function* (flow) {
  const child = yield flow.callActivity("echo", "c");
  return { mine: flow.getInput(), parent: flow.parentInstanceId, child };
});
define("childFails", function* () {
  throw new Error("child gives up");
});
const kidOf = (flow) => `${flow.instanceId}-kid`;
define("subOk", function* (flow) {
  return yield flow.callSubOrchestrator("childOk", { v: 1 });
});
define("subOkGivenId", function* (flow) {
  return yield flow.callSubOrchestrator("childOk", { v: 2 }, kidOf(flow));
});
define("subFails", function* (flow) {
  return yield flow.callSubOrchestrator("childFails", null);
});
define("subFailsCaught", function* (flow) {
  try {
    return yield flow.callSubOrchestrator("childFails", null, kidOf(flow));
  } catch ({ name, message }) {
    return { name, message };
  }
});
define("subRetryExhausted", function* (flow) {
  const twice = new df.RetryOptions(200, 2);
  return yield flow.callSubOrchestratorWithRetry("childFails", twice, null);
});

define("unknownActivity", function* (flow) {
  return yield flow.callActivity("thereIsNoSuchActivity", 1);
});
define("unknownChild", function* (flow) {
  return yield flow.callSubOrchestrator("thereIsNoSuchOrchestrator", 1);
});

const counterOf = (flow) => new df.EntityId("counter", flow.instanceId);
define("entityUser", function* (flow) {
  const counter = counterOf(flow);
  flow.signalEntity(counter, "add", 5);
  yield flow.callEntity(counter, "add", 2);
  return yield flow.callEntity(counter, "get");
});
define("entityFails", function* (flow) {
  return yield flow.callEntity(counterOf(flow), "fail");
});
define("entityUnknownOp", function* (flow) {
  return yield flow.callEntity(counterOf(flow), "shrug", { a: 1 });
});
define("entityUnknownName", function* (flow) {
  return yield flow.callEntity(new df.EntityId("nosuchentity", "k"), "get");
});

// Two whose code is another one after a second deployment, while they wait.
define("changed", function* (flow) {
  const a = yield flow.callActivity(isSecondVersion ? "renamedStep" : "firstStep", null);
  return { a, got: yield flow.waitForExternalEvent("go") };
});
define("shortened", function* (flow) {
  if (!isSecondVersion) yield flow.callActivity("echo", "extra");
  return { got: yield flow.waitForExternalEvent("go") };
});
