// Orchestrations of timers and events, and those that only return or throw.
import * as df from "durable-functions";

const define = (name, body) => df.app.orchestration(name, (context) => body(context.df));
const timer = (flow, ms) => flow.createTimer(new Date(flow.currentUtcDateTime.getTime() + ms));
const go = (flow) => flow.waitForExternalEvent("go");

define("timer1s", function* (flow) {
  yield timer(flow, 1_000);
  return "rang";
});
define("timerVsEvent", function* (flow) {
  const bell = timer(flow, 60_000);
  const event = go(flow);
  if ((yield flow.Task.any([bell, event])) === bell) return "timed out";
  if (!bell.isCompleted) bell.cancel();
  return { event: event.result };
});
define("eventVsTimerRings", function* (flow) {
  const bell = timer(flow, 1_000);
  const first = yield flow.Task.any([go(flow), bell]);
  return first === bell ? "timed out" : "event";
});
define("oneEvent", function* (flow) {
  return { got: yield go(flow) };
});
define("eventAfterTimer", function* (flow) {
  yield timer(flow, 2_000);
  return { got: yield go(flow) };
});
define("twoEvents", function* (flow) {
  return [yield go(flow), yield go(flow)];
});
define("twoEventsAtOnce", function* (flow) {
  const both = [go(flow), go(flow)];
  return yield flow.Task.all(both);
});
define("rounds", function* (flow) {
  const { round = 1, seen = [] } = flow.getInput() ?? {};
  const all = [...seen, yield go(flow)];
  flow.setCustomStatus({ round });
  if (round === 3) return { round, seen: all };
  flow.continueAsNew({ round: round + 1, seen: all });
});
define("custom", function* (flow) {
  flow.setCustomStatus({ step: 1 });
  yield flow.callActivity("echo", "x");
  flow.setCustomStatus("half way");
  yield go(flow);
  return "end";
});

define("throws", function* () {
  throw new Error("orchestrator says no");
});
define("throwsString", function* () {
  throw "plain string";
});
define("throwsAfterActivity", function* (flow) {
  yield flow.callActivity("echo", 1);
  throw new TypeError("late");
});
define("returnsUndefined", function* () {
  return undefined;
});
define("returnsNull", function* () {
  return null;
});
define("returnsValue", function* (flow) {
  return flow.getInput();
});
define("returnsLarge", function* () {
  return "x".repeat(100 << 10);
});
define("largeThroughActivity", function* (flow) {
  const large = yield flow.callActivity("echo", "y".repeat(100 << 10));
  return large.length;
});
define("deterministic", function* (flow) {
  const [first, second] = [flow.newGuid("fixed"), flow.newGuid("fixed")];
  return {
    sameTwice: first === second,
    form: /^[0-9a-f-]{36}$/.test(first),
    replaying: flow.isReplaying,
    now: flow.currentUtcDateTime instanceof Date,
  };
});
