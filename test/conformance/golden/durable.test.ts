/** The durable engine beside recordings of the genuine extension, where these are at hand. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startAppHost, type AppHost } from "../../support/platform/app-host.js";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";
import {
  copyApp,
  missing,
  playAndCompare,
  surprises,
  type Differences,
  type RecordedApp,
} from "../../support/durable/golden.js";
import { acceptedDifferences } from "./differences.js";

/** Nearly all of the time is spent in cases that wait; so they wait together. */
const together = ["histories", "starting", "managing", "entities"];
const parallel = 12;

const expectOnlyAccepted = (recording: string, differences: Differences): void => {
  expect(surprises(differences, acceptedDifferences[recording])).toEqual([]);
};

describe.skipIf(missing !== "")(`the recordings of a genuine durable extension${missing}`, () => {
  let database: TestDatabase;
  let app: RecordedApp;
  let host: AppHost;
  const start = async (settings: Record<string, string> = {}): Promise<void> => {
    host = await startAppHost(app.directory, { databaseUrl: database.url, settings });
  };
  beforeAll(async () => {
    [database, app] = await Promise.all([createDatabase(), copyApp("durable")]);
    await start();
  });
  afterAll(async () => {
    await host.stop();
    await database.drop();
    await app.remove();
  });

  test("lists and purges by filter differ only where we mean them to", async () => {
    // Alone, since it purges whatever was created meanwhile.
    expectOnlyAccepted("listing", await playAndCompare(host.url, { group: "listing" }));
  });

  test("starts, histories, management and entities differ only where we mean them to", async () => {
    const played = together.map(async (group) => playAndCompare(host.url, { group, parallel }));
    for (const [index, differences] of (await Promise.all(played)).entries())
      expectOnlyAccepted(together[index] ?? "", differences);
  }, 120_000);

  test("code that changed under waiting instances is found out as there", async () => {
    const play = async (group: string): Promise<Differences> =>
      playAndCompare(host.url, { group, parallel: 2, run: "rchanged" });
    expectOnlyAccepted("change-before", await play("change-before"));
    await host.stop();
    await start({ CODE_VARIANT: "2" });
    expectOnlyAccepted("change-after", await play("change-after"));
  }, 60_000);
});
