/** The management API and the library's client: starting, looking, stopping, purging. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
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

const code = async (method: string, path: string, body?: unknown): Promise<number> =>
  (await host.api(method, path, body)).status;

describe("starting", () => {
  test("an id that is running is refused, one that has ended may be used again", async () => {
    await host.start("events", "again", 1);
    expect(await code("POST", "orchestrators/events/again", 1)).toBe(409);
    await host.raise("again", "first");
    await host.until("again");
    await host.start("events", "again", 1);
    await host.raise("again", "second");
    expect((await host.until("again")).output).toEqual(["second"]);
  });

  test("of two starts of one id at the same moment exactly one wins", async () => {
    const codes = await Promise.all(
      Array.from({ length: 20 }, () => code("POST", "orchestrators/events/race", 1)),
    );
    expect(codes.filter((each) => each === 202)).toHaveLength(1);
    expect(codes.filter((each) => each === 409)).toHaveLength(19);
  });

  test("can wait for the result", async () => {
    const done = await host.api("POST", "orchestrators/sequence/waited?timeout=10", 2);
    expect([done.status, await done.json()]).toEqual([200, [4, 16]]);
    const late = await host.api("POST", "orchestrators/events/waits?timeout=0.2", 1);
    expect(late.status).toBe(202);
    const failed = await host.api("POST", "orchestrators/fails/waited-failed?timeout=10", "x");
    expect([failed.status, await failed.json()]).toEqual([
      200,
      expect.objectContaining({ runtimeStatus: "Failed" }),
    ]);
  });

  test("refuses a body that is not JSON, and ids that no path can hold", async () => {
    const path = `${host.url}/runtime/webhooks/durabletask/orchestrators/sequence`;
    const sent = await fetch(`${path}?code=local-key`, { method: "POST", body: "{not json" });
    expect(sent.status).toBe(400);
    expect(await code("POST", "orchestrators/sequence/a%2Fb", 1)).toBe(404);
  });
});

test("the API is closed without its key", async () => {
  const url = `${host.url}/runtime/webhooks/durabletask/instances`;
  expect((await fetch(url)).status).toBe(401);
  expect((await fetch(`${url}?code=wrong`)).status).toBe(401);
  expect((await fetch(`${host.url}/durabletask/instances`)).status).toBe(401);
});

describe("status", () => {
  test("shows a waiting instance with its custom status, and where to ask again", async () => {
    await host.start("custom", "custom", { a: 1 });
    await expect.poll(async () => (await host.status("custom")).customStatus).toBe("waiting");
    const response = await host.api("GET", "instances/custom?showInput=false");
    expect(response.status).toBe(202);
    expect(response.headers.get("retry-after")).toBe("5");
    expect(response.headers.get("location")).toContain("/instances/custom?showInput=false");
    expect(await response.json()).toMatchObject({ input: null, output: null });
  });

  test("of an unknown instance is 404, of a failed one 500 where asked so", async () => {
    expect(await code("GET", "instances/nowhere")).toBe(404);
    await host.run("fails", "failed", "x");
    expect(await code("GET", "instances/failed")).toBe(200);
    expect(await code("GET", "instances/failed?returnInternalServerErrorOnFailure=true")).toBe(500);
  });
});

describe("lists", () => {
  interface Listed {
    readonly instanceId: string;
  }
  const page = async (
    query: string,
    token = "",
  ): Promise<{ ids: string[]; next: string | null }> => {
    const response = await host.api("GET", `instances?${query}`, undefined, {
      "x-ms-continuation-token": token,
    });
    const listed = (await response.json()) as Listed[];
    const next = response.headers.get("x-ms-continuation-token");
    return { ids: listed.map(({ instanceId }) => instanceId), next };
  };

  test("filter by prefix and status, and come in pages", async () => {
    for (const n of [1, 2, 3, 4, 5]) await host.run("sequence", `list-${n}`, n);
    await host.start("events", "list-open", 1);
    await host.until("list-open", ["Running"]);
    const first = await page("instanceIdPrefix=list-&top=4");
    expect(first.ids).toEqual(["list-1", "list-2", "list-3", "list-4"]);
    const second = await page("instanceIdPrefix=list-&top=4", first.next ?? "");
    expect(second).toEqual({ ids: ["list-5", "list-open"], next: null });
    expect((await page("instanceIdPrefix=list-&runtimeStatus=Running")).ids).toEqual(["list-open"]);
    expect((await page("instanceIdPrefix=list_")).ids).toEqual([]);
    expect((await page("instanceIdPrefix=list-", "nonsense")).ids).toEqual([]);
  });
});

describe("stopping", () => {
  test("terminate ends a waiting instance for good, with the reason", async () => {
    await host.start("events", "terminated", 1);
    expect(await code("POST", "instances/terminated/terminate?reason=enough")).toBe(202);
    expect(await host.until("terminated")).toMatchObject({
      runtimeStatus: "Terminated",
      output: "enough",
    });
    expect(await host.raise("terminated", 1)).toBe(410);
    expect(await code("POST", "instances/terminated/terminate")).toBe(410);
    expect(await code("POST", "instances/nowhere/terminate")).toBe(404);
  });

  test("suspend holds back everything until resume", async () => {
    await host.start("events", "suspended", 2);
    expect(await code("POST", "instances/suspended/suspend?reason=rest")).toBe(202);
    expect((await host.until("suspended", ["Suspended"])).output).toBe("rest");
    expect(await code("POST", "instances/suspended/suspend")).toBe(500);
    await host.raise("suspended", 1);
    await host.raise("suspended", 2);
    expect((await host.status("suspended")).runtimeStatus).toBe("Suspended");
    expect(await code("POST", "instances/suspended/resume")).toBe(202);
    expect((await host.until("suspended")).output).toEqual([1, 2]);
    expect(await code("POST", "instances/suspended/resume")).toBe(410);
  });

  test("terminate reaches a suspended instance, too", async () => {
    await host.start("events", "both", 1);
    await code("POST", "instances/both/suspend");
    await host.until("both", ["Suspended"]);
    await code("POST", "instances/both/terminate?reason=end");
    expect((await host.until("both")).runtimeStatus).toBe("Terminated");
  });
});

describe("purging", () => {
  test("removes one ended instance, and no running one", async () => {
    await host.run("sequence", "purged", 1);
    expect(await (await host.api("DELETE", "instances/purged")).json()).toEqual({
      instancesDeleted: 1,
    });
    expect(await code("GET", "instances/purged")).toBe(404);
    expect(await code("DELETE", "instances/purged")).toBe(404);
    await host.start("events", "kept", 1);
    expect(await code("DELETE", "instances/kept")).toBe(412);
  });

  test("by filter leaves running instances alone, even when asked for them", async () => {
    const from = new Date(Date.now() - 3_600_000).toISOString();
    await host.start("events", "purge-open", 1);
    await host.until("purge-open", ["Running"]);
    const path = `instances?createdTimeFrom=${from}&runtimeStatus=`;
    expect(await code("DELETE", `${path}Running`)).toBe(404);
    await host.run("fails", "purge-failed", "x");
    expect(await code("DELETE", `${path}Failed`)).toBe(200);
    expect(await code("GET", "instances/purge-failed")).toBe(404);
    expect((await host.status("purge-open")).runtimeStatus).toBe("Running");
    expect(await code("DELETE", "instances")).toBe(400);
  });
});

describe("going back", () => {
  test("rewind tries only the failed step again", async () => {
    await host.run("failsOnce", "rewound");
    expect(await code("POST", "instances/rewound/rewind?reason=again")).toBe(202);
    expect((await host.until("rewound", ["Completed"])).output).toEqual(["before", 2]);
    expect(await code("POST", "instances/rewound/rewind")).toBe(412);
    expect(await code("POST", "instances/nowhere/rewind")).toBe(404);
  });

  test("rewind takes failed children along, and a whole series of failed attempts", async () => {
    await host.run("parentOfFailsOnce", "rewound-parent");
    await code("POST", "instances/rewound-parent/rewind");
    const { output } = await host.until("rewound-parent", ["Completed"]);
    expect(output).toEqual({ child: ["before", 2] });
  });

  test("restart begins again under a new id or the same one", async () => {
    await host.run("sequence", "restarted", 2);
    const fresh = await host.api("POST", "instances/restarted/restart");
    const { id } = (await fresh.json()) as { id: string };
    expect(id).not.toBe("restarted");
    expect((await host.until(id)).output).toEqual([4, 16]);
    const path = "instances/restarted/restart?restartWithNewInstanceId=false";
    expect(await code("POST", path)).toBe(202);
    expect((await host.until("restarted")).output).toEqual([4, 16]);
    expect(await code("POST", "instances/nowhere/restart")).toBe(400);
  });
});

describe("the library's client", () => {
  test("starts, looks, raises and purges", async () => {
    const started = await host.client("start", { name: "events", instanceId: "lib", input: 1 });
    expect(started.result).toBe("lib");
    await host.client("raise", { id: "lib", event: "go", data: { x: 1 } });
    await host.until("lib");
    const { result } = await host.client("status", { id: "lib", showHistory: true });
    expect(result).toMatchObject({ runtimeStatus: "Completed", output: [{ x: 1 }] });
    expect((result as { history: unknown[] }).history).toHaveLength(3);
    const purged = await host.client("purge", { id: "lib" });
    expect(purged.result).toEqual({ instancesDeleted: 1 });
    const gone = await host.client("status", { id: "lib" });
    expect(gone.error).toContain("404");
  });

  test("suspends, resumes and terminates; on an ended instance it stays silent", async () => {
    await host.start("events", "lib-stop", 1);
    await host.client("suspend", { id: "lib-stop", reason: "a reason" });
    expect((await host.until("lib-stop", ["Suspended"])).output).toBe("a reason");
    await host.client("resume", { id: "lib-stop", reason: "b" });
    await host.until("lib-stop", ["Running"]);
    await host.client("terminate", { id: "lib-stop", reason: "c" });
    expect((await host.until("lib-stop")).output).toBe("c");
    expect(await host.client("terminate", { id: "lib-stop", reason: "d" })).toEqual({
      result: null,
    });
  });

  test("waits for completion, or answers with links", async () => {
    const wait = async (name: string, input: unknown, timeoutMs: number): Promise<Response> =>
      fetch(`${host.url}/api/startAndWait/${name}`, {
        method: "POST",
        body: JSON.stringify({ input, timeoutMs }),
      });
    const done = await wait("sequence", 3, 10_000);
    expect([done.status, await done.json()]).toEqual([200, [9, 81]]);
    const late = await wait("events", 1, 60);
    expect(late.status).toBe(202);
    const { statusQueryGetUri } = (await late.json()) as { statusQueryGetUri: string };
    expect((await fetch(statusQueryGetUri)).status).toBe(202);
  });
});

test("an event for a suspended instance shows at once, and is taken when that is resumed", async () => {
  await host.start("events", "resting", 1);
  await host.until("resting", ["Running"]);
  await host.api("POST", "instances/resting/suspend?reason=rest");
  await host.until("resting", ["Suspended"]);
  expect(await host.raise("resting", "meanwhile")).toBe(202);
  const { runtimeStatus, historyEvents } = await host.status("resting", "showHistory=true");
  expect(runtimeStatus).toBe("Suspended");
  expect(historyEvents?.at(-1)).toMatchObject({
    EventType: "EventRaised",
    Name: "go",
    Input: '"meanwhile"',
  });
  await host.api("POST", "instances/resting/resume?reason=on");
  expect((await host.until("resting")).output).toEqual(["meanwhile"]);
});

test("each life of an id tells in its history which one it is", async () => {
  for (const generation of [0, 1, 2]) {
    await host.run("sequence", "lives", 2);
    const { historyEvents } = await host.status("lives", "showHistory=true");
    expect(historyEvents?.[0]).toMatchObject({ Generation: generation });
  }
});

test.each([
  [
    "plain",
    400,
    "Unexpected character encountered while parsing value: p. Path '', line 0, position 0.",
  ],
  ['{"a":', 500, "Unexpected end when deserializing object. Path 'a', line 1, position 5."],
  [
    '{"a": [1,\n x]}',
    400,
    "Unexpected character encountered while parsing value: x. Path 'a[1]', line 2, position 1.",
  ],
])(
  "a start with the body %j is refused with the place of the fault",
  async (body, status, text) => {
    const path = `${host.url}/runtime/webhooks/durabletask/orchestrators/sequence`;
    const sent = await fetch(`${path}?code=local-key`, { method: "POST", body });
    expect([sent.status, await sent.json()]).toEqual([
      status,
      expect.objectContaining({ ExceptionMessage: text }),
    ]);
  },
);

test("what nests deeper than any stack is kept, and breaks no answer and no list", async () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const send = async (path: string): Promise<number> =>
    (
      await fetch(`${host.url}/runtime/webhooks/durabletask/${path}?code=local-key`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: deep,
      })
    ).status;
  expect(await send("orchestrators/sequence/deep-input")).toBe(202);
  await host.start("events", "deep-event", 2);
  expect(await send("instances/deep-event/raiseEvent/go")).toBe(202);
  await host.raise("deep-event", "after");
  await host.until("deep-input");
  // Its code returns the event, and a value so deep can be read, but not be written again.
  expect((await host.until("deep-event")).output).toContain("Maximum call stack size exceeded");
  const shown = await host.api("GET", "instances/deep-input");
  expect(await shown.text()).toContain(`"input":${deep},`);
  for (const path of [
    "instances",
    "instances/deep-input?showHistory=true&showHistoryOutput=true",
    "instances/deep-event?showHistory=true&showHistoryOutput=true",
  ]) {
    const answer = await host.api("GET", path);
    expect([answer.status, typeof (await answer.json())]).toEqual([200, "object"]);
  }
});

test("an activity that throws what has no text form fails, and nothing else does", async () => {
  const { runtimeStatus, output } = await host.run("throwsShapeless", "shapeless");
  expect([runtimeStatus, output]).toEqual([
    "Failed",
    expect.stringContaining("a value that has no text form"),
  ]);
  expect((await host.run("sequence", "after-shapeless", 2)).output).toEqual([4, 16]);
});
