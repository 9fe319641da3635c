/** A day's clearing from presentments to files: how fast, in how much memory, and through a kill. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { z } from "zod";
import { peakMiB, resetPeak } from "../kit/processes.js";
import type { Row, Scenario } from "../kit/scenario.js";
import { checkClearingFiles } from "../cards/clearing-check.js";
import { writePresented } from "../cards/clearing-rows.js";
import { startPlatform, withTemporaryFolder, type PlatformProcess } from "../platform/process.js";
import { acme, headersFor } from "../platform/session.js";

const affiliates = Array.from({ length: 20 }, (_one, index) => `affiliate-${index + 1}`);
const whole = [10_000, 100_000, 1_000_000] as const;
const brief = [500, 1_000, 2_000] as const;
const memoryGoalMiB = 300;
const lookMs = 50;
const patienceMs = 30 * 60_000;

const Progress = z.object({
  id: z.string(),
  status: z.string(),
  feedback: z.string().nullable(),
  written: z.coerce.number(),
});

/** The one clearing there is, and how many of its records are in files. */
const progressOf = async (database: Client): Promise<z.output<typeof Progress>> => {
  const { rows } = await database.query(
    `select clearing_bookmark_id as id, status, feedback,
       (select coalesce(sum(written_records), 0) from borsello.outgoing_clearing
        where delivered_at is not null) as written
     from borsello.clearing_bookmark`,
  );
  return Progress.parse(rows[0]);
};

const until = async (
  database: Client,
  isReached: (progress: z.output<typeof Progress>) => boolean,
): Promise<z.output<typeof Progress>> => {
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    const progress = await progressOf(database);
    if (isReached(progress)) return progress;
    if (progress.status === "Failed") throw new Error(`it failed: ${progress.feedback ?? ""}`);
    if (performance.now() > giveUpAt) throw new Error(`it stands still: ${progress.status}`);
    await sleep(lookMs);
  }
};

const withClient = async <Value>(
  connectionString: string,
  work: (client: Client) => Promise<Value>,
): Promise<Value> => {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

const ask = async (url: string): Promise<void> => {
  const answer = await fetch(`${url}/card/flows/clearing`, {
    method: "POST",
    headers: await headersFor(url, acme),
    body: "{}",
  });
  if (answer.status !== 202)
    throw new Error(`POST flows/clearing: ${answer.status} ${await answer.text()}`);
};

interface Cleared {
  readonly records: number;
  readonly seconds: number;
  readonly peakMiB: number;
  readonly files: number;
}

/** One day on a platform of its own; every file is then fetched and held against the database. */
const clear = async (
  folder: string,
  presentments: number,
  { isKilled }: { readonly isKilled: boolean },
): Promise<Cleared> => {
  const fees = presentments / 10;
  const records = presentments + fees;
  let platform: PlatformProcess = await startPlatform(folder);
  try {
    await writePresented(platform.databaseUrl, "bench", { affiliates, presentments, fees });
    await resetPeak(platform.pid);
    const began = performance.now();
    await ask(platform.url);
    let peak = 0;
    if (isKilled) {
      await withClient(platform.databaseUrl, (database) =>
        until(database, ({ written }) => written > records / 2),
      );
      peak = await peakMiB(platform.pid);
      await platform.kill9();
      platform = await startPlatform(folder);
    }
    const { id } = await withClient(platform.databaseUrl, (database) =>
      until(database, ({ status }) => status === "Completed"),
    );
    const seconds = (performance.now() - began) / 1000;
    peak = Math.max(peak, await peakMiB(platform.pid));
    const checked = await checkClearingFiles(platform, id);
    if (checked.records !== records)
      throw new Error(`the files have ${checked.records} records instead of ${records}`);
    return { records, seconds, peakMiB: peak, files: checked.files };
  } finally {
    await platform.stop();
  }
};

const thousands = (count: number): string => count.toLocaleString("en-US");

const rowOf = (what: string, { records, seconds, peakMiB: peak, files }: Cleared): Row => ({
  what,
  figure: `${thousands(Math.round(records / seconds))} records/s`,
  beside:
    `${seconds.toFixed(1)} s; at most ${peak.toFixed(0)} MiB (goal ${memoryGoalMiB} MiB); ` +
    `${files} files agree with the database`,
});

export const clearing: Scenario = {
  name: "clearing",
  title: "Clearing a day",
  method:
    `Presentments of ${affiliates.length} affiliates and a tenth as many fees, written by SQL as the processor's events ` +
    "would have; seconds from `POST /card/flows/clearing` to Completed: cut into the processor's files, imported, " +
    "verified, summed and written into two files for each affiliate. Memory is the highest of the platform's " +
    "process (host, engine and broker in one; Linux only) on the way. Then every file is fetched: its digest, " +
    "count and sums are compared with the database. The last row is killed once with half of its records in files.",
  run: async (say, { quick }) =>
    withTemporaryFolder(async (folder) => {
      const sizes = quick ? brief : whole;
      const rows: Row[] = [];
      const add = (what: string, cleared: Cleared): void => {
        const row = rowOf(what, cleared);
        rows.push(row);
        say(`${row.what}: ${row.figure} (${row.beside})`);
      };
      const perRecord: number[] = [];
      for (const presentments of sizes) {
        const place = join(folder, String(presentments));
        const cleared = await clear(place, presentments, { isKilled: false });
        perRecord.push((cleared.seconds / cleared.records) * 1e6);
        add(`${thousands(presentments)} presentments`, cleared);
      }
      const [few = 0, many = 0] = [perRecord[0], perRecord.at(-1)];
      rows.push({
        what: "microseconds for each record",
        figure: perRecord.map((micros) => micros.toFixed(0)).join(", "),
        beside: `the last is ${(many / few).toFixed(2)} times the first; linear is at most 1`,
      });
      const last = sizes.at(-1) ?? 0;
      add(
        `${thousands(last)} presentments, killed once`,
        await clear(join(folder, "killed"), last, { isKilled: true }),
      );
      return rows;
    }),
};
