/** The local host beside recordings of a genuine one, where these are at hand: request by request. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startAppHost, type AppHost } from "../support/app-host.js";
import { createDatabase, type TestDatabase } from "../support/database.js";
import { acceptedDifferences } from "./golden-differences.js";

const golden = resolve(process.env["GOLDEN_DIR"] ?? "../shared/golden");
const recorder = join(golden, "record.mjs");
const missing = existsSync(recorder) ? "" : ` (left out: no recordings in ${golden})`;
const run = promisify(execFile);

interface Variant {
  readonly recording: string;
  readonly group: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly routePrefix: string;
}

const variants: readonly Variant[] = [
  { recording: "http-buffered", group: "http", settings: {}, routePrefix: "" },
  { recording: "http-stream", group: "http", settings: { HTTP_STREAM: "1" }, routePrefix: "" },
  { recording: "prefixed", group: "prefixed", settings: {}, routePrefix: "api" },
];

/** The recorded app, inside this checkout so that it finds the libraries. */
const copyApp = async (name: string, routePrefix: string): Promise<string> => {
  const directory = resolve("dist-golden", name);
  await rm(directory, { recursive: true, force: true });
  await cp(join(golden, "app"), directory, { recursive: true });
  for (const entry of await readdir(directory)) await chmod(join(directory, entry), 0o755);
  const file = join(directory, "host.json");
  const host = (await readFile(file, "utf8")).replace(/"routePrefix": ""/, () => {
    return `"routePrefix": "${routePrefix}"`;
  });
  await writeFile(file, host);
  return directory;
};

/** The names of the cases that differ, from the lines `file / case` that the recorder prints. */
const differingCases = async (recording: string, mine: string): Promise<string[]> => {
  const files = [join(golden, "recordings", `${recording}.json`), mine];
  const diff = run(process.execPath, [recorder, "diff", ...files]);
  const { stdout } = await diff.catch((error: unknown) => error as { stdout: string });
  return [...stdout.matchAll(/^\S+\.json \/ (.*)$/gm)].map(([, name = ""]) => name);
};

describe.skipIf(missing !== "")(`the recordings of a genuine host${missing}`, () => {
  let database: TestDatabase;
  let output: string;
  beforeAll(async () => {
    database = await createDatabase();
    output = await mkdtemp(join(tmpdir(), "golden-"));
  });
  afterAll(async () => {
    await database.drop();
    await rm(output, { recursive: true, force: true });
    await rm("dist-golden", { recursive: true, force: true });
  });

  const record = async (host: AppHost, { recording, group }: Variant): Promise<string> => {
    const target = ["--base", host.url, "--out", output, "--parallel", "4"];
    await run(process.execPath, [
      recorder,
      "record",
      "--group",
      group,
      "--as",
      recording,
      ...target,
    ]);
    return join(output, `${recording}.json`);
  };

  test.each(variants)(
    "$recording differs only where we mean it to",
    async (variant) => {
      const { recording, routePrefix, settings } = variant;
      const app = await copyApp(recording, routePrefix);
      const host = await startAppHost(app, { databaseUrl: database.url, settings });
      try {
        const differing = await differingCases(recording, await record(host, variant));
        expect(differing.sort()).toEqual(Object.keys(acceptedDifferences[recording] ?? {}).sort());
      } finally {
        await host.stop();
      }
    },
    120_000,
  );

  test("an app with a broken file is refused, where the genuine host serves it without functions", async () => {
    const app = await copyApp("broken", "");
    const start = startAppHost(app, {
      databaseUrl: database.url,
      settings: { BROKEN_FILE: "1" },
    });
    await expect(start).rejects.toThrow("src/broken.js does not load");
  });
});
