/** Ends a PostgreSQL that a killed predecessor left behind on a data directory. */
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { errorCode, StartError } from "../start-error.js";
import { birthMark, commandLine } from "./processes.js";
import { removeSockets } from "./socket.js";

const pollMs = 20;
const patienceMs = 20_000;

const ends = async (pid: number): Promise<boolean> => {
  const deadline = performance.now() + patienceMs;
  while ((await birthMark(pid)) !== undefined) {
    if (performance.now() > deadline) return false;
    await delay(pollMs);
  }
  return true;
};

const signal = (pid: number, name: "SIGINT" | "SIGQUIT"): void => {
  try {
    process.kill(pid, name);
  } catch {
    // It ended by itself in the meantime, or it is not ours to end: the wait after this tells.
  }
};

/**
 * A server file whose process id now belongs to something else is removed, since PostgreSQL would
 * take that process for a server.
 */
const endServer = async (directory: string): Promise<void> => {
  const file = join(directory, "postmaster.pid");
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    if (errorCode(error) === "ENOENT") return "";
    throw error;
  });
  const [line] = text.split("\n");
  const pid = Number(line);
  if (!Number.isSafeInteger(pid) || pid <= 0 || (await birthMark(pid)) === undefined) return;
  if ((await commandLine(pid))?.includes(` -D ${directory} `) !== true) {
    await rm(file, { force: true });
    return;
  }
  for (const name of ["SIGINT", "SIGQUIT"] as const) {
    signal(pid, name);
    if (await ends(pid)) return;
  }
  throw new StartError(
    `A PostgreSQL with process id ${pid} still runs on ${directory} and does not stop: end it, then start again.`,
  );
};

/**
 * The caller holds the folder's lock, so whatever server still runs here has lost its owner: its
 * watcher is stopping it, and this asks once more and waits.
 */
export const endLeftover = async (directory: string): Promise<void> => {
  await endServer(directory);
  await removeSockets(directory);
};
