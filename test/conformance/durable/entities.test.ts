/** Entities: signals and calls in order, exact state, locks that hold and are given back. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";
import { startDurableHost, type DurableHost } from "../../support/durable/durable-host.js";

let database: TestDatabase;
let host: DurableHost;

beforeAll(async () => {
  database = await createDatabase();
  host = await startDurableHost(database.url);
});
afterAll(async () => {
  await host.kill();
  await database.drop();
});

const read = async (key: string): Promise<unknown> => {
  const response = await host.api("GET", `entities/counter/${key}`);
  return response.status === 200 ? response.json() : response.status;
};
const signal = async (key: string, operation: string, data?: unknown): Promise<number> =>
  (await host.api("POST", `entities/counter/${key}?op=${operation}`, data)).status;

test("signals add up, however many come at once", async () => {
  expect(await read("sum")).toBe(404);
  await Promise.all(Array.from({ length: 100 }, (_, n) => signal("sum", "add", n)));
  await expect.poll(() => read("sum")).toBe(4950);
});

test("calls from an orchestration see its earlier signals; an error changes nothing", async () => {
  expect((await host.run("entityCalls", "caller")).output).toEqual([5, 7]);
  expect(await read("caller")).toBe(7);
});

test("an operation that throws does not undo others, and an entity may forget itself", async () => {
  await signal("brief", "add", 3);
  await signal("brief", "fail");
  await expect.poll(() => read("brief")).toBe(3);
  await signal("brief", "forget");
  await expect.poll(() => read("brief")).toBe(404);
});

test("an entity signals another one", async () => {
  await signal("giver", "pass", { to: "taker", amount: 9 });
  await expect.poll(() => read("taker")).toBe(9);
});

test("unknown entities are refused, and fail the orchestration that calls them", async () => {
  expect((await host.api("POST", "entities/nobody/k?op=x")).status).toBe(400);
  expect((await host.run("unknownEntity", "unknown-entity")).runtimeStatus).toBe("Failed");
});

test("opposite transfers under locks neither deadlock nor lose a cent", async () => {
  await signal("left", "add", 1000);
  await signal("right", "add", 1000);
  const ids = Array.from({ length: 20 }, (_, n) => `transfer-${n}`);
  await Promise.all(
    ids.map((id, n) => {
      const [from, to] = n % 2 === 0 ? ["left", "right"] : ["right", "left"];
      return host.start("transfer", id, { from, to, amount: n });
    }),
  );
  for (const id of ids) expect((await host.until(id)).runtimeStatus).toBe("Completed");
  const [left, right] = [await read("left"), await read("right")];
  expect(Number(left) + Number(right)).toBe(2000);
  expect(left).toBe(1010);
});

test("a lock is given back when its holder ends without releasing it", async () => {
  await signal("leaky", "add", 1);
  expect((await host.run("leakyLock", "leaky-holder", "leaky")).runtimeStatus).toBe("Failed");
  await signal("leaky", "add", 1);
  await expect.poll(() => read("leaky")).toBe(2);
});

test("the library's client signals and reads", async () => {
  await host.client("signal", { key: "lib", operation: "add", data: 4 });
  await expect
    .poll(async () => (await host.client("read", { key: "lib" })).result)
    .toEqual({ entityExists: true, entityState: 4 });
  expect((await host.client("read", { key: "never" })).result).toEqual({ entityExists: false });
});

test("entities are listed with their state where asked", async () => {
  await signal("listed", "add", 1);
  await expect.poll(() => read("listed")).toBe(1);
  const response = await host.api("GET", "entities/counter?fetchState=true");
  const listed = (await response.json()) as object[];
  expect(listed).toContainEqual(
    expect.objectContaining({ entityId: { name: "counter", key: "listed" }, state: 1 }),
  );
});

test("lists of entities come in pages, and from a span of time", async () => {
  for (const key of ["page-a", "page-b", "page-c"]) await signal(key, "add", 1);
  for (const key of ["page-a", "page-b", "page-c"]) await expect.poll(() => read(key)).toBe(1);
  const keys: string[] = [];
  let token: string | null = "";
  while (token !== null) {
    const headers = { "x-ms-continuation-token": token };
    const page = await host.api("GET", "entities/counter?top=2", undefined, headers);
    const entities = (await page.json()) as { entityId: { key: string } }[];
    expect(entities.length).toBeLessThanOrEqual(2);
    keys.push(...entities.map(({ entityId }) => entityId.key));
    token = page.headers.get("x-ms-continuation-token");
  }
  expect(keys.filter((key) => key.startsWith("page-"))).toEqual(["page-a", "page-b", "page-c"]);
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  const later = await host.api("GET", `entities/counter?lastOperationTimeFrom=${tomorrow}`);
  expect(await later.json()).toEqual([]);
});

test("an entity seen as an instance has the history of one beginning, with its state", async () => {
  await signal("seen", "add", 3);
  await expect.poll(() => read("seen")).toBe(3);
  const { input, historyEvents } = await host.status("@counter@seen", "showHistory=true");
  expect(input).toEqual({ exists: true, state: "3", sorter: {} });
  expect(historyEvents).toEqual([
    expect.objectContaining({
      EventType: "ExecutionStarted",
      FunctionName: "@counter@seen",
      Input: JSON.stringify(input),
    }),
  ]);
});
