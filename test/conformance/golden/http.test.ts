/** The local host beside recordings of a genuine one, where these are at hand: request by request. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startAppHost } from "../../support/platform/app-host.js";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";
import { copyApp, missing, playAndCompare, surprises } from "../../support/durable/golden.js";
import { acceptedDifferences } from "./differences.js";

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

describe.skipIf(missing !== "")(`the recordings of a genuine host${missing}`, () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(async () => {
    await database.drop();
  });

  test.each(variants)(
    "$recording differs only where we mean it to",
    async ({ recording, group, routePrefix, settings }) => {
      const app = await copyApp(recording, routePrefix);
      const host = await startAppHost(app.directory, { databaseUrl: database.url, settings });
      try {
        const differences = await playAndCompare(host.url, { group, recording, parallel: 4 });
        expect(surprises(differences, acceptedDifferences[recording])).toEqual([]);
      } finally {
        await host.stop();
        await app.remove();
      }
    },
    120_000,
  );

  test("an app with a broken file is refused, where the genuine host serves it without functions", async () => {
    const app = await copyApp("broken");
    const start = startAppHost(app.directory, {
      databaseUrl: database.url,
      settings: { BROKEN_FILE: "1" },
    });
    await expect(start).rejects.toThrow("src/broken.js does not load");
    await app.remove();
  });
});
