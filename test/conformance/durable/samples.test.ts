/** The well-known patterns, written against the public libraries alone and judged through HTTP. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";
import { startDurableHost, type DurableHost } from "../../support/durable/durable-host.js";

let database: TestDatabase;
let host: DurableHost;

beforeAll(async () => {
  database = await createDatabase();
  host = await startDurableHost(database.url, {}, { app: "samples" });
});
afterAll(async () => {
  await host.kill();
  await database.drop();
});

interface Begun {
  readonly id: string;
  readonly statusQueryGetUri: string;
  readonly terminatePostUri: string;
}

const post = async (path: string, body: unknown): Promise<Response> =>
  fetch(`${host.url}/api/${path}`, { method: "POST", body: JSON.stringify(body) });

const begin = async (name: string, input: unknown): Promise<Begun> =>
  (await (await post(`begin/${name}`, input)).json()) as Begun;

const outputOf = async (name: string, input: unknown): Promise<unknown> =>
  (await host.until((await begin(name, input)).id)).output;

test("hello sequence: activities follow each other, in their order", async () => {
  expect(await outputOf("greetings", null)).toEqual([
    "Hello Torino!",
    "Hello Napoli!",
    "Hello Bari!",
  ]);
});

test("fan-out and fan-in: as many activities as a folder has files, and one sum", async () => {
  // Ten names of 8 characters, two of 9.
  expect(await outputOf("backUp", "a")).toBe(10 * 7 + 2 * 8);
});

test("monitor: looks again by timer until the job is done, or until its time is over", async () => {
  const patient = { job: "print", everyMs: 10, forMs: 60_000 };
  expect(await outputOf("monitor", patient)).toEqual({ done: true, looks: 4 });
  const endless = { job: "endless", everyMs: 20, forMs: 100 };
  expect(await outputOf("monitor", endless)).toEqual({ done: false });
});

describe("human interaction", () => {
  test.each([
    [true, "approved"],
    [false, "refused"],
  ])("the decision %s ends the wait", async (approved, end) => {
    const { id } = await begin("approval", { waitMs: 3_600_000 });
    await expect
      .poll(async () => (await host.status(id)).customStatus)
      .toBe("waits for a decision");
    expect((await post(`decide/${id}`, { approved })).status).toBe(202);
    expect((await host.until(id)).output).toBe(end);
  });

  test("without a decision in time somebody above decides", async () => {
    expect(await outputOf("approval", { waitMs: 50 })).toBe("escalated");
  });
});

test("asynchronous HTTP: 202 with an address, which answers 202 until it answers the result", async () => {
  const begun = await post("begin/approval", { waitMs: 400 });
  expect(begun.status).toBe(202);
  const location = begun.headers.get("location") ?? "";
  expect(begun.headers.get("retry-after")).toMatch(/^\d+$/u);
  expect((await fetch(location)).status).toBe(202);
  await expect.poll(async () => (await fetch(location)).status).toBe(200);
  expect(await (await fetch(location)).json()).toMatchObject({
    runtimeStatus: "Completed",
    output: "escalated",
  });
});

test("saga: what was done is undone when a later step cannot be done", async () => {
  const booked = { cents: 900, limit: 1_000 };
  expect(await outputOf("journey", booked)).toEqual({ booked: true, seats: 1, charged: 900 });
  const refused = { cents: 1_100, limit: 1_000 };
  expect(await outputOf("journey", refused)).toEqual({ booked: false, seats: 1, charged: 900 });
  expect(await outputOf("journey", booked)).toEqual({ booked: true, seats: 0, charged: 1_800 });
  expect(await outputOf("journey", booked)).toEqual({ booked: false, seats: 0, charged: 1_800 });
});

test("singleton and eternal: one instance of an id, round after round, until it is ended", async () => {
  expect((await post("only/watch", null)).status).toBe(202);
  expect((await post("only/watch", null)).status).toBe(409);
  const round = async (): Promise<number> =>
    ((await host.status("watch")).customStatus as { round: number }).round;
  await expect.poll(round).toBeGreaterThan(5);
  const { historyEvents = [] } = await host.status("watch", "showHistory=true");
  expect(historyEvents.length).toBeLessThan(6);
  await host.api("POST", "instances/watch/terminate?reason=enough");
  expect((await host.until("watch")).runtimeStatus).toBe("Terminated");
  const last = await round();
  await sleep(60);
  expect(await round()).toBe(last);
  expect((await post("only/watch", null)).status).toBe(202);
});

test("sub-orchestrations: each device by one of its own, all awaited by their parent", async () => {
  const { id } = await begin("provisionAll", ["lamp", "door"]);
  expect((await host.until(id)).output).toEqual([
    ["lamp:register", "lamp:configure"],
    ["door:register", "door:configure"],
  ]);
  expect((await host.status(`${id}-1`)).output).toEqual(["door:register", "door:configure"]);
});

describe("entities", () => {
  const read = async (path: string): Promise<unknown> =>
    (await host.api("GET", `entities/${path}`)).json();

  test("counter by function: each call sees the ones before", async () => {
    expect(await outputOf("countTo", 10)).toEqual({ sum: 55, afterReset: 0 });
  });

  test("aggregator: signals of many senders end in one state", async () => {
    const readings = Array.from({ length: 30 }, (_, n) => n);
    await Promise.all(
      readings.map(async (n) => host.api("POST", "entities/aggregate/heat?op=reading", n)),
    );
    await expect.poll(() => read("aggregate/heat")).toEqual({ count: 30, sum: 435, max: 29 });
  });

  test("critical section: opposite moves under locks never show half a move", async () => {
    for (const account of ["one", "two"]) await outputOf("fillAccount", { account, amount: 50 });
    const moves = Array.from({ length: 12 }, (_, n) =>
      n % 2 === 0 ? { from: "one", to: "two", amount: 20 } : { from: "two", to: "one", amount: 30 },
    );
    const outputs = await Promise.all(moves.map(async (move) => outputOf("moveMoney", move)));
    expect(outputs.map((output) => (output as { total: number }).total)).toEqual(
      moves.map(() => 100),
    );
    const balances = [await read("account/one"), await read("account/two")];
    const [one = 0, two = 0] = balances.map((state) => (state as { balance: number }).balance);
    expect([one + two, one >= 0, two >= 0]).toEqual([100, true, true]);
  });
});
