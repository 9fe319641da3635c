/** The section durableTask of host.json: versions of orchestrations, and limits. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";
import { startDurableHost, type DurableHost } from "../../support/durable/durable-host.js";

let database: TestDatabase;
let host: DurableHost | undefined;

/** Settings override host.json under such names, and so no test needs a file of its own. */
const startHost = async (durableTask: Readonly<Record<string, string>>): Promise<DurableHost> => {
  await host?.kill();
  const names = Object.entries(durableTask).map(([name, value]): [string, string] => [
    `AzureFunctionsJobHost__extensions__durableTask__${name}`,
    value,
  ]);
  host = await startDurableHost(database.url, Object.fromEntries(names));
  return host;
};

beforeAll(async () => {
  database = await createDatabase();
});
afterAll(async () => {
  await host?.kill();
  await database.drop();
});

/** The library's start, by which an app would give a version. */
const startNew = async (at: DurableHost, id: string, version?: string): Promise<void> => {
  const options = { name: "versions", instanceId: id, ...(version !== undefined && { version }) };
  expect((await at.client("start", options)).result).toBe(id);
};

describe("versions", () => {
  test("default to the host's, for starts and for children", async () => {
    const at = await startHost({ defaultVersion: "1.2" });
    await startNew(at, "default");
    await startNew(at, "older", "1.0");
    await at.api("POST", "orchestrators/versions/by-http?version=1.1");
    for (const id of ["default", "older", "by-http"]) await at.raise(id, null);
    expect((await at.until("default")).output).toEqual({ own: "1.2", child: "1.2", given: "0.5" });
    expect((await at.until("older")).output).toMatchObject({ own: "1.0", child: "1.2" });
    expect((await at.until("by-http")).output).toMatchObject({ own: "1.1" });
  });

  test("that are newer wait for a host that is as new", async () => {
    const old = await startHost({ defaultVersion: "1.2" });
    await startNew(old, "newer", "2.0");
    await old.raise("newer", null);
    await old.run("ownVersion", "afterwards");
    expect((await old.status("newer")).runtimeStatus).toBe("Pending");
    const young = await startHost({ defaultVersion: "2.0" });
    expect((await young.until("newer")).output).toMatchObject({ own: "2.0" });
  });

  test("that a host rejects can still be terminated", async () => {
    const at = await startHost({ defaultVersion: "1.2" });
    await startNew(at, "unwanted", "3.0");
    await at.api("POST", "instances/unwanted/terminate?reason=enough");
    expect((await at.until("unwanted")).runtimeStatus).toBe("Terminated");
  });

  test("that do not match fail where the host is told so", async () => {
    const at = await startHost({
      defaultVersion: "1.2",
      versionMatchStrategy: "strict",
      versionFailureStrategy: "Fail",
    });
    await startNew(at, "strict", "1.1");
    const { runtimeStatus, output } = await at.until("strict");
    expect([runtimeStatus, output]).toEqual(["Failed", expect.stringContaining("version '1.1'")]);
  });

  test("mean nothing where they are not to be matched, or the host has none", async () => {
    const careless = await startHost({ defaultVersion: "1.2", versionMatchStrategy: "None" });
    await startNew(careless, "careless", "9.9");
    await careless.raise("careless", null);
    expect((await careless.until("careless")).output).toMatchObject({ own: "9.9" });
    const plain = await startHost({});
    await startNew(plain, "plain", "9.9");
    await plain.raise("plain", null);
    expect((await plain.until("plain")).output).toMatchObject({ own: "9.9", child: null });
  });

  test("that nobody knows stop the start with a sentence", async () => {
    const start = startHost({ versionMatchStrategy: "Newest" });
    await expect(start).rejects.toThrow('"Newest" is none of None, Strict, CurrentOrOlder');
  });
});

test("no more activities run at the same time than host.json allows", async () => {
  const at = await startHost({ maxConcurrentActivityFunctions: "2" });
  const { output } = await at.run("crowd", "crowd");
  expect(Math.max(...(output as number[]))).toBe(2);
});

test("one orchestrator and one entity at a time still come to their ends", async () => {
  const at = await startHost({
    maxConcurrentOrchestratorFunctions: "1",
    maxConcurrentEntityFunctions: "1",
    maxEntityOperationBatchSize: "1",
  });
  const ids = Array.from({ length: 10 }, (_, n) => `one-${n}`);
  for (const id of ids) await at.start("sequence", id, 2);
  for (const id of ids) expect((await at.until(id)).output).toEqual([4, 16]);
  for (const id of ids) await at.api("POST", "entities/counter/one?op=add", id.length);
  await expect
    .poll(async () => (await at.api("GET", "entities/counter/one")).text())
    .toBe(String(ids.join("").length));
});
