/** The durable engine beside recordings of the genuine extension: conversation by conversation. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";
import { startAppHost, type AppHost } from "../../support/platform/app-host.js";
import { playRecording, type Playing } from "../../support/recordings/play.js";
import { surprises } from "../../support/recordings/surprises.js";
import { acceptedDifferences } from "./differences.js";

let database: TestDatabase;
let host: AppHost;
const start = async (settings: Record<string, string> = {}): Promise<void> => {
  host = await startAppHost("recorded", { databaseUrl: database.url, settings });
};
beforeAll(async () => {
  database = await createDatabase();
  await start();
});
afterAll(async () => {
  await host.stop();
  await database.drop();
});

const surprisesOf = async (playing: Playing): Promise<string[]> => {
  const differences = await playRecording(host.url, playing);
  return surprises(differences, acceptedDifferences[playing.recording]);
};

test("lists and purges by filter differ only where we mean them to", async () => {
  // Alone, since it purges whatever was created meanwhile.
  expect(await surprisesOf({ recording: "listing" })).toEqual([]);
});

test("starts, histories, management and entities differ only where we mean them to", async () => {
  // Nearly all of the time is spent in cases that wait; so they wait together.
  const together = ["histories", "starting", "managing", "entities"];
  const found = together.map(async (recording) => surprisesOf({ recording, parallel: 12 }));
  expect((await Promise.all(found)).flat()).toEqual([]);
}, 180_000);

test("code that changed under waiting instances is found out as there", async () => {
  const run = "changed-code";
  expect(await surprisesOf({ recording: "change-before", parallel: 2, run })).toEqual([]);
  await host.stop();
  await start({ CODE_VARIANT: "2" });
  expect(await surprisesOf({ recording: "change-after", parallel: 2, run })).toEqual([]);
}, 120_000);
