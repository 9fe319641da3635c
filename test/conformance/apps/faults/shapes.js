// One orchestration per shape of work; each returns the id that every step of it was answered with.
import * as df from "durable-functions";

const define = (name, handler) => df.app.orchestration(name, handler);
const counter = (key) => new df.EntityId("counter", key);
const later = (flow, ms) => new Date(flow.currentUtcDateTime.getTime() + ms);
const deed = (flow, step, given = null) =>
  flow.callActivity("deed", { key: `${flow.instanceId}/${step}`, given });

define("chain", function* ({ df: flow }) {
  const ids = [];
  for (const step of [1, 2, 3, 4]) ids.push(yield deed(flow, step, ids.at(-1)));
  return ids;
});
define("fan", function* ({ df: flow }) {
  const ids = yield flow.Task.all([1, 2, 3, 4, 5].map((step) => deed(flow, step)));
  return [...ids, yield deed(flow, 6, ids.join())];
});
define("nap", function* ({ df: flow }) {
  const before = yield deed(flow, 1);
  yield flow.createTimer(later(flow, 120));
  return [before, yield deed(flow, 2, before)];
});
define("letters", function* ({ df: flow }) {
  const read = [];
  while (read.at(-1) !== 4) {
    const letter = yield flow.waitForExternalEvent("letter");
    // The sender repeats what it got no answer for.
    if (!read.includes(letter)) read.push(letter);
  }
  return [read, yield deed(flow, 1, read.join())];
});
define("deadline", function* ({ df: flow }) {
  const timer = flow.createTimer(later(flow, 3_600_000));
  const letter = flow.waitForExternalEvent("letter");
  const winner = yield flow.Task.any([timer, letter]);
  timer.cancel();
  return [winner === letter, yield deed(flow, 1)];
});
define("family", function* ({ df: flow }) {
  const named = flow.callSubOrchestrator("chain", null, `${flow.instanceId}-kid`);
  const unnamed = flow.callSubOrchestrator("kid", null);
  const [first, second] = yield flow.Task.all([named, unnamed]);
  return [first, second, yield deed(flow, 1, second)];
});
define("kid", function* ({ df: flow }) {
  yield flow.createTimer(later(flow, 40));
  return yield flow.callActivity("deed", { key: flow.parentInstanceId, given: null });
});
define("tally", function* ({ df: flow }) {
  flow.signalEntity(counter("total"), "add", 1);
  yield flow.callEntity(counter("total"), "add", 1);
  const own = counter(flow.instanceId);
  flow.signalEntity(own, "add", 3);
  yield flow.callEntity(own, "add", 4);
  return yield flow.callEntity(own, "get");
});
define("transfer", function* ({ df: flow }) {
  const lock = yield flow.lock(counter("left"), counter("right"));
  const left = yield flow.callEntity(counter("left"), "get");
  const right = yield flow.callEntity(counter("right"), "get");
  yield flow.callEntity(counter("left"), "add", -1);
  yield flow.callEntity(counter("right"), "add", 1);
  lock.release();
  return left + right;
});
define("rounds", function* ({ df: flow }) {
  const ids = flow.getInput() ?? [];
  ids.push(yield deed(flow, ids.length + 1, ids.at(-1)));
  flow.signalEntity(counter("rounds"), "add", 1);
  if (ids.length === 3) return ids;
  flow.continueAsNew(ids);
});
define("wavers", function* ({ df: flow }) {
  const key = `${flow.instanceId}/wavering`;
  return yield flow.callActivityWithRetry("wavering", new df.RetryOptions(20, 5), { key });
});
define("relapses", function* ({ df: flow }) {
  const before = yield deed(flow, 1);
  const mended = yield flow.callActivity("mendable", { key: flow.instanceId });
  return [before, mended, yield deed(flow, 2, before)];
});
