/** Writes log lines: those of one turn of the event loop at once, for the process stands still while one is written. */
import type { WriteLine } from "./logger.js";

/** As much as a pipe takes in one go. */
const waitingMax = 65_536;

/**
 * A line waits until the turn is over, a warning or an error for nothing. Whatever waits is written when the
 * process ends, by an exception too; only one that is killed loses the lines of its last turn.
 */
export const gatheredLines = (output: Pick<Console, "log" | "error">): WriteLine => {
  let waiting = "";
  const flush = (): void => {
    const lines = waiting;
    waiting = "";
    if (lines !== "") output.log(lines);
  };
  process.once("exit", flush);
  return (level, line) => {
    if (level === "error") {
      flush();
      output.error(line);
      return;
    }
    if (waiting === "") setImmediate(flush);
    waiting = waiting === "" ? line : `${waiting}\n${line}`;
    if (level === "warn" || waiting.length > waitingMax) flush();
  };
};
