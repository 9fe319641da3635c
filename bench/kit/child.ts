/** Child processes of the benches: never left behind, and whatever they said is in the error. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export interface Child {
  readonly pid: number;
  /** The rest of its next line that begins so; an error where it ends first. */
  readonly lineAfter: (beginning: string) => Promise<string>;
  readonly write: (line: string) => void;
  /** Ends its input, gives it a moment, and resolves when it is gone. */
  readonly stop: () => Promise<void>;
  readonly kill9: () => Promise<void>;
}

const keptCharacters = 20_000;
const patienceMs = 10_000;

const gone = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
};

/** Runs a program of Node's with its standard streams as pipes. */
export const startChild = (
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Child => {
  const child = spawn(process.execPath, args, {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, ...environment },
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${args[0] ?? ""} has no process id.`);
  let complaints = "";
  child.stderr.on("data", (chunk: Buffer) => {
    complaints = (complaints + chunk.toString()).slice(-keptCharacters);
  });
  child.stdin.on("error", () => undefined);
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    pid,
    lineAfter: async (beginning) => {
      for (;;) {
        const next = await lines.next();
        if (next.done === true) throw new Error(`${args[0] ?? ""} ended:\n${complaints}`);
        if (next.value.startsWith(beginning)) return next.value.slice(beginning.length);
      }
    },
    write: (line) => void child.stdin.write(`${line}\n`),
    stop: async () => {
      child.stdin.end();
      child.kill("SIGTERM");
      const timer = setTimeout(kill, patienceMs);
      await gone(child);
      clearTimeout(timer);
    },
    kill9: async () => {
      kill();
      await gone(child);
    },
  };
};
