// Activities and entities that the orchestrations of this app use.
import { setTimeout as sleep } from "node:timers/promises";
import * as df from "durable-functions";

const attempts = new Map();

df.app.activity("echo", { handler: (input) => input });
df.app.activity("square", { handler: (n) => n * n });
df.app.activity("slowSquare", {
  handler: async (n) => {
    await sleep(30);
    return n * n;
  },
});
df.app.activity("pause", {
  handler: async (ms) => {
    await sleep(ms);
    return "paused";
  },
});
df.app.activity("refuse", {
  handler: (why) => {
    throw new Error(`refused: ${why}`);
  },
});
df.app.activity("throwShapeless", {
  handler: () => {
    const shapeless = Object.create(null);
    shapeless.self = shapeless;
    throw shapeless;
  },
});
df.app.activity("throwText", {
  handler: () => {
    throw "bare text";
  },
});
// Fails so many times per key, then tells how many attempts there were.
df.app.activity("flaky", {
  handler: ({ key, failures }) => {
    const attempt = (attempts.get(key) ?? 0) + 1;
    attempts.set(key, attempt);
    if (attempt <= failures) throw new Error(`attempt ${attempt} failed`);
    return attempt;
  },
});
df.app.activity("attempts", { handler: (key) => attempts.get(key) ?? 0 });

df.app.entity("counter", ({ df: entity }) => {
  const value = entity.getState(() => 0);
  if (entity.operationName === "add") entity.setState(value + entity.getInput());
  if (entity.operationName === "get") entity.return(value);
  if (entity.operationName === "fail") throw new Error("not today");
  if (entity.operationName === "forget") entity.destructOnExit();
  if (entity.operationName === "pass") {
    const { to, amount } = entity.getInput();
    entity.signalEntity(new df.EntityId("counter", to), "add", amount);
  }
});
