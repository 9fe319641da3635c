// Orchestrations with critical sections, and others that end while something of theirs is still open.
import * as df from "durable-functions";

const define = (name, code) => df.app.orchestration(name, code);
const box = (key) => new df.EntityId("box", key);
const past = new Date(0);

// Asks for its boxes and ends, one way or another, while the request may still be on its way.
define("hurried", function* ({ df: flow }) {
  const { boxes, end } = flow.getInput();
  if (end === "done") return "continued";
  const lock = flow.lock(...boxes.map(box));
  if (end === "terminated") {
    yield lock;
    yield flow.waitForExternalEvent("never");
  }
  yield flow.Task.any([lock, flow.createTimer(past)]);
  if (end === "thrown") throw new Error("changed its mind");
  if (end === "continued") flow.continueAsNew({ boxes, end: "done" });
  return "returned";
});

// Adds one to each of its boxes, in a way that others inside would spoil.
define("orderly", function* ({ df: flow }) {
  const { boxes, waits } = flow.getInput();
  const lock = yield flow.lock(...boxes.map(box));
  flow.setCustomStatus("inside");
  if (waits) yield flow.waitForExternalEvent("go");
  for (const key of boxes) {
    const value = yield flow.callEntity(box(key), "get");
    yield flow.callEntity(box(key), "add", 1);
    if ((yield flow.callEntity(box(key), "get")) !== value + 1) throw new Error("not alone");
  }
  lock.release();
  return "done";
});

// Fails inside its section, or while it asks for its boxes; goes on once it is rewound.
define("failsInside", function* ({ df: flow }) {
  const { boxes } = flow.getInput();
  const lock = yield flow.lock(...boxes.map(box));
  yield flow.callActivity("failOnce", flow.instanceId);
  flow.setCustomStatus("inside again");
  yield flow.waitForExternalEvent("go");
  for (const key of boxes) yield flow.callEntity(box(key), "add", 1);
  lock.release();
  return "done";
});
define("failsAsking", function* ({ df: flow }) {
  const { boxes } = flow.getInput();
  const asked = flow.lock(...boxes.map(box));
  yield flow.Task.all([asked, flow.callActivity("failOnce", flow.instanceId)]);
  flow.setCustomStatus("inside");
  yield flow.waitForExternalEvent("go");
  return "done";
});

// Fails while an entity has not answered yet.
define("failsCalling", function* ({ df: flow }) {
  const call = flow.callEntity(box(flow.instanceId), "addSlowly", flow.getInput());
  const [answer] = yield flow.Task.all([call, flow.callActivity("failOnce", flow.instanceId)]);
  return answer;
});
// Fails because its child did.
define("failsWithChild", function* ({ df: flow }) {
  return yield flow.callSubOrchestrator("waitingChild", null, `${flow.instanceId}-child`);
});
define("waitingChild", function* ({ df: flow }) {
  return yield flow.waitForExternalEvent("go");
});

define("childOfItsOwnId", function* ({ df: flow }) {
  try {
    return yield flow.callSubOrchestrator("childOfItsOwnId", null, flow.instanceId);
  } catch (error) {
    return error.message;
  }
});
define("childUnder", function* ({ df: flow }) {
  try {
    return yield flow.callSubOrchestrator("noted", null, flow.getInput());
  } catch (error) {
    return error.message;
  }
});

// Begins a child and starts over in the same turn; the child does what it was begun for.
define("noted", function* ({ df: flow }) {
  yield flow.callEntity(box("noted"), "add", 1);
  return "noted";
});
define("leavesChild", function* ({ df: flow }) {
  const rounds = flow.getInput();
  if (rounds === 0) return "done";
  if (rounds === 4) yield flow.waitForExternalEvent("begin");
  const child = flow.callSubOrchestrator("noted", null, `${flow.instanceId}-child-${rounds}`);
  const event = flow.waitForExternalEvent("go");
  yield flow.Task.any([event, child]);
  flow.continueAsNew(rounds - 1);
});
