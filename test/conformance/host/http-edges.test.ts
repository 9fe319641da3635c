/** Requests that no client library would send, byte for byte: each gets its own answer. */
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startAppHost, type AppHost } from "../../support/platform/app-host.js";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";

let database: TestDatabase;
let host: AppHost;
beforeAll(async () => {
  database = await createDatabase();
  host = await startAppHost("http", {
    databaseUrl: database.url,
    settings: { STREAMING: "yes", FUNCTIONS_REQUEST_BODY_SIZE_LIMIT: "1000" },
  });
});
afterAll(async () => {
  await host.stop();
  await database.drop();
});

/** All that comes back until the host closes the connection. */
const send = async (...pieces: readonly string[]): Promise<string> => {
  const { port, hostname } = new URL(host.url);
  const socket = connect(Number(port), hostname);
  let answers = "";
  socket.on("data", (data: Buffer) => (answers += data.toString("latin1")));
  for (const piece of pieces) socket.write(Buffer.from(piece, "latin1"));
  await once(socket, "close");
  return answers;
};

const statuses = (answers: string): number[] =>
  [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

const request = (target: string, headers: string, method = "GET"): string =>
  `${method} ${target} HTTP/1.1\r\n${headers}\r\n`;
const last = "Host: x\r\nConnection: close\r\n";

test.each(["[", "a b", "a:99999", "", "a/b", "a@b", "1.2.3.4.5", "a\r\nHost: b", "a\r\nHost: a"])(
  "the host %j is refused with 400",
  async (name) => {
    const headers = `Host: ${name}\r\nConnection: close\r\n`;
    expect(statuses(await send(request("/rest/a", headers)))).toEqual([400]);
    const durable = "/runtime/webhooks/durabletask/instances/x?code=local-key";
    expect(statuses(await send(request(durable, headers)))).toEqual([400]);
  },
);

test.each(["x", "x:80", "X.Example:7071", "127.0.0.1", "[::1]:7071", "caf\u00e9.example"])(
  "the host %j is served",
  async (name) => {
    const headers = `Host: ${name}\r\nConnection: close\r\n`;
    expect(statuses(await send(request("/rest/a", headers)))).toEqual([200]);
  },
);

test("a request of HTTP/1.0 needs no host", async () => {
  const answer = await send("GET /rest/a HTTP/1.0\r\n\r\n");
  expect(statuses(answer)).toEqual([200]);
  expect(answer).toContain('"url":"http://localhost/rest/a"');
});

describe("limits of the head", () => {
  test.each([
    ["a path of 9,000 characters", 414, request(`/rest/${"a".repeat(9_000)}`, last)],
    ["a path of 90,000 characters", 414, request(`/rest/${"a".repeat(90_000)}`, last)],
    ["a path of 8,000 characters", 200, request(`/rest/${"a".repeat(8_000)}`, last)],
    [
      "a header of 20,000 characters",
      200,
      request("/rest/a", `A: ${"a".repeat(20_000)}\r\n${last}`),
    ],
    [
      "a header of 33,000 characters",
      431,
      request("/rest/a", `A: ${"a".repeat(33_000)}\r\n${last}`),
    ],
    [
      "a header of 90,000 characters",
      431,
      request("/rest/a", `A: ${"a".repeat(90_000)}\r\n${last}`),
    ],
    ["90 headers", 200, request("/rest/a", "a: b\r\n".repeat(90) + last)],
    ["3,000 headers", 431, request("/rest/a", "a: b\r\n".repeat(3_000) + last)],
  ])("%s: %i", async (_what, status, text) => {
    expect(statuses(await send(text))).toEqual([status]);
  });
});

describe("what cannot be read", () => {
  const slow = request("/slow", "Host: x\r\n");

  test("behind a request it belongs to the next one, which is answered in its turn", async () => {
    const answers = await send(`${slow}\0\x01 garbage\r\n\r\n`);
    expect(statuses(answers)).toEqual([200, 400]);
    expect(answers.indexOf("finished")).toBeLessThan(answers.indexOf("HTTP/1.1 400"));
  });

  test("behind two requests it waits for both", async () => {
    expect(statuses(await send(slow, slow, "GARBAGE\r\n\r\n"))).toEqual([200, 200, 400]);
  });

  test("an unknown method behind a request is a route that does not exist", async () => {
    const unknown = request("/rest/a", "Host: x\r\n", "FETCH");
    expect(statuses(await send(`${slow}${unknown}`))).toEqual([200, 404]);
  });

  test("within a body it belongs to the request of that body", async () => {
    const chunked = request("/pieces", "Host: x\r\nTransfer-Encoding: chunked\r\n", "POST");
    expect(statuses(await send(`${slow}${chunked}3\r\nabc\r\nno length\r\n`))).toEqual([200, 400]);
  });
});

test("a header value beyond Latin-1 arrives byte by byte, one within it as text", async () => {
  // The bytes of "č" and of "é" in UTF-8.
  const headers = `A: \xc4\x8d\r\nB: \xc3\xa9\r\n${last}`;
  const answer = await send(request("/headers", headers));
  expect(statuses(answer)).toEqual([200]);
  const body = Buffer.from(answer.slice(answer.indexOf("{")), "latin1").toString("utf8");
  expect(JSON.parse(body)).toMatchObject({ a: "\xc4\x8d", b: "\xe9" });
});

test("an answer with a header value beyond Latin-1 is 500, and nothing of it is sent", async () => {
  const answer = await send(request("/abroad", last));
  expect(statuses(answer)).toEqual([500]);
  expect(answer).not.toContain("x-city");
});

test("FUNCTIONS_REQUEST_BODY_SIZE_LIMIT holds, for announced and for other bodies", async () => {
  const of = (bytes: number): string =>
    request("/digest", `Content-Length: ${bytes}\r\n${last}`, "POST") + "a".repeat(bytes);
  expect(statuses(await send(of(1_000)))).toEqual([200]);
  expect(statuses(await send(of(1_001)))).toEqual([500]);
  const chunked = request("/digest", `Transfer-Encoding: chunked\r\n${last}`, "POST");
  const body = `7d0\r\n${"a".repeat(2_000)}\r\n0\r\n\r\n`;
  expect(statuses(await send(`${chunked}${body}`))).toEqual([500]);
});

test("the host's own page and its administration are there where the app has no such route", async () => {
  expect(statuses(await send(request("/", last)))).toEqual([200]);
  const own = "Host: localhost\r\nConnection: close\r\n";
  expect(statuses(await send(request("/admin/x", own)))).toEqual([401]);
});
