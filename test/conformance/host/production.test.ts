/** A local host in production: keys of its own, and no clock for whoever is on the machine. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { startAppHost, type AppHost } from "../../support/platform/app-host.js";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";

const keys = {
  LOCAL_FUNCTION_KEY: "function-key-of-thirty-two-signs",
  LOCAL_MASTER_KEY: "master-key-of-thirty-two-signs--",
  LOCAL_DURABLE_KEY: "durable-key-of-thirty-two-signs-",
};

let database: TestDatabase;
let host: AppHost;
beforeAll(async () => {
  database = await createDatabase();
  host = await startAppHost("http", {
    databaseUrl: database.url,
    settings: {
      ...keys,
      PLATFORM_ENVIRONMENT: "production",
      STREAMING: "yes",
      "AzureFunctionsJobHost__extensions__http__customHeaders__X-Ours": "yes",
      "AzureFunctionsJobHost__extensions__http__customHeaders__X-City": "nowhere",
    },
  });
});
afterAll(async () => {
  await host.stop();
  await database.drop();
});

const statusOf = async (method: string, path: string, key: string): Promise<number> =>
  (await fetch(`${host.url}${path}`, { method, headers: { "x-functions-key": key } })).status;

test("the usual keys open nothing, those that were set do", async () => {
  expect(await statusOf("GET", "/keyed", "local-function-key")).toBe(401);
  expect(await statusOf("GET", "/keyed", keys.LOCAL_FUNCTION_KEY)).toBe(200);
  expect(await statusOf("GET", "/admin/host/status", "local-master-key")).toBe(401);
  expect(await statusOf("GET", "/admin/host/status", keys.LOCAL_MASTER_KEY)).toBe(200);
});

test("the clock asks for the master key", async () => {
  const clock = "/admin/host/clock";
  expect((await fetch(`${host.url}${clock}`, { method: "POST" })).status).toBe(401);
  expect(await statusOf("POST", clock, keys.LOCAL_FUNCTION_KEY)).toBe(401);
  expect(await statusOf("POST", clock, keys.LOCAL_MASTER_KEY)).toBe(200);
});

test("host.json's headers are on every answer that does not bring its own", async () => {
  const paths = ["/rest/a", "/none", "/keyed", "/admin/host/ping", "/admin/host/status", "/"];
  for (const path of paths) {
    const { headers } = await fetch(`${host.url}${path}`);
    expect([path, headers.get("x-ours")]).toEqual([path, "yes"]);
  }
  const page = await fetch(`${host.url}/`, { headers: { origin: "http://pages.example" } });
  expect(page.status).toBe(200);
});
