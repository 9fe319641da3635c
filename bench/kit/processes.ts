/** Child processes of a bench and their memory. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { resolve } from "node:path";

export interface EchoServer {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

const stop = async (child: ChildProcess): Promise<void> => {
  child.kill("SIGTERM");
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
};

const startServer = async (program: string): Promise<EchoServer> => {
  const child = spawn(process.execPath, [resolve(program)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} has no process id.`);
  return { url: `http://127.0.0.1:${line.toString().trim()}/`, pid, stop: async () => stop(child) };
};

/** The bare node:http echo, in a process of its own. */
export const startEcho = (): Promise<EchoServer> => startServer("dist/bench/kit/echo-server.js");

/** An affiliate's endpoint: its path says how it answers. */
export const startAffiliate = (): Promise<EchoServer> =>
  startServer("dist/bench/kit/affiliate-server.js");

/** A server without a job, which has loaded what host and app must load. */
export const startOnlyLibraries = (): Promise<EchoServer> =>
  startServer("dist/bench/kit/only-libraries.js");

const statusField = async (pid: number, field: string): Promise<number | null> => {
  const text = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const match = new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(text);
  return match?.[1] === undefined ? null : Number(match[1]);
};

/** Resident memory of one process in MiB; null where the system does not tell (no /proc). */
export const residentMiB = async (pid: number): Promise<number | null> => {
  const kib = await statusField(pid, "VmRSS");
  return kib === null ? null : kib / 1024;
};

/** Sets the kernel's own mark of the highest resident memory back to what there is now. */
export const resetPeak = (pid: number): Promise<void> => writeFile(`/proc/${pid}/clear_refs`, "5");

/** The highest resident memory since its start, or since the mark was set back; MiB. */
export const peakMiB = async (pid: number): Promise<number> =>
  ((await statusField(pid, "VmHWM")) ?? 0) / 1024;

export interface MemoryWatch {
  /** The largest resident memory since the last call, MiB. */
  readonly peakMiB: () => number;
  stop(): void;
}

const lookMs = 100;

/** Looks at a process's resident memory again and again. */
export const watchMemory = (pid: number): MemoryWatch => {
  let peak = 0;
  const look = async (): Promise<void> => {
    peak = Math.max(peak, (await residentMiB(pid)) ?? 0);
  };
  const timer = setInterval(() => void look(), lookMs);
  return {
    peakMiB: () => {
      const found = peak;
      peak = 0;
      return found;
    },
    stop: () => clearInterval(timer),
  };
};

/** Ids of all living descendants of a process. */
export const descendants = async (pid: number): Promise<readonly number[]> => {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const parents = new Map<number, number>();
  for (const name of pids) {
    const parent = await statusField(Number(name), "PPid");
    if (parent !== null) parents.set(Number(name), parent);
  }
  const below = (root: number): number[] =>
    [...parents].filter(([, parent]) => parent === root).flatMap(([id]) => [id, ...below(id)]);
  return below(pid);
};

/** Memory that a process has for itself alone, MiB: shared pages are not counted twice. */
export const privateMiB = async (pid: number): Promise<number> => {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, "utf8").catch(() => "");
  const match = /^Pss:\s+(\d+)/m.exec(text);
  return match?.[1] === undefined ? 0 : Number(match[1]) / 1024;
};

/** Clock ticks of the kernel's accounting; the same on every Linux that Node runs on. */
const ticksPerSecond = 100;

/** Its own in user and kernel mode, then that of its children that have ended. */
const cpuSeconds = async (pid: number): Promise<readonly number[]> => {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The fields after the program's name, which may itself hold spaces and brackets.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).map((field) => Number(field) / ticksPerSecond);
};

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

/** CPU time of one process, without its children's. */
export const cpuSecondsOf = async (pid: number): Promise<number> =>
  sum((await cpuSeconds(pid)).slice(0, 2));

/** CPU time of all living descendants, and of those of theirs that have ended. */
export const cpuSecondsBelow = async (pid: number): Promise<number> =>
  sum((await Promise.all((await descendants(pid)).map(cpuSeconds))).flat());
