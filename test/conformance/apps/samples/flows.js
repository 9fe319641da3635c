// The patterns that the programming model is known for, each as small as it can be.
import * as df from "durable-functions";

const define = (name, handler) => df.app.orchestration(name, handler);
const activity = (name, handler) => df.app.activity(name, { handler });
const inMs = ({ currentUtcDateTime }, ms) => new Date(currentUtcDateTime.getTime() + ms);

/** What the activities do to the world, for as long as this process lives. */
const world = { seats: 2, charged: 0, polls: new Map(), stored: new Map() };

activity("greet", (city) => `Hello ${city}!`);
define("greetings", function* ({ df: flow }) {
  const said = [];
  for (const city of ["Torino", "Napoli", "Bari"])
    said.push(yield flow.callActivity("greet", city));
  return said;
});

// Fan out over the files of a folder, fan in with their sum.
activity("listFiles", (folder) => Array.from({ length: 12 }, (_, n) => `${folder}/${n}.txt`));
activity("storeFile", (file) => {
  world.stored.set(file, file.length);
  return file.length;
});
define("backUp", function* ({ df: flow }) {
  const files = yield flow.callActivity("listFiles", flow.getInput());
  const sizes = yield flow.Task.all(files.map((file) => flow.callActivity("storeFile", file)));
  return sizes.reduce((sum, size) => sum + size, 0);
});

// Look again and again until a job is done, or its time is over.
activity("jobState", (job) => {
  const polls = (world.polls.get(job) ?? 0) + 1;
  world.polls.set(job, polls);
  return polls >= 4 && job !== "endless" ? "done" : "working";
});
define("monitor", function* ({ df: flow }) {
  const { job, everyMs, forMs } = flow.getInput();
  const endsAt = inMs(flow, forMs);
  for (let looks = 1; flow.currentUtcDateTime < endsAt; looks++) {
    if ((yield flow.callActivity("jobState", job)) === "done") return { done: true, looks };
    yield flow.createTimer(inMs(flow, everyMs));
  }
  return { done: false };
});

// A person decides in time, or somebody above does.
define("approval", function* ({ df: flow }) {
  const deadline = flow.createTimer(inMs(flow, flow.getInput().waitMs));
  const decision = flow.waitForExternalEvent("decision");
  flow.setCustomStatus("waits for a decision");
  if ((yield flow.Task.any([decision, deadline])) === deadline)
    return yield flow.callActivity("escalate", flow.instanceId);
  deadline.cancel();
  return decision.result.approved ? "approved" : "refused";
});
activity("escalate", () => "escalated");

// A saga: what was done is undone, in reverse order, when a later step cannot be done.
activity("bookSeat", () => {
  if (world.seats === 0) throw new Error("no seat is left");
  world.seats -= 1;
  return world.seats;
});
activity("freeSeat", () => (world.seats += 1));
activity("charge", ({ cents, limit }) => {
  if (cents > limit) throw new Error("the card refuses");
  world.charged += cents;
});
activity("lookAtWorld", () => ({ seats: world.seats, charged: world.charged }));
define("journey", function* ({ df: flow }) {
  const undo = [];
  const patience = new df.RetryOptions(10, 2);
  try {
    yield flow.callActivityWithRetry("bookSeat", patience);
    undo.unshift("freeSeat");
    yield flow.callActivityWithRetry("charge", patience, flow.getInput());
    return { booked: true, ...(yield flow.callActivity("lookAtWorld")) };
  } catch {
    for (const step of undo) yield flow.callActivity(step);
    return { booked: false, ...(yield flow.callActivity("lookAtWorld")) };
  }
});

// Runs for ever, a round at a time, so that its history never grows.
define("watchForever", function* ({ df: flow }) {
  const round = flow.getInput();
  flow.setCustomStatus({ round });
  yield flow.createTimer(inMs(flow, 20));
  flow.continueAsNew(round + 1);
});

// Devices are provisioned side by side, each by an orchestration of its own.
activity("provisionStep", ({ device, step }) => `${device}:${step}`);
define("provisionDevice", function* ({ df: flow }) {
  const device = flow.getInput();
  const steps = [];
  for (const step of ["register", "configure"])
    steps.push(yield flow.callActivity("provisionStep", { device, step }));
  return steps;
});
define("provisionAll", function* ({ df: flow }) {
  const devices = flow.getInput();
  return yield flow.Task.all(
    devices.map((device, n) =>
      flow.callSubOrchestrator("provisionDevice", device, `${flow.instanceId}-${n}`),
    ),
  );
});
