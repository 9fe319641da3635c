/** The program side of a contender: reads a load a line from its input, answers with the figures. */
import { createInterface } from "node:readline";
import { closedLoop, type Load } from "./closed-loop.js";

/** Says that it is ready, then serves loads until its input ends. */
export const serveSlots = async (run: (index: number) => Promise<void>): Promise<void> => {
  process.stdout.write("ready\n");
  for await (const line of createInterface({ input: process.stdin })) {
    const figures = await closedLoop(JSON.parse(line) as Load, run);
    process.stdout.write(`figures ${JSON.stringify(figures)}\n`);
  }
};
