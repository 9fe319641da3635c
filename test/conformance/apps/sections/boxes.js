// The entities and activities that the sections of this app use.
import { setTimeout as sleep } from "node:timers/promises";
import * as df from "durable-functions";

const attempts = new Map();

// Fails the first time that it is asked with a key.
df.app.activity("failOnce", {
  handler: (key) => {
    const attempt = (attempts.get(key) ?? 0) + 1;
    attempts.set(key, attempt);
    if (attempt === 1) throw new Error("not yet");
    return attempt;
  },
});

df.app.entity("box", async ({ df: entity }) => {
  const value = entity.getState(() => 0);
  const input = entity.getInput();
  if (entity.operationName === "add") entity.setState(value + input);
  if (entity.operationName === "get") entity.return(value);
  if (entity.operationName === "addSlowly") {
    await sleep(input);
    entity.setState(value + 1);
    entity.return(value + 1);
  }
  // Counts down to nothing, one signal to itself at a time.
  if (entity.operationName === "countDown") {
    entity.setState(value + 1);
    if (input > 1) entity.signalEntity(entity.entityId, "countDown", input - 1);
  }
});
