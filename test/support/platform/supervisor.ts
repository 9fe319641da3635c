/** The platform under a service manager: always on the same ports, started again whenever it ends. */
import { setTimeout as sleep } from "node:timers/promises";
import { launchPlatform, type Place, type StartProcess } from "../../../bench/platform/launch.js";

export interface SupervisedPlatform {
  /** Where it is in this life, or in the last one. */
  readonly place: Place;
  /** Of the process that runs, even while it still starts. */
  readonly pid: number;
  /** How it ended without being told to or did not stop, with what it said before: should stay empty. */
  readonly crashes: readonly string[];
  /** Starts that it gave up by itself, as where its disk is full. */
  readonly refusedStarts: readonly string[];
  /** As a crash does; resolves when the process is gone and the next one begins. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** As service managers wait by default, before a start and for an end. */
const restartMs = 100;
const stopMs = 60_000;

/** Resolves when its first life answers. */
export const supervisePlatform = async (
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<SupervisedPlatform> => {
  const crashes: string[] = [];
  const refusedStarts: string[] = [];
  const killed = new WeakSet<StartProcess>();
  let current: StartProcess | undefined;
  let isStopping = false;
  const launch = () => launchPlatform(args, environment, (started) => (current = started));
  const first = await launch();
  let [, place] = first;

  /** Resolves when the life is over. */
  const live = async (launching: ReturnType<typeof launch>): Promise<void> => {
    const began = await launching.catch((error: unknown) => {
      if (current !== undefined && !killed.has(current)) refusedStarts.push(String(error));
    });
    if (began === undefined) return;
    const [process, here] = began;
    place = here;
    const code = await process.ended();
    if (!isStopping && !killed.has(process)) crashes.push(`exit ${code}: ${process.output()}`);
  };
  const supervise = async (): Promise<void> => {
    for (let launching = Promise.resolve(first); ; launching = launch()) {
      await live(launching);
      if (!isStopping) await sleep(restartMs);
      if (isStopping) return;
    }
  };
  const supervised = supervise();
  const signal = async (name: NodeJS.Signals): Promise<void> => {
    const process = current;
    if (process === undefined) return;
    killed.add(process);
    process.child.kill(name);
    await process.ended();
  };
  const lives = (): boolean =>
    current?.child.exitCode === null && current.child.signalCode === null;
  return {
    get place() {
      return place;
    },
    get pid() {
      return current?.child.pid ?? place.pid;
    },
    crashes,
    refusedStarts,
    kill: async () => {
      while (!lives()) await sleep(restartMs);
      await signal("SIGKILL");
    },
    stop: async () => {
      isStopping = true;
      const impatience = setTimeout(() => {
        crashes.push(`does not stop: ${current?.output() ?? ""}`);
        current?.child.kill("SIGKILL");
      }, stopMs);
      await signal("SIGTERM");
      clearTimeout(impatience);
      await supervised;
    },
  };
};
