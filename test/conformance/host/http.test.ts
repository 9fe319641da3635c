/** How the local host serves HTTP, asked with plain requests against apps of its own. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startAppHost, type AppHost } from "../../support/platform/app-host.js";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

const json = async (answer: Response): Promise<unknown> => answer.json();

/** Sends a body in pieces, without saying how long it will be. */
const sendChunked = (url: string, pieces: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const request = httpRequest(url, { method: "POST" }, (answer) => {
      let text = "";
      answer.on("data", (chunk: Buffer) => (text += chunk.toString()));
      answer.on("end", () => resolve(text));
    });
    request.on("error", reject);
    for (const piece of pieces) request.write(piece);
    request.end();
  });

const onlyStreamed = "the host has read the whole body before the function runs";

describe.each([
  { mode: "buffered", streaming: false },
  { mode: "streaming", streaming: true },
])("$mode", ({ streaming }) => {
  let host: AppHost;
  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${host.url}${path}`, { headers });
  /** Headers that `fetch` would not send. */
  const statusOf = async (call: string, headers: Record<string, string>): Promise<number> => {
    const [method = "", path = ""] = call.split(" ");
    const sent = httpRequest(`${host.url}${path}`, { method, headers });
    const answered = once(sent, "response") as Promise<[IncomingMessage]>;
    sent.end();
    const [answer] = await answered;
    answer.resume();
    return answer.statusCode ?? 0;
  };
  const post = (path: string, body: string | Uint8Array<ArrayBuffer>): Promise<Response> =>
    fetch(`${host.url}${path}`, { method: "POST", body });

  beforeAll(async () => {
    const settings = { STREAMING: streaming ? "yes" : "no" };
    host = await startAppHost("http", { databaseUrl: database.url, settings });
  });
  afterAll(() => host.stop());

  test("the function whose name comes first wins, not the more exact route", async () => {
    expect(await json(await get("/shelf/3/top"))).toMatchObject({ name: "aShelfAny" });
  });

  test("names are compared in upper case, where _ comes after the letters", async () => {
    expect(await json(await get("/tie/x"))).toMatchObject({ name: "tieSecond" });
  });

  test.each([
    ["/number/7", { n: "7" }],
    ["/NUMBER/7/", { n: "7" }],
    ["/sized/abc", { word: "abc" }],
    ["/pattern/AB7", { code: "AB7" }],
    ["/maybe/1", { first: "1" }],
    ["/maybe/1/2", { first: "1", second: "2" }],
    ["/filled", { colour: "grey" }],
    ["/filled/red", { colour: "red" }],
    ["/rest/a/b/", { tail: "a/b/" }],
    ["/rest", {}],
    ["/named/a.b.c", { stem: "a.b", ending: "c" }],
    ["/shelf/a%20%C4%8D%2Fb/x", { row: "a č%2Fb", place: "x" }],
  ])("%s gives the parameters %o", async (path, params) => {
    expect(await json(await get(path))).toMatchObject({ params });
  });

  test.each(["/number/501", "/number/x", "/sized/a", "/pattern/ab", "/maybe", "/named/a", "/none"])(
    "%s fits no route and is 404 without a body",
    async (path) => {
      const answer = await get(path);
      expect([answer.status, await answer.text()]).toEqual([404, ""]);
    },
  );

  test("a method that is not listed is 404, a route of the host's own is not served", async () => {
    expect((await post("/number/7", "")).status).toBe(404);
    expect((await get("/administration/x")).status).toBe(404);
    expect((await get("/switched-off")).status).toBe(404);
  });

  test("keys open what their level says", async () => {
    const statuses = async (path: string): Promise<number[]> => [
      (await get(path)).status,
      (await get(`${path}?code=local-function-key`)).status,
      (await get(path, { "x-functions-key": "local-master-key" })).status,
    ];
    expect(await statuses("/keyed")).toEqual([401, 200, 200]);
    expect(await statuses("/master-keyed")).toEqual([401, 401, 200]);
    expect(await statuses("/admin/host/status")).toEqual([401, 401, 200]);
  });

  test("the query is melted together without streaming and kept apart with it", async () => {
    const { query } = (await json(await get("/rest?a=1&A=2"))) as { query: unknown };
    expect(query).toEqual(
      streaming
        ? [
            ["a", "1"],
            ["A", "2"],
          ]
        : [["a", "1,2"]],
    );
  });

  test("settings reach the app as its environment, with the host's own address", async () => {
    const { host: address } = new URL(host.url);
    expect(await json(await get("/settings"))).toEqual({ colour: "from the file", host: address });
  });

  test("a large body arrives whole, all at once or piece by piece", async () => {
    const bytes = Buffer.alloc(20 * 1024 * 1024, "0123456789");
    const digest = createHash("sha256").update(bytes).digest("hex");
    expect(await json(await post("/digest", bytes))).toEqual({ length: bytes.length, digest });
    expect(await json(await post("/pieces", bytes))).toEqual({ length: bytes.length });
  });

  test("a body of unknown length arrives with streaming and is dropped without it", async () => {
    const text = await sendChunked(`${host.url}/pieces`, ["one, ", "two"]);
    expect(JSON.parse(text)).toEqual({ length: streaming ? 8 : 0 });
  });

  test("a body read in part keeps neither its answer nor the next one", async ({ skip }) => {
    skip(!streaming, onlyStreamed);
    const { port, hostname } = new URL(host.url);
    const socket = connect(Number(port), hostname);
    const body = Buffer.alloc(20 * 1024 * 1024);
    const head = `POST /beginning HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`;
    let answers = "";
    socket.on("data", (data: Buffer) => (answers += data.toString()));
    const beginnings = (): number[] =>
      [...answers.matchAll(/"length":(\d+)/g)].map(([, length]) => Number(length));
    for (let request = 1; request <= 2; request += 1) {
      socket.write(head);
      socket.write(body);
      await expect.poll(beginnings).toHaveLength(request);
    }
    // What nobody has asked for is still with the client.
    for (const length of beginnings()) expect(length).toBeLessThan(1024 * 1024);
    socket.destroy();
  });

  test("a request can be copied before it is read", async () => {
    expect(await json(await post("/copies", "text"))).toEqual(["text", "text"]);
  });

  test("a body above 100 MB is refused before it is sent", async () => {
    const { port, hostname } = new URL(host.url);
    const socket = connect(Number(port), hostname);
    socket.write(`POST /digest HTTP/1.1\r\nHost: x\r\nContent-Length: ${2 ** 30}\r\n\r\n`);
    const first = await new Promise<string>((resolve) =>
      socket.once("data", (data: Buffer) => resolve(data.toString())),
    );
    expect(first).toMatch(/^HTTP\/1\.1 500 /);
    socket.destroy();
  });

  test("a large answer arrives whole, from a generator", async () => {
    const bytes = Buffer.from(await (await get("/large")).arrayBuffer());
    expect([bytes.length, bytes[0], bytes.at(-1)]).toEqual([64 * 256 * 1024, 0, 63]);
  });

  test("a throw is 500 with an empty body, and is logged", async () => {
    const answer = await get("/throws");
    expect([answer.status, await answer.text()]).toEqual([500, ""]);
    await expect.poll(() => host.log.some((line) => line.includes("on purpose"))).toBe(true);
  });

  test("what nobody caught is logged, and ends neither the process nor another call", async () => {
    const heard = (word: string): boolean =>
      host.log.some((line) => line.includes(`${word} that nobody hears`));
    const other = get("/slow");
    expect((await get("/forgets")).status).toBe(202);
    await expect.poll(() => heard("a rejection") && heard("an error")).toBe(true);
    expect(await (await other).text()).toBe("finished");
  });

  test("nothing returned is 204 without streaming; with it the host answers 500", async () => {
    expect((await get("/nothing")).status).toBe(streaming ? 500 : 204);
  });

  test("an answer that breaks off is never taken for a whole one", async () => {
    const answer = get("/breaks").then(async (begun) => [begun.status, await begun.text()]);
    if (streaming) await expect(answer).rejects.toThrow();
    else expect(await answer).toEqual([500, ""]);
  });

  test("a function that runs too long is answered 500 and named in the log", async () => {
    expect((await get("/hangs")).status).toBe(500);
    const named = (line: string): boolean => line.includes("hangs ran longer than 2 s");
    await expect.poll(() => host.log.some(named)).toBe(true);
  });

  test("the context tells the function, its trigger and the caller's trace", async () => {
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    expect(await json(await get("/context", { traceparent }))).toMatchObject({
      functionName: "context",
      trace: { traceParent: traceparent },
      trigger: { type: "httpTrigger", authLevel: "anonymous", methods: ["POST", "GET"] },
      answers: { type: "http", direction: "out" },
    });
  });

  test("what a function logs is one line of JSON, if host.json asks for its level", async () => {
    await get("/talks");
    const said = (): string | undefined => host.log.find((line) => line.includes("quiet word"));
    await expect.poll(said).toBeDefined();
    expect(JSON.parse(said() ?? "")).toMatchObject({
      level: "debug",
      category: "Function.talks.User",
      message: "a quiet word { with: 'data' }",
    });
  });

  test("a client that goes away stops the body it was reading", async ({ skip }) => {
    skip(!streaming, onlyStreamed);
    const abort = new AbortController();
    const answer = await fetch(`${host.url}/endless`, { signal: abort.signal });
    const reader = answer.body?.getReader();
    await reader?.read();
    abort.abort();
    await expect.poll(async () => json(await get("/endlessStopped"))).toBe(true);
  });

  test.each([
    ["a page of another origin", { origin: "http://pages.example" }],
    ["a page without an origin", { origin: "null" }],
    ["a page's own elements", { "sec-fetch-site": "cross-site" }],
    ["a page of another port", { "sec-fetch-site": "same-site" }],
    ["a page under a name that was pointed here", { host: "pages.example" }],
    ["a page under a name that only begins as ours", { host: "127.0.0.1.pages.example" }],
  ])("management calls of %s are refused, whatever key they bring", async (_what, headers) => {
    const managing = [
      "POST /admin/host/clock",
      "GET /admin/host/ping",
      "GET /admin/host/status?code=local-master-key",
      "POST /admin/functions/any?code=local-master-key",
      "GET /runtime/webhooks/durabletask/instances?code=local-key",
    ];
    for (const call of managing) expect([call, await statusOf(call, headers)]).toEqual([call, 403]);
    // What the app answers is the app's matter.
    expect(await statusOf("GET /rest/a", headers)).toBe(200);
  });

  test.each([
    ["a program", {}],
    ["whoever types the address", { "sec-fetch-site": "none" }],
    ["a program that knows the machine by a name", { host: "localhost:1" }],
    ["a program that knows the machine by IPv6", { host: "[::1]:1" }],
  ])("management calls of %s are answered", async (_what, headers) => {
    const call = "GET /admin/host/status?code=local-master-key";
    expect(await statusOf(call, headers)).toBe(200);
  });

  test("moving the clock answers the time and how many flows moved", async () => {
    const answer = await fetch(`${host.url}/admin/host/clock`, { method: "POST" });
    const moved = (await json(answer)) as { now: string; flowsRun: number };
    expect(moved.flowsRun).toBe(0);
    expect(Math.abs(Date.parse(moved.now) - Date.now())).toBeLessThan(60_000);
  });
});

test("a stopping host finishes the request that runs and takes no other", async () => {
  const host = await startAppHost("http", { databaseUrl: database.url });
  const running = fetch(`${host.url}/slow`);
  const begun = async () => (await fetch(`${host.url}/slowBegun`)).json();
  await expect.poll(begun).toBe(true);
  const stopped = host.stop();
  expect(await (await running).text()).toBe("finished");
  expect(await stopped).toBe(0);
  await expect(fetch(`${host.url}/slow`)).rejects.toThrow();
});

describe("hooks", () => {
  let host: AppHost;
  const text = async (path: string): Promise<string> =>
    (await fetch(`${host.url}/api/${path}`)).text();

  beforeAll(async () => {
    host = await startAppHost("hooks", { databaseUrl: database.url });
  });

  test("a hook can put another handler in place", async () => {
    expect(JSON.parse(await text("wrapped"))).toEqual({ inner: "inside" });
  });

  test("a hook that clears the error rescues the call", async () => {
    expect(await text("rescued")).toBe("rescued");
  });

  test("hooks of one invocation share their data, and run in order", async () => {
    await text("wrapped");
    const seen = JSON.parse(await text("seen")) as string[];
    expect(seen[0]).toBe("start");
    expect(seen.slice(1)).toContain("before wrapped");
  });

  test("a log hook edits what the app logs", async () => {
    await text("logs");
    await expect.poll(() => host.log.some((line) => line.includes("edited: a word"))).toBe(true);
  });

  test("nothing can be registered once the app is loaded", async () => {
    expect(await text("late")).toMatch(/only be registered during app startup/);
  });

  test("a terminating app is told", async () => {
    await host.stop();
    expect(host.log).toContain("terminated in order");
  });
});

test("an app whose file does not load is not served: one sentence names file and error", async () => {
  const start = startAppHost("broken", { databaseUrl: database.url });
  await expect(start).rejects.toThrow("wrong.js does not load: TypeError: nothing works here");
});

test("an app with one name twice, in whatever case, is not served", async () => {
  const settings = { TWICE: "yes" };
  const start = startAppHost("broken", { databaseUrl: database.url, settings });
  await expect(start).rejects.toThrow('The function name "GOOD" is registered more than once.');
});
