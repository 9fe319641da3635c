/** Holds a host against the recordings of a genuine one, where these are at hand. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { AcceptedDifference } from "../../conformance/golden/differences.js";

const golden = resolve(process.env["GOLDEN_DIR"] ?? "../shared/golden");
const recorder = join(golden, "record.mjs");
const run = promisify(execFile);

/** Empty, or what to add to the name of a test that cannot be run without the recordings. */
export const missing = existsSync(recorder) ? "" : ` (left out: no recordings in ${golden})`;

export interface RecordedApp {
  readonly directory: string;
  remove(): Promise<void>;
}

/** The recorded app, inside this checkout so that it finds the libraries. */
export const copyApp = async (name: string, routePrefix = ""): Promise<RecordedApp> => {
  const directory = resolve("dist-golden", name);
  await rm(directory, { recursive: true, force: true });
  await cp(join(golden, "app"), directory, { recursive: true });
  for (const entry of await readdir(directory)) await chmod(join(directory, entry), 0o755);
  const file = join(directory, "host.json");
  const host = (await readFile(file, "utf8")).replace(/"routePrefix": ""/, () => {
    return `"routePrefix": "${routePrefix}"`;
  });
  await writeFile(file, host);
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
};

export interface Recording {
  /** The group of cases to play. */
  readonly group: string;
  /** What to hold them against; the group's own recording unless another one is named. */
  readonly recording?: string;
  /** How many cases at the same time. */
  readonly parallel?: number;
  /** Makes instance ids the same in two runs. */
  readonly run?: string;
}

/** By the name of the case, the places where the answers differ, such as `.0.response.status`. */
export type Differences = ReadonlyMap<string, readonly string[]>;

/** The recorder prints a line `file / case`, and below it a line for each place. */
const parseDifferences = (report: string): Differences => {
  const differences = new Map<string, string[]>();
  let places: string[] = [];
  for (const line of report.split("\n")) {
    const [, name] = /^\S+\.json \/ (.*)$/.exec(line) ?? [];
    const [, place] = /^ {3}(\.\S+): /.exec(line) ?? [];
    if (name !== undefined) differences.set(name, (places = []));
    else if (place !== undefined) places.push(place);
  }
  return differences;
};

/** Plays a group of cases against the host and compares the answers with the recorded ones. */
export const playAndCompare = async (url: string, given: Recording): Promise<Differences> => {
  const { group, recording = group, parallel = 1, run: token } = given;
  const out = await mkdtemp(join(tmpdir(), "golden-"));
  try {
    const options = ["--group", group, "--as", recording, "--parallel", String(parallel)];
    const named = token === undefined ? [] : ["--run", token];
    const target = ["--base", url, "--out", out];
    await run(process.execPath, [recorder, "record", ...target, ...options, ...named]);
    const name = `${recording}.json`;
    const pair = [join(golden, "recordings", name), join(out, name)];
    const diff = run(process.execPath, [recorder, "diff", ...pair]);
    const { stdout } = await diff.catch((error: unknown) => error as { stdout: string });
    return parseDifferences(stdout);
  } finally {
    await rm(out, { recursive: true, force: true });
  }
};

/** One sentence for each difference that nobody means to have, or that is not there any more. */
export const surprises = (
  differences: Differences,
  accepted: Readonly<Record<string, AcceptedDifference>> = {},
): string[] => {
  const unlisted = [...differences].flatMap(([name, places]) =>
    places
      .filter((place) => !(accepted[name]?.at ?? []).some((known) => place.startsWith(known)))
      .map((place) => `${name} differs at ${place}`),
  );
  const gone = Object.entries(accepted).flatMap(([name, { at }]) =>
    at
      .filter((known) => !(differences.get(name) ?? []).some((place) => place.startsWith(known)))
      .map((known) => `${name} no longer differs at ${known}`),
  );
  return [...unlisted, ...gone];
};
