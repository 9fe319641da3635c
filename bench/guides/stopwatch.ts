/** Follows the getting-started guide from a fresh clone to the first event, and takes the time of each step. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { stepsOf, type Step } from "./blocks.js";
import { readerEnvironment, type Environment } from "./environment.js";
import { followGuide } from "./follow.js";
import { openShell, type Shell } from "./shell.js";

export const startingGuide = "docs/guide/01-getting-started.md";

const startPatienceMs = 900_000;
const readyPollMs = 20;

const Ready = z.object({ url: z.string(), brokerConnectionString: z.string() });

export interface Lap {
  readonly section: string;
  readonly seconds: number;
}

export interface StopwatchOptions {
  /** Cloned as it was committed last. */
  readonly checkout: string;
  /** Its installed packages are linked into the clone, where `npm ci` would fetch them. */
  readonly usesInstalled: boolean;
  readonly onLap: (lap: Lap) => void;
}

const platformSteps = (steps: readonly Step[]): string[] =>
  steps.flatMap(({ block }) => (block.kind === "run" && block.isPlatform ? [block.code] : []));

const readerSteps = (steps: readonly Step[]): Step[] =>
  steps.filter(({ block }) => block.kind === "file" || !block.isPlatform);

/** Resolves when the platform answers; rejects when its terminal has ended before. */
const whenReady = async (
  shell: Shell,
  code: string,
  file: string,
): Promise<z.output<typeof Ready>> => {
  const end: { said?: string } = {};
  void shell.run(code).then(({ stdout, stderr }) => {
    end.said = stdout + stderr;
  });
  for (;;) {
    const text = await readFile(file, "utf8").catch(() => "");
    if (text !== "") return Ready.parse(JSON.parse(text));
    if (end.said !== undefined) throw new Error(`The platform did not start:\n${end.said}`);
    await sleep(readyPollMs);
  }
};

/** Root may clone what belongs to somebody else, too. */
const trusting: Environment = {
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "safe.directory",
  GIT_CONFIG_VALUE_0: "*",
};

const follow = async (
  folder: string,
  { checkout, usesInstalled, onLap }: StopwatchOptions,
): Promise<void> => {
  const steps = stepsOf(await readFile(join(checkout, startingGuide), "utf8"));
  const readyFile = join(folder, "ready.json");
  const npm = usesInstalled ? { modules: resolve(checkout, "node_modules") } : {};
  const startOptions = `--port 0 --broker-port 0 --ready-file ${readyFile}`;
  const environment = await readerEnvironment(folder, { ...npm, startOptions });
  const began = performance.now();
  const terminal = await openShell(
    folder,
    { ...environment, ...trusting, REPOSITORY: resolve(checkout) },
    startPatienceMs,
  );
  try {
    const place = await whenReady(terminal, platformSteps(steps).join("\n"), readyFile);
    onLap({ section: "Start the platform", seconds: (performance.now() - began) / 1_000 });
    const reader = await mkdtemp(join(folder, "reader-"));
    await followGuide(readerSteps(steps), {
      folder: reader,
      url: place.url,
      broker: /Endpoint=sb:\/\/([^;/]+)/.exec(place.brokerConnectionString)?.[1] ?? "",
      environment: await readerEnvironment(reader, npm),
      onRan: ({ section }, milliseconds) => onLap({ section, seconds: milliseconds / 1_000 }),
    });
  } finally {
    await terminal.end();
  }
};

/** Resolves to the seconds from the clone to the first event; leaves nothing behind. */
export const runStopwatch = async (options: StopwatchOptions): Promise<number> => {
  const folder = await mkdtemp(join(tmpdir(), "borsello-stopwatch-"));
  const laps: number[] = [];
  const onLap = (lap: Lap): void => {
    laps.push(lap.seconds);
    options.onLap(lap);
  };
  try {
    await follow(folder, { ...options, onLap });
    return laps.reduce((sum, seconds) => sum + seconds, 0);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
