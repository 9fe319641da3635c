/** Starts under ids that the host makes up: these do their first turn in the write that creates them. */
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";
import { DatabaseProxy } from "../../support/database/database-proxy.js";
import { startDurableHost, type DurableHost } from "../../support/durable/durable-host.js";

let database: TestDatabase;
let proxy: DatabaseProxy;
let host: DurableHost;

beforeAll(async () => {
  database = await createDatabase();
  proxy = await DatabaseProxy.before(database.url);
  host = await startDurableHost(proxy.url);
});
afterEach(() => {
  proxy.restore();
});
afterAll(async () => {
  await host.kill();
  await proxy.close();
  await database.drop();
});

const start = async (name: string, input: unknown): Promise<string> => {
  const response = await host.api("POST", `orchestrators/${name}`, input);
  expect(response.status).toBe(202);
  return ((await response.json()) as { id: string }).id;
};

const firstTurns: [string, string, unknown, string, unknown][] = [
  ["ends", "values", [], "Completed", []],
  ["fails", "throwsText", null, "Failed", expect.stringContaining("bare text")],
  ["cannot be stored", "unstorable", null, "Failed", expect.stringContaining("not be stored")],
  ["starts over", "hops", 3, "Completed", "landed"],
  ["begins an activity", "sequence", 3, "Completed", [9, 81]],
  ["begins many activities", "fan", 4, "Completed", 14],
  ["sets a timer", "timer", 10, "Completed", expect.anything()],
  ["starts a child", "parent", { id: "a-child" }, "Completed", { square: 49 }],
  ["calls an entity", "entityCalls", null, "Completed", [5, 7]],
];

test.each(firstTurns)("a first turn that %s", async (_, name, input, runtimeStatus, output) => {
  const ended = await host.until(await start(name, input));
  expect(ended).toMatchObject({ runtimeStatus, output });
});

test("a start whose answer was lost has happened once", async () => {
  proxy.loseAnswerTo("said once");
  const id = await start("values", ["said once"]);
  expect((await host.until(id)).output).toEqual(["said once"]);
  const { historyEvents = [] } = await host.status(id, "showHistory=true");
  const began = historyEvents.map(({ EventType }) => EventType);
  expect(began).toEqual(["ExecutionStarted", "TaskCompleted", "ExecutionCompleted"]);
});

test("a start that was refused with 503 has not happened", async () => {
  proxy.refuse();
  expect((await host.api("POST", "orchestrators/events", 1)).status).toBe(503);
  proxy.restore();
  await expect
    .poll(async () => (await host.api("POST", "orchestrators/values", [])).status)
    .toBe(202);
  const instances = (await (await host.api("GET", "instances")).json()) as { name: string }[];
  expect(instances.filter(({ name }) => name === "events")).toEqual([]);
});
