/** What orchestrations of the unmodified library may count on: activities, timers, events, children. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rowsOf } from "../../support/database/connections.js";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";
import {
  replaysEveryTurn,
  startDurableHost,
  type DurableHost,
} from "../../support/durable/durable-host.js";

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

const eventTypes = async (id: string): Promise<unknown[]> => {
  const { historyEvents } = await host.status(id, "showHistory=true&showHistoryOutput=true");
  return (historyEvents ?? []).map(({ EventType: type }) => type);
};

describe("activities", () => {
  test("run one after the other, each with the result of the one before", async () => {
    const { runtimeStatus, output } = await host.run("sequence", "sequence", 3);
    expect({ runtimeStatus, output }).toEqual({ runtimeStatus: "Completed", output: [9, 81] });
    expect(await eventTypes("sequence")).toEqual([
      "ExecutionStarted",
      "TaskCompleted",
      "TaskCompleted",
      "ExecutionCompleted",
    ]);
  });

  test("run side by side and are awaited together", async () => {
    const { output } = await host.run("fan", "fan", 200);
    expect(output).toBe(Array.from({ length: 200 }, (_, n) => n * n).reduce((a, b) => a + b));
  });

  test("get and give every JSON value unchanged", async () => {
    const values = ["", "text", '"quoted"', "123", 0, 1.5, false, true, null, [], {}, { a: [1] }];
    const strange = ["a\u0000b", "\ud800", "čž🐎", "line\nbreak"];
    const { output } = await host.run("values", "values", [...values, ...strange]);
    expect(output).toEqual([...values, ...strange]);
  });

  test("fail their orchestration with the function's name and the reason", async () => {
    const { runtimeStatus, output } = await host.run("fails", "fails", "no money");
    expect(runtimeStatus).toBe("Failed");
    expect(output).toMatch(
      /^Orchestrator function 'fails' failed: Activity function 'refuse' failed: {2}refused: no money \n /u,
    );
  });

  test("can be caught when they throw, even a bare text", async () => {
    const { output } = await host.run("catches", "catches", "throwText");
    expect(output).toMatchObject({ name: "Error" });
    expect(JSON.stringify(output)).toContain("Activity function 'throwText' failed:  bare text");
  });

  test("that do not exist fail the orchestration and name those that do", async () => {
    const { runtimeStatus, output } = await host.run("unknownActivity", "unknownActivity");
    expect(runtimeStatus).toBe("Failed");
    expect(output).toMatch(/The function 'nobody' doesn't exist.*'echo'/su);
  });
});

describe("retries", () => {
  const options = { first: 10, max: 5 };

  test("go on until an attempt succeeds", async () => {
    const { output } = await host.run("retries", "retries-ok", { failures: 3, options });
    expect(output).toBe(4);
  });

  test("stop after the last attempt, and give its error", async () => {
    const { output } = await host.run("retries", "retries-out", { failures: 9, options });
    expect(output).toMatchObject({ attempts: 5 });
    expect(JSON.stringify(output)).toContain("attempt 5 failed");
  });

  test("wait longer each time, up to the longest interval", async () => {
    const spread = { first: 40, max: 5, backoff: 2, maxInterval: 100 };
    await host.run("retries", "retries-backoff", { failures: 4, options: spread });
    const { historyEvents = [] } = await host.status("retries-backoff", "showHistory=true");
    const pauses = historyEvents
      .filter(({ EventType: type }) => type === "TimerCreated")
      .map(({ FireAt: due, Timestamp: set }) => Date.parse(String(due)) - Date.parse(String(set)));
    expect(pauses).toEqual([40, 80, 100, 100]);
  });

  test("make no further attempt when their time is over", async () => {
    const limited = { first: 100, max: 50, timeout: 2_000 };
    const { output } = await host.run("retries", "retries-late", {
      failures: 99,
      options: limited,
    });
    const { attempts } = output as { attempts: number };
    expect(attempts).toBeGreaterThan(1);
    expect(attempts).toBeLessThanOrEqual(20);
  });

  test("keep their place when they outlive the Task.any that first awaited them", async () => {
    const { output } = await host.run("retryOutlivesAny", "retryOutlivesAny");
    expect(output).toEqual([true, "middle", 3, "end"]);
  });
});

test("Task.any over a shrinking list starts no activity twice", async () => {
  const { output } = await host.run("shrinkingAny", "shrinkingAny");
  expect(output).toBe(3);
  const types = await eventTypes("shrinkingAny");
  expect(types.filter((type) => type === "TaskCompleted")).toHaveLength(3);
});

describe("timers", () => {
  test("never fire early in the eyes of the code that set them", async () => {
    const { output } = await host.run("timer", "timer", 150);
    expect(output).toBeGreaterThanOrEqual(150);
  });

  test("may lie years ahead, and leave nothing behind when cancelled", async () => {
    await host.start("timerOrEvent", "timer-far", 5 * 365 * 24 * 3_600_000);
    expect(await host.raise("timer-far", { by: "event" })).toBe(202);
    const { output } = await host.until("timer-far");
    expect(output).toEqual({ event: { by: "event" } });
  });

  test("win against an event that does not come", async () => {
    const { output } = await host.run("timerOrEvent", "timer-wins", 30);
    expect(output).toBe("timer");
  });

  test("that are not cancelled hold their orchestration open until they fire", async () => {
    const { output } = await host.run("uncancelledTimer", "uncancelled");
    expect(output).toBe("returned");
    expect(await eventTypes("uncancelled")).toContain("TimerFired");
  });
});

describe("external events", () => {
  test("arrive in the order in which they were raised", async () => {
    await host.start("events", "events", 5);
    for (const n of [1, 2, 3, 4, 5]) await host.raise("events", n);
    expect((await host.until("events")).output).toEqual([1, 2, 3, 4, 5]);
  });

  test("are kept when they come before anybody waits for them", async () => {
    await host.start("eventLater", "early");
    await host.raise("early", "early bird");
    expect((await host.until("early")).output).toBe("early bird");
  });

  test("are told apart by their exact name", async () => {
    await host.start("events", "by-name", 1);
    await host.raise("by-name", "wrong", "GO");
    await host.raise("by-name", "right", "go");
    expect((await host.until("by-name")).output).toEqual(["right"]);
  });

  test("survive continueAsNew, in their order", async () => {
    await host.start("rounds", "rounds", { round: 4, seen: [] });
    for (const letter of ["a", "b", "c", "d"]) await host.raise("rounds", letter);
    expect((await host.until("rounds")).output).toEqual(["a", "b", "c", "d"]);
  });
});

describe("child orchestrations", () => {
  test("know their parent and give it their result", async () => {
    const { output } = await host.run("parent", "parent", {});
    expect(output).toMatchObject({ parentInstanceId: "parent", square: 49 });
  });

  test("take the id that they are given", async () => {
    const { output } = await host.run("parent", "parent-id", { id: "given-id" });
    expect(output).toMatchObject({ instanceId: "given-id" });
  });

  test("with an id that is in use fail for their parent", async () => {
    await host.start("events", "taken", 1);
    const { runtimeStatus, output } = await host.run("parent", "parent-taken", { id: "taken" });
    expect(runtimeStatus).toBe("Failed");
    expect(output).toContain("already exists");
    expect((await host.status("taken")).runtimeStatus).toBe("Running");
  });

  test("that fail are tried again, and then fail their parent", async () => {
    const { output } = await host.run("parentOfFailing", "parentOfFailing");
    expect(output).toBe("Orchestrator function 'failingChild' failed: the child gives up");
    const types = await eventTypes("parentOfFailing");
    const failures = types.filter((type) => type === "SubOrchestrationInstanceFailed");
    expect(failures).toHaveLength(2);
  });

  test("that do not exist fail their parent", async () => {
    const { runtimeStatus } = await host.run("unknownChild", "unknownChild");
    expect(runtimeStatus).toBe("Failed");
  });
});

test("continueAsNew starts over with a new input and no history", async () => {
  const { output, input } = await host.run("loop", "loop", { left: 20, sum: 0 });
  expect(output).toBe(2870);
  expect(input).toEqual({ left: 0, sum: 2870 });
  expect(await eventTypes("loop")).toEqual(["ExecutionStarted", "ExecutionCompleted"]);
});

test("an execution that starts over is written once, together with the first turn of the next one", async () => {
  const rounds = 5;
  await host.start("rounds", "one-write", { round: rounds, seen: [] });
  for (let round = 1; round <= rounds; round += 1) {
    await host.raise("one-write", round);
    await expect
      .poll(async () => (await host.status("one-write")).input)
      .toMatchObject(
        round < rounds ? { seen: Array.from({ length: round }, (_, index) => index + 1) } : {},
      );
  }
  expect((await host.until("one-write")).output).toEqual([1, 2, 3, 4, 5]);
  const rows = await rowsOf(
    database.url,
    "select turn from durable.instance where id = 'one-write'",
  );
  expect(rows).toEqual([{ turn: 1 + rounds }]);
});

test("guids are the same on every replay, and the flag tells played code from replayed code", async () => {
  const { output } = await host.run("facts", "facts");
  const { guids, replaying } = output as { guids: string[]; replaying: boolean[] };
  expect(new Set(guids).size).toBe(2);
  expect(replaying).toEqual([replaysEveryTurn, replaysEveryTurn]);
  const { historyEvents = [] } = await host.status(
    "facts",
    "showHistory=true&showHistoryOutput=true",
  );
  expect(historyEvents.at(-2)).toMatchObject({ Result: guids });
});

test("what app code throws or returns never breaks the host", async () => {
  expect(await host.run("throwsText", "throws-text")).toMatchObject({
    output: "Orchestrator function 'throwsText' failed: bare text",
  });
  expect((await host.run("cyclic", "cyclic")).runtimeStatus).toBe("Failed");
  expect((await host.run("waitsForNothing", "waits-for-nothing")).runtimeStatus).toBe("Failed");
  expect(await host.run("unstorable", "unstorable")).toMatchObject({
    runtimeStatus: "Failed",
    output: expect.stringContaining("could not be stored") as unknown,
  });
  expect((await host.run("nobody", "nobody")).output).toMatch(/'nobody' doesn't exist/u);
  expect((await host.run("sequence", "still-alive", 1)).output).toEqual([1, 1]);
});

test("an HTTP call goes out from the orchestration and comes back with its answer", async () => {
  const { output } = await host.run("http", "http", `${host.url}/api/polled`);
  expect(output).toEqual({ status: 200, body: { echoed: { n: 1 } } });
});
