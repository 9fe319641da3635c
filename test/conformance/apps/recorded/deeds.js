// The activities, and an entity that counts.
import { app as triggers } from "@azure/functions";
import { app } from "durable-functions";

const activity = (name, handler) => app.activity(name, { handler });

/** A second deployment, in which a step has another name and another one is gone. */
const isSecondVersion = process.env.CODE_VARIANT === "2";

activity("echo", (input) => input);
activity("greet", (name) => `Hello ${name}!`);
activity("giveNothing", () => undefined);
activity("giveNull", () => null);
activity(isSecondVersion ? "renamedStep" : "firstStep", () => "stepped");

// Ends when it is told to: the recorded one took four seconds.
let endSlow;
const slowEnded = new Promise((resolve) => (endSlow = () => resolve("slept")));
activity("slow", () => slowEnded);
triggers.http("endSlow", {
  route: "endslow",
  methods: ["POST"],
  authLevel: "anonymous",
  handler: () => endSlow(),
});

activity("fails", (reason) => {
  throw new Error(`activity says ${reason}`);
});
activity("failsTyped", () => {
  throw Object.assign(new RangeError("out of range"), { code: "E_RANGE" });
});
activity("failsString", () => {
  throw "only a string";
});

const attempts = new Map();
activity("flaky", ({ key, failures }) => {
  const attempt = (attempts.get(key) ?? 0) + 1;
  attempts.set(key, attempt);
  if (attempt > failures) return `ok at try ${attempt}`;
  throw new Error(`try ${attempt} failed`);
});

app.entity("counter", ({ df: entity }) => {
  const count = entity.getState(() => 0);
  const operations = {
    add: () => entity.setState(count + entity.getInput()),
    reset: () => entity.setState(0),
    get: () => entity.return(count),
    destroy: () => entity.destructOnExit(),
    fail: () => {
      throw new Error("entity says no");
    },
  };
  const unknown = () => entity.return({ unknown: entity.operationName ?? null });
  (operations[entity.operationName] ?? unknown)();
});
