// Loaded ahead of a platform: at each SIGUSR2 it says in the file HEAP_REPORT how much it cannot give back.
import { renameSync, writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
const file = process.env.HEAP_REPORT;
let count = 0;

process.on("SIGUSR2", () => {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  writeFileSync(`${file}.new`, JSON.stringify({ count: (count += 1), bytes: heapUsed + external }));
  renameSync(`${file}.new`, file);
});
