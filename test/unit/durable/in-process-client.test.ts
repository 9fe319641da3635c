/** The durable client reads the same answers whether its host gives them in memory or by the port. */
import { InvocationContext } from "@azure/functions";
import * as df from "durable-functions";
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { clientBinding } from "../../../local/durable/api/client-binding.js";
import { empty, json, type HttpAnswer, type HttpCall } from "../../../local/durable/api/answer.js";
import { answerInProcess } from "../../../local/host/app/in-process-client.js";

const running = {
  name: "flow",
  instanceId: "città 1",
  runtimeStatus: "Running",
  createdTime: "2026-01-01T00:00:00Z",
  lastUpdatedTime: "2026-01-01T00:00:00Z",
  output: null,
  input: "é",
};

const answers: readonly [RegExp, HttpAnswer][] = [
  [/\/instances\/absent$/, empty(404)],
  [/\/instances\/broken$/, json(500, { Message: "It broke." })],
  [/\/instances\/ended\/raiseEvent/, json(410, { Message: "It has ended." })],
  [/\/raiseEvent\//, empty(202)],
  [/\/orchestrators\//, json(202, { id: "new" })],
  [/./, json(200, running, { Location: "http://elsewhere/" })],
];

/** What the host has been asked: method, path, body and type of body. */
let asked: string[] = [];
let byPort = 0;

const answer = async ({ method, url, headers, body }: HttpCall): Promise<HttpAnswer> => {
  asked.push([method, url.pathname, body.toString(), headers["content-type"]].join(" "));
  return answers.find(([path]) => path.test(url.pathname))?.[1] ?? empty(404);
};

let server: Server;
let origin: string;

beforeAll(async () => {
  server = createServer((req, res) => {
    byPort += 1;
    const chunks: Buffer[] = [];
    req.on("data", (chunk: Buffer) => chunks.push(chunk));
    req.on("end", () => {
      const headers = { "content-type": req.headers["content-type"] ?? "" };
      const url = new URL(req.url ?? "/", origin);
      void answer({ method: req.method ?? "", url, headers, body: Buffer.concat(chunks) }).then(
        (given) => res.writeHead(given.status, given.headers).end(given.body),
      );
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  asked = [];
  byPort = 0;
});

const client = () => {
  const input = df.input.durableClient();
  const context = new InvocationContext({ options: { extraInputs: [input] } });
  const addresses = { baseUrl: origin, hub: "hub", key: "key", rpcPath: "/durabletask/x/" };
  context.extraInputs.set(input, JSON.parse(clientBinding(addresses)));
  return df.getClient(context);
};

/** Everything that the app's flows do, each with what came of it: a value or the error's text. */
const conversation = async (): Promise<unknown[]> => {
  const calls: (() => Promise<unknown>)[] = [
    () => client().getStatus("città 1"),
    () => client().getStatus("absent"),
    () => client().getStatus("broken"),
    () => client().startNew("flow", { instanceId: "new", input: { text: "ü", n: 1 } }),
    () => client().startNew("flow", { instanceId: "new" }),
    () => client().raiseEvent("città 1", "event", { of: ["ü"] }),
    () => client().raiseEvent("città 1", "event", null),
    () => client().raiseEvent("ended", "event", "text"),
  ];
  const came: unknown[] = [];
  for (const call of calls) came.push(await call().catch((error: unknown) => String(error)));
  return came;
};

test("asks the same and reads the same, without a connection", async () => {
  const portCame = await conversation();
  const [portAsked, connections] = [asked, byPort];
  expect(connections).toBe(portAsked.length);
  asked = [];
  byPort = 0;
  const leave = answerInProcess(resolve("."), origin, answer);
  expect(await conversation()).toEqual(portCame);
  expect(asked).toEqual(portAsked);
  expect(byPort).toBe(0);

  leave();
  await client().getStatus("city");
  expect(byPort).toBe(1);
});

test("leaves to the port what the host does not answer in memory", async () => {
  const leave = answerInProcess(resolve("."), origin, async () => null);
  expect(await client().getStatus("city")).toMatchObject({ runtimeStatus: "Running" });
  expect(byPort).toBe(1);
  leave();
});
