/** Promises of the programming model that cross several of its parts. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";
import { startDurableHost, type DurableHost } from "../../support/durable/durable-host.js";

let database: TestDatabase;
let host: DurableHost;

beforeAll(async () => {
  database = await createDatabase();
  host = await startDurableHost(database.url, {}, { app: "promises" });
});
afterAll(async () => {
  await host.kill();
  await database.drop();
});

const outputOf = async (name: string, input?: unknown, id = name): Promise<unknown> =>
  (await host.run(name, id, input)).output;

describe("HTTP calls of an orchestrator", () => {
  test("are polled, while the answer is 202, until there is another one", async () => {
    expect(await outputOf("callAndPoll", `${host.url}/api/slow/poll/3`)).toEqual({
      statusCode: 200,
      content: "poll after 4 looks",
    });
  });

  test("that nobody wants polled give the 202 itself", async () => {
    expect(await outputOf("callOnce", `${host.url}/api/slow/once/3`)).toBe(202);
  });

  test("to a place that refuses give its status, as a result", async () => {
    expect(await outputOf("callOnce", `${host.url}/api/nowhere`, "refused")).toBe(404);
  });
});

describe("tasks of tasks", () => {
  test("all of any of all give their results in the order of their parts", async () => {
    expect(await outputOf("nested")).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  test("the first failure ends a wait for all", async () => {
    expect(await outputOf("allFails")).toBe("the first failure ends the wait");
  });

  test("events of two names are awaited together, whichever comes first", async () => {
    await host.start("twoWaits", "twoWaits");
    await host.raise("twoWaits", "r", "right");
    await host.raise("twoWaits", "l", "left");
    expect((await host.until("twoWaits")).output).toEqual(["l", "r"]);
  });
});

test("timers follow each other, also those of no length and of the past", async () => {
  expect(await outputOf("naps", [20, 0, -5_000, 1])).toBe("rested");
});

test("a failed sub-orchestration is tried again, each time from its beginning", async () => {
  expect(await outputOf("patientParent")).toBe(3);
});

test("a custom status outlives the end of its orchestration", async () => {
  const ended = await host.run("statusStays", "statusStays");
  expect(ended).toMatchObject({ output: "done", customStatus: { at: "work" } });
});

test("signals of one sender arrive in the order in which they were sent", async () => {
  expect(await outputOf("signalsInOrder")).toEqual(Array.from({ length: 20 }, (_, n) => n));
});

test("an id that was purged begins a new life: no event and no history of the old one", async () => {
  await host.start("waits", "reused");
  await host.api("POST", "instances/reused/terminate?reason=over");
  await host.until("reused");
  await host.raise("reused", "for the old life");
  const purged = await host.api("DELETE", "instances/reused");
  expect(await purged.json()).toEqual({ instancesDeleted: 1 });
  expect((await host.api("GET", "instances/reused")).status).toBe(404);
  await host.start("waits", "reused");
  await host.raise("reused", "for the new life");
  const { output, historyEvents = [] } = await host
    .until("reused")
    .then(() => host.status("reused", "showHistory=true"));
  expect(output).toBe("for the new life");
  expect(historyEvents.map(({ EventType: type }) => type)).toEqual([
    "ExecutionStarted",
    "EventRaised",
    "ExecutionCompleted",
  ]);
});

test("lists know when instances were created", async () => {
  const ids = async (query: string): Promise<string[]> => {
    const response = await host.api("GET", `instances?instanceIdPrefix=dated&${query}`);
    return ((await response.json()) as { instanceId: string }[]).map((each) => each.instanceId);
  };
  await host.run("naps", "dated", []);
  const hourMs = 3_600_000;
  const [past, future] = [-hourMs, hourMs].map((ms) => new Date(Date.now() + ms).toISOString());
  expect(await ids(`createdTimeFrom=${past}&createdTimeTo=${future}`)).toEqual(["dated"]);
  expect(await ids(`createdTimeFrom=${future}`)).toEqual([]);
  expect(await ids(`createdTimeTo=${past}`)).toEqual([]);
});

test("hooks see orchestrators and activities, and may change what goes in and comes out", async () => {
  expect(await outputOf("hooked")).toBe("hooked twice");
  const seen = (await (await fetch(`${host.url}/api/invoked`)).json()) as string[];
  for (const name of ["hooked", "echo"])
    expect(seen).toEqual(expect.arrayContaining([`before ${name}`, `after ${name}`]));
});

test("a start is answered though a hook keeps the orchestrator from running", async () => {
  const response = await host.api("POST", "orchestrators/gated");
  expect(response.status).toBe(202);
  const { id } = (await response.json()) as { id: string };
  expect((await host.status(id)).runtimeStatus).toBe("Pending");
  await fetch(`${host.url}/api/gate`);
  expect((await host.until(id)).output).toBe("through");
});

test("a value of a megabyte passes through activities, events and results unchanged", async () => {
  const text = "ü€😀".repeat(120_000);
  await host.start("waits", "large");
  await host.raise("large", text);
  expect((await host.until("large")).output).toBe(text);
});
