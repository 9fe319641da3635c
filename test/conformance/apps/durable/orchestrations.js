// One orchestration per promise of the programming model.
import * as df from "durable-functions";

const define = (name, handler) => df.app.orchestration(name, handler);
const inMs = (context, ms) => new Date(context.df.currentUtcDateTime.getTime() + ms);

define("sequence", function* ({ df: flow }) {
  const first = yield flow.callActivity("square", flow.getInput());
  return [first, yield flow.callActivity("square", first)];
});
define("fan", function* ({ df: flow }) {
  const calls = Array.from({ length: flow.getInput() }, (_, n) => flow.callActivity("square", n));
  const squares = yield flow.Task.all(calls);
  return squares.reduce((sum, n) => sum + n, 0);
});
define("values", function* ({ df: flow }) {
  const results = [];
  for (const value of flow.getInput()) results.push(yield flow.callActivity("echo", value));
  return results;
});
define("fails", function* ({ df: flow }) {
  return yield flow.callActivity("refuse", flow.getInput());
});
define("throwsShapeless", function* ({ df: flow }) {
  return yield flow.callActivity("throwShapeless");
});
define("catches", function* ({ df: flow }) {
  try {
    return yield flow.callActivity(flow.getInput(), "always");
  } catch (error) {
    return { name: error.name, message: error.message };
  }
});
define("retries", function* ({ df: flow }) {
  const { failures, options } = flow.getInput();
  const retry = new df.RetryOptions(options.first, options.max);
  if (options.backoff !== undefined) retry.backoffCoefficient = options.backoff;
  if (options.maxInterval !== undefined) retry.maxRetryIntervalInMilliseconds = options.maxInterval;
  if (options.timeout !== undefined) retry.retryTimeoutInMilliseconds = options.timeout;
  const key = flow.instanceId;
  try {
    return yield flow.callActivityWithRetry("flaky", retry, { key, failures });
  } catch (error) {
    return { failed: error.message, attempts: yield flow.callActivity("attempts", key) };
  }
});
define("failsOnce", function* ({ df: flow }) {
  const before = yield flow.callActivity("echo", "before");
  return [before, yield flow.callActivity("flaky", { key: flow.instanceId, failures: 1 })];
});
define("parentOfFailsOnce", function* ({ df: flow }) {
  return { child: yield flow.callSubOrchestrator("failsOnce", null, `${flow.instanceId}-child`) };
});
define("retryOutlivesAny", function* ({ df: flow }) {
  const slow = flow.callActivityWithRetry("flaky", new df.RetryOptions(80, 4), {
    key: flow.instanceId,
    failures: 2,
  });
  const quick = flow.callActivity("echo", "quick");
  const winner = yield flow.Task.any([slow, quick]);
  const middle = yield flow.callActivity("echo", "middle");
  return [winner === quick, middle, yield slow, yield flow.callActivity("echo", "end")];
});
define("shrinkingAny", function* ({ df: flow }) {
  let open = [40, 5, 20].map((ms) => flow.callActivity("pause", ms));
  let rounds = 0;
  while (open.length > 0) {
    const winner = yield flow.Task.any(open);
    open = open.filter((task) => task !== winner);
    rounds += 1;
  }
  return rounds;
});
define("timer", function* (context) {
  const before = context.df.currentUtcDateTime.getTime();
  yield context.df.createTimer(inMs(context, context.df.getInput()));
  return context.df.currentUtcDateTime.getTime() - before;
});
define("timerOrEvent", function* (context) {
  const { df: flow } = context;
  const timer = flow.createTimer(inMs(context, flow.getInput()));
  const event = flow.waitForExternalEvent("go");
  const winner = yield flow.Task.any([timer, event]);
  if (winner === timer) return "timer";
  timer.cancel();
  return { event: event.result };
});
define("uncancelledTimer", function* (context) {
  const { df: flow } = context;
  const timer = flow.createTimer(inMs(context, 400));
  yield flow.Task.any([timer, flow.callActivity("echo", 1)]);
  return "returned";
});
define("events", function* ({ df: flow }) {
  const seen = [];
  for (let n = 0; n < flow.getInput(); n++) seen.push(yield flow.waitForExternalEvent("go"));
  return seen;
});
define("eventLater", function* (context) {
  yield context.df.createTimer(inMs(context, 200));
  return yield context.df.waitForExternalEvent("go");
});
define("child", function* ({ df: flow }) {
  const { instanceId, parentInstanceId } = flow;
  return {
    instanceId,
    parentInstanceId,
    square: yield flow.callActivity("square", flow.getInput()),
  };
});
define("parent", function* ({ df: flow }) {
  const { id } = flow.getInput();
  return yield flow.callSubOrchestrator("child", 7, id);
});
define("failingChild", function* () {
  throw new Error("the child gives up");
});
define("parentOfFailing", function* ({ df: flow }) {
  try {
    return yield flow.callSubOrchestratorWithRetry(
      "failingChild",
      new df.RetryOptions(20, 2),
      null,
    );
  } catch (error) {
    return error.message.split("\n")[0].trim();
  }
});
define("rounds", function* ({ df: flow }) {
  const { round, seen } = flow.getInput();
  const next = [...seen, yield flow.waitForExternalEvent("go")];
  if (next.length === round) return next;
  flow.continueAsNew({ round, seen: next });
});
define("loop", function* ({ df: flow }) {
  const { left, sum } = flow.getInput();
  if (left === 0) return sum;
  flow.continueAsNew({ left: left - 1, sum: sum + (yield flow.callActivity("square", left)) });
});
define("hops", function* ({ df: flow }) {
  const left = flow.getInput();
  if (left === 0) return "landed";
  flow.continueAsNew(left - 1);
});
define("custom", function* ({ df: flow }) {
  flow.setCustomStatus({ step: 1 });
  yield flow.callActivity("echo", 1);
  flow.setCustomStatus("waiting");
  return yield flow.waitForExternalEvent("go");
});
define("throwsText", function* () {
  throw "bare text";
});
define("cyclic", function* () {
  const cycle = {};
  cycle.self = cycle;
  return cycle;
});
define("unstorable", function* ({ df: flow }) {
  return yield flow.callSubOrchestrator("child", 1, "no\u0000id");
});
define("waitsForNothing", function* ({ df: flow }) {
  const done = flow.callActivity("echo", 1);
  yield done;
  return yield flow.Task.all([done]);
});
define("unknownActivity", function* ({ df: flow }) {
  return yield flow.callActivity("nobody", 1);
});
define("unknownChild", function* ({ df: flow }) {
  return yield flow.callSubOrchestrator("nobody", 1);
});
define("entityCalls", function* ({ df: flow }) {
  const id = new df.EntityId("counter", flow.instanceId);
  flow.signalEntity(id, "add", 5);
  const seen = [yield flow.callEntity(id, "get")];
  yield flow.callEntity(id, "add", 2);
  try {
    yield flow.callEntity(id, "fail");
  } catch {
    return [...seen, yield flow.callEntity(id, "get")];
  }
});
define("unknownEntity", function* ({ df: flow }) {
  return yield flow.callEntity(new df.EntityId("nobody", "k"), "get");
});
// Moves money between two entities under a lock; without it, concurrent moves would lose some.
define("transfer", function* ({ df: flow }) {
  const { from, to, amount } = flow.getInput();
  const source = new df.EntityId("counter", from);
  const target = new df.EntityId("counter", to);
  const lock = yield flow.lock(source, target);
  const balance = yield flow.callEntity(source, "get");
  yield flow.callEntity(source, "add", -amount);
  yield flow.callEntity(target, "add", amount);
  lock.release();
  return balance;
});
define("leakyLock", function* ({ df: flow }) {
  yield flow.lock(new df.EntityId("counter", flow.getInput()));
  throw new Error("never released");
});
define("http", function* ({ df: flow }) {
  const response = yield flow.callHttp({ method: "POST", url: flow.getInput(), body: { n: 1 } });
  return { status: response.statusCode, body: JSON.parse(response.content) };
});
define("facts", function* ({ df: flow }) {
  const guids = [flow.newGuid("a"), flow.newGuid("a")];
  const start = flow.currentUtcDateTime.toISOString();
  const replaying = [flow.isReplaying];
  yield flow.callActivity("echo", 1);
  replaying.push(flow.isReplaying);
  yield flow.callActivity("echo", guids);
  return { guids, start, replaying, version: flow.version ?? null };
});
define("ownVersion", function* ({ df: flow }) {
  return flow.version ?? null;
});
define("versions", function* ({ df: flow }) {
  yield flow.waitForExternalEvent("go");
  const child = yield flow.callSubOrchestrator("ownVersion");
  const given = yield flow.callSubOrchestrator("ownVersion", undefined, undefined, "0.5");
  return { own: flow.version ?? null, child, given };
});
// Tells how many of its kind ran at the same time.
let running = 0;
let most = 0;
define("crowd", function* ({ df: flow }) {
  return yield flow.Task.all([1, 2, 3, 4, 5, 6].map(() => flow.callActivity("together")));
});
df.app.activity("together", {
  handler: async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 30));
    running--;
    return most;
  },
});
// Its code changes between two starts of the host.
define("changing", function* ({ df: flow }) {
  const code = process.env.CODE ?? "1";
  if (code !== "shortened") yield flow.callActivity(code === "renamed" ? "square" : "echo", 1);
  if (code === "longer") yield flow.callActivity("echo", 2);
  return yield flow.waitForExternalEvent("go");
});
define("changingAtWork", function* (context) {
  const { df: flow } = context;
  const timer = flow.createTimer(inMs(context, 4_000));
  const slow = flow.callActivity("pause", 1_500);
  const quick = flow.callActivity(process.env.CODE === "renamed" ? "square" : "echo", 1);
  const event = flow.waitForExternalEvent("go");
  const [, ...results] = yield flow.Task.all([timer, slow, quick, event]);
  return results;
});
// A bit of everything, for the tests that kill the host in the middle.
define("mixedChild", function* (context) {
  yield context.df.createTimer(inMs(context, 60));
  return yield context.df.callActivity("slowSquare", context.df.getInput());
});
define("mixed", function* (context) {
  const { df: flow } = context;
  const n = flow.getInput();
  const fan = [1, 2, 3, 4].map((k) => flow.callActivity("slowSquare", k));
  const squares = yield flow.Task.all(fan);
  const child = yield flow.callSubOrchestrator("mixedChild", n);
  flow.signalEntity(new df.EntityId("counter", "mixed"), "add", n);
  const retried = yield flow.callActivityWithRetry("flaky", new df.RetryOptions(20, 9), {
    key: flow.instanceId,
    failures: 1,
  });
  const timer = flow.createTimer(inMs(context, 60_000));
  const event = flow.waitForExternalEvent("go");
  yield flow.Task.any([event, timer]);
  timer.cancel();
  const called = yield flow.callEntity(new df.EntityId("counter", flow.instanceId), "add", n);
  const own = yield flow.callEntity(new df.EntityId("counter", flow.instanceId), "get");
  return { squares, child, tried: retried > 0, event: event.result, called: called ?? null, own };
});
