// Activities that leave a trace of every time they ran, and the entities of the fault load.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import * as df from "durable-functions";

const {
  TRACE_FILE: traceFile = "/dev/null",
  DEED_FAULT: fatalDeed,
  DEED_MS: deedMs = "5",
  HOLD_FILE: holdFile = "",
  HELD_STEP: heldStep = "",
} = process.env;
let deeds = 0;

/** Synchronous, so that the line outlives a process that is killed right afterwards. */
const trace = (line) => appendFileSync(traceFile, `${JSON.stringify(line)}\n`);

const traced = (key) =>
  readFileSync(traceFile, "utf8")
    .split("\n")
    .filter((line) => line !== "" && JSON.parse(line).key === key).length;

// Gives a new id each time: an orchestration that saw two results of one step would show two ids.
df.app.activity("deed", {
  handler: async ({ key, given }) => {
    // So that whoever kills the host finds work under way, however slow it is to come.
    while (key.endsWith(`/${heldStep}`) && existsSync(holdFile)) await sleep(20);
    const id = randomUUID();
    trace({ key, given, id });
    deeds += 1;
    if (deeds === Number(fatalDeed)) process.kill(process.pid, "SIGKILL");
    await sleep(Number(deedMs));
    return id;
  },
});
// Fails the first time ever, whichever process runs it.
df.app.activity("wavering", {
  handler: ({ key }) => {
    trace({ key });
    const attempts = traced(key);
    if (attempts < 2) throw new Error(`attempt ${attempts} wavers`);
    return "firm";
  },
});
// Fails until somebody has mended it.
df.app.activity("mendable", {
  handler: ({ key }) => {
    if (traced(`${key}/mended`) === 0) throw new Error("broken");
    return "mended";
  },
});

df.app.entity("counter", ({ df: entity }) => {
  const value = entity.getState(() => 0);
  if (entity.operationName === "add") entity.setState(value + entity.getInput());
  if (entity.operationName === "get") entity.return(value);
});
