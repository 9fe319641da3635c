/** The local host beside recordings of a genuine one: request by request. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";
import { startAppHost } from "../../support/platform/app-host.js";
import { playRecording } from "../../support/recordings/play.js";
import { surprises } from "../../support/recordings/surprises.js";
import { acceptedDifferences } from "./differences.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(async () => {
  await database.drop();
});

const variants: readonly [string, Readonly<Record<string, string>>][] = [
  ["http-buffered", {}],
  ["http-stream", { HTTP_STREAM: "1" }],
  ["prefixed", { AzureFunctionsJobHost__extensions__http__routePrefix: "api" }],
];

test.each(variants)(
  "%s differs only where we mean it to",
  async (recording, settings) => {
    const host = await startAppHost("recorded", { databaseUrl: database.url, settings });
    try {
      const differences = await playRecording(host.url, { recording, parallel: 4 });
      expect(surprises(differences, acceptedDifferences[recording])).toEqual([]);
    } finally {
      await host.stop();
    }
  },
  120_000,
);
