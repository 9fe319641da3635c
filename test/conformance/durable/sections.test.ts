/** Critical sections, and what else an orchestration may have open when it ends, fails or starts over. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { rowsOf } from "../../support/database/connections.js";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";
import type { DurableHost } from "../../support/durable/durable-host.js";
import {
  hurriedSections,
  lockedBoxes,
  startHurried,
  startSectionsHost,
} from "../../support/durable/hurried-sections.js";

let database: TestDatabase;
let host: DurableHost;

beforeAll(async () => {
  database = await createDatabase();
  host = await startSectionsHost(database.url);
});
afterAll(async () => {
  await host.kill();
  await database.drop();
});

const valueOf = async (key: string): Promise<unknown> => {
  const response = await host.api("GET", `entities/box/${key}`);
  return response.status === 200 ? response.json() : response.status;
};
const signal = async (key: string, operation: string, data?: unknown): Promise<number> =>
  (await host.api("POST", `entities/box/${key}?op=${operation}`, data)).status;
const post = async (id: string, operation: string): Promise<number> =>
  (await host.api("POST", `instances/${id}/${operation}`)).status;
const customStatus = async (id: string): Promise<unknown> => (await host.status(id)).customStatus;

test("no lock stays with an orchestration that ends while its request for four travels", async () => {
  const sections = hurriedSections("hurried", 40);
  await Promise.all(sections.map((section) => startHurried(host, section)));
  for (const { id } of sections) await host.until(id);
  const locked = await lockedBoxes(database.url);
  console.info(`Locks left after ${sections.length} sections that ended early: ${locked.length}`);
  expect(locked).toEqual([]);
});

test("nor where the host is killed meanwhile, and an answer from before is kept for a rewind", async () => {
  await host.start("failsCalling", "restarted", 100);
  await host.until("restarted");
  await expect.poll(() => valueOf("restarted")).toBe(1);
  const sections = hurriedSections("killed", 20);
  const begun = sections.map(async (section) => startHurried(host, section).catch(() => undefined));
  await Promise.race(begun.slice(10));
  await host.kill();
  await Promise.all(begun);
  host = await startSectionsHost(database.url);
  for (const { id, end } of sections) {
    if (end === "terminated") await post(id, "terminate");
    if ((await host.api("GET", `instances/${id}`)).status !== 404) await host.until(id);
  }
  expect(await lockedBoxes(database.url)).toEqual([]);
  expect(await post("restarted", "rewind")).toBe(202);
  // Each process counts its failures anew.
  if ((await host.until("restarted")).runtimeStatus === "Failed") await post("restarted", "rewind");
  expect((await host.until("restarted")).output).toBe(1);
});

test("one that is suspended while its request travels gets its boxes, and keeps them until it is resumed", async () => {
  const boxes = ["rest-a", "rest-b"];
  await host.start("orderly", "first", { boxes, waits: true });
  await expect.poll(() => customStatus("first")).toBe("inside");
  await host.start("orderly", "resting", { boxes });
  expect(await post("resting", "suspend")).toBe(202);
  await host.until("resting", ["Suspended"]);
  await host.start("orderly", "last", { boxes });
  await host.raise("first", null);
  expect((await host.until("first")).output).toBe("done");
  const holder = `select from durable.instance
    where id = '@box@rest-b' and entity_lock::json ->> 'parent' = 'resting'`;
  await expect.poll(async () => (await rowsOf(database.url, holder)).length).toBe(1);
  expect((await host.status("last")).runtimeStatus).toBe("Running");
  await post("resting", "resume");
  expect((await host.until("resting")).output).toBe("done");
  expect((await host.until("last")).output).toBe("done");
  expect(await valueOf("rest-b")).toBe(3);
});

test("an entity that signals itself goes on, and does so in order", async () => {
  await signal("countdown", "countDown", 5);
  await expect.poll(() => valueOf("countdown")).toBe(5);
  expect(await signal("countdown", "add", 1)).toBe(202);
  await expect.poll(() => valueOf("countdown")).toBe(6);
});

test("a child under the id of its parent, or of an entity, is refused in plain words", async () => {
  const own = await host.run("childOfItsOwnId", "own-id");
  expect(own.runtimeStatus).toBe("Completed");
  expect(own.output).toContain("with the id 'own-id' that has not ended already exists");
  const entity = await host.run("childUnder", "under-entity", "@box@noted");
  expect(entity.output).toContain("id '@box@noted' is not valid");
});

test("a child begun in the turn that starts over does its work", async () => {
  await host.start("leavesChild", "leaver", 4);
  for (let times = 0; times < 4; times++) await host.raise("leaver", null);
  await host.raise("leaver", null, "begin");
  expect((await host.until("leaver")).output).toBe("done");
  for (const round of [1, 2, 3, 4])
    expect((await host.until(`leaver-child-${round}`)).output).toBe("noted");
});

test("rewound inside a critical section, it goes on once it has all its boxes again", async () => {
  const boxes = ["rewound-a", "rewound-b", "rewound-c"];
  expect((await host.run("failsInside", "rewound", { boxes })).runtimeStatus).toBe("Failed");
  await host.start("orderly", "between", { boxes: boxes.slice(1), waits: true });
  await expect.poll(() => customStatus("between")).toBe("inside");
  expect(await post("rewound", "rewind")).toBe(202);
  await host.raise("rewound", null);
  const holder = `select from durable.instance
    where id = '@box@rewound-a' and entity_lock::json ->> 'parent' = 'rewound'`;
  await expect.poll(async () => (await rowsOf(database.url, holder)).length).toBe(1);
  expect((await host.status("rewound")).runtimeStatus).toBe("Pending");
  expect(await customStatus("rewound")).toBeNull();
  await host.raise("between", null);
  expect((await host.until("between")).output).toBe("done");
  expect((await host.until("rewound")).output).toBe("done");
  for (const key of boxes) expect(await valueOf(key)).toBe(key === "rewound-a" ? 1 : 2);
  expect(await lockedBoxes(database.url)).toEqual([]);
});

test("rewound while it asks for boxes, it asks again", async () => {
  const boxes = ["asked-a", "asked-b"];
  await host.start("orderly", "occupant", { boxes: ["asked-b"], waits: true });
  await expect.poll(() => customStatus("occupant")).toBe("inside");
  expect((await host.run("failsAsking", "asking", { boxes })).runtimeStatus).toBe("Failed");
  await host.raise("occupant", null);
  await host.until("occupant");
  expect(await post("asking", "rewind")).toBe(202);
  await expect.poll(() => customStatus("asking")).toBe("inside");
  await host.start("orderly", "outsider", { boxes });
  await host.raise("asking", null);
  expect((await host.until("asking")).output).toBe("done");
  expect((await host.until("outsider")).output).toBe("done");
  expect(await lockedBoxes(database.url)).toEqual([]);
});

test("terminated while it waits for its boxes after a rewind, it leaves none locked", async () => {
  const boxes = ["ended-a", "ended-b"];
  expect((await host.run("failsInside", "ended", { boxes })).runtimeStatus).toBe("Failed");
  await host.start("orderly", "keeper", { boxes: ["ended-b"], waits: true });
  await expect.poll(() => customStatus("keeper")).toBe("inside");
  expect(await post("ended", "rewind")).toBe(202);
  await host.until("ended", ["Pending"]);
  expect(await post("ended", "terminate")).toBe(202);
  expect((await host.until("ended")).runtimeStatus).toBe("Terminated");
  await host.raise("keeper", null);
  await host.until("keeper");
  expect(await lockedBoxes(database.url)).toEqual([]);
});

test("rewound with a call of an entity open, it gets the answer, and the entity was asked once", async () => {
  await host.start("failsCalling", "calling", 300);
  expect((await host.until("calling")).runtimeStatus).toBe("Failed");
  await expect.poll(() => valueOf("calling")).toBe(1);
  expect(await post("calling", "rewind")).toBe(202);
  expect((await host.until("calling")).output).toBe(1);
  expect(await valueOf("calling")).toBe(1);
});

test("rewound before the entity answers, it gets the answer, too", async () => {
  await host.start("failsCalling", "before-answer", 1_000);
  expect((await host.until("before-answer")).runtimeStatus).toBe("Failed");
  expect(await post("before-answer", "rewind")).toBe(202);
  expect((await host.until("before-answer")).output).toBe(1);
});

test.each(["terminated", "purged"])(
  "a failed child that was %s is begun again by a rewind of its parent",
  async (how) => {
    const id = `with-${how}`;
    await host.start("failsWithChild", id);
    await expect.poll(() => post(`${id}-child`, "terminate")).toBe(202);
    expect((await host.until(id)).runtimeStatus).toBe("Failed");
    if (how === "purged") await host.api("DELETE", `instances/${id}-child`);
    expect(await post(id, "rewind")).toBe(202);
    await expect.poll(() => host.raise(`${id}-child`, "anew")).toBe(202);
    expect((await host.until(id)).output).toBe("anew");
  },
);

test("an entity that is purged while somebody holds it or waits for it loses its state alone", async () => {
  const boxes = ["purged"];
  await signal("purged", "add", 5);
  await host.start("orderly", "purged-holder", { boxes, waits: true });
  await expect.poll(() => customStatus("purged-holder")).toBe("inside");
  await host.start("orderly", "purged-waiter", { boxes });
  const waits = "select from durable.message where instance_id = '@box@purged' and type = 'lock'";
  await expect.poll(async () => (await rowsOf(database.url, waits)).length).toBe(1);
  const purge = await host.api("DELETE", "instances/@box@purged");
  expect(await purge.json()).toEqual({ instancesDeleted: 1 });
  expect(await valueOf("purged")).toBe(404);
  await host.raise("purged-holder", null);
  expect((await host.until("purged-holder")).output).toBe("done");
  expect((await host.until("purged-waiter")).output).toBe("done");
  expect(await valueOf("purged")).toBe(2);
  expect(await (await host.api("DELETE", "instances/@box@purged")).json()).toEqual({
    instancesDeleted: 1,
  });
});
