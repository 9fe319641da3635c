/** Lets requests of every kind loose on a whole platform, and sees what it answers and what it is like after. */
import { once } from "node:events";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { expect } from "vitest";
import { z } from "zod";
import { fullPath } from "../../../shared/http/paths.js";
import {
  callerOf,
  clientOf,
  headersOf,
  openStackDatabase,
  send,
  type Answer,
} from "../platform/api.js";
import { readOpenApi, type Misfits } from "../platform/openapi-check.js";
import { seededBelow } from "../platform/seeded-random.js";
import { startTestStack, type TestStack } from "../platform/stack.js";
import { fuzzOperations, type FuzzOperation } from "./operations.js";
import { exchange, rawFaults, spoiltBytes } from "./raw-bytes.js";
import { Requests, type FuzzRequest } from "./requests.js";
import { Known, pick, Values, type Chance } from "./values.js";

const clients = 6;
const rawClients = 3;
/** No answer takes as long, on the busiest machine. */
const hangMs = 30_000;
/** The heap may be so much larger after a run than after its first third: flows and wallets stay. */
const growthMax = 48 * 1024 * 1024;

/** What no answer holds that refuses. */
const inside =
  /\bat \S+ \(|node_modules|\.js:\d+|borsello\.\w|sqlstate|duplicate key|violates \w+ constraint/i;

interface Findings {
  readonly faults: string[];
  readonly succeeded: Set<string>;
  requests: number;
  connections: number;
  unavailable: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: clients });

const ask = async (port: number, request: FuzzRequest): Promise<Answer> => {
  const { method, path, headers, body } = request;
  const outgoing = httpRequest({
    ...{ host: "127.0.0.1", port, agent, method, path },
    // Node sends none by itself with the body of a GET, which then counts as a request of its own.
    headers: body === undefined ? headers : { ...headers, "content-length": body.length },
    signal: AbortSignal.timeout(hangMs),
  });
  outgoing.end(body);
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  const said = await text(answer);
  const received = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) received.set(name, String(value));
  const isJson = received.get("content-type")?.startsWith("application/json") === true;
  const status = answer.statusCode ?? 0;
  return { status, headers: received, body: isJson && said !== "" ? JSON.parse(said) : said };
};

/** A failure names the request, so that it can be made again. */
const shown = ({ method, path, headers, body }: FuzzRequest): string => {
  const { authorization = "", ...others } = headers;
  const rest = { ...others, authorization: authorization.slice(0, 20) };
  return `${method} ${path.slice(0, 300)} ${JSON.stringify(rest).slice(0, 600)} ${(body ?? "").toString().slice(0, 800)}`;
};

const credentials = async (stack: TestStack) => {
  const tokens = {
    acme: await clientOf(stack, "acme").token(),
    platform: await clientOf(stack, "platform").token(),
  };
  return {
    headersFor: ({ route }: FuzzOperation) => headersOf(route, tokens[callerOf(route)]),
    basePath: ({ route }: FuzzOperation) => `/${fullPath(route)}`,
  };
};

/** What a running platform holds: files, sockets, and memory after a collection. */
class Holdings {
  readonly #stack: TestStack;
  readonly #report: string;

  constructor(stack: TestStack, report: string) {
    this.#stack = stack;
    this.#report = report;
  }

  async heap(): Promise<number> {
    const Report = z.object({ count: z.int(), bytes: z.number() });
    const read = async () =>
      Report.safeParse(JSON.parse(await readFile(this.#report, "utf8").catch(() => "null"))).data;
    const { count = 0 } = (await read()) ?? {};
    process.kill(this.#stack.pid, "SIGUSR2");
    for (;;) {
      const report = await read();
      if (report !== undefined && report.count > count) return report.bytes;
      await sleep(20);
    }
  }

  /** Files and sockets, sessions of the database among them, where the operating system tells. */
  async files(): Promise<number> {
    return (await readdir(`/proc/${this.#stack.pid}/fd`).catch(() => [])).length;
  }
}

const attack = async (
  stack: TestStack,
  requests: Requests,
  operations: readonly FuzzOperation[],
  chance: Chance,
  {
    until,
    known,
    misfits,
    findings,
  }: {
    readonly until: number;
    readonly known: Known;
    readonly misfits: (request: FuzzRequest, answer: Answer) => string[];
    readonly findings: Findings;
  },
): Promise<void> => {
  const port = Number(new URL(stack.url).port);
  const genuine: Buffer[] = [];
  // Asked more often: whatever else is asked needs what these have made.
  const beginnings = operations.filter(({ route: { id } }) =>
    /^(?:create|initialise|send)/.test(id),
  );
  /** Each operation is asked once at least, soundly, however slow the machine is. */
  const goesOn = (): boolean =>
    findings.faults.length < 10 && (Date.now() < until || findings.requests < operations.length);
  const client = async (): Promise<void> => {
    while (goesOn()) {
      const turn = findings.requests;
      findings.requests += 1;
      const isFirst = turn < operations.length;
      const further = !isFirst && chance(4) === 0 ? pick(beginnings, chance) : undefined;
      const operation = further ?? operations[turn % operations.length];
      if (operation === undefined) return;
      const request = isFirst ? requests.sound(operation) : requests.any(operation);
      try {
        const answer = await ask(port, request);
        if (request.isDocumented && answer.status < 300) {
          findings.succeeded.add(operation.route.id);
          known.learn(answer.body);
        }
        if (answer.status === 503) findings.unavailable += 1;
        const faults = misfits(request, answer);
        if (faults.length > 0) findings.faults.push(`${faults.join(", ")} ← ${shown(request)}`);
      } catch (error) {
        findings.faults.push(`${String(error)} ← ${shown(request)}`);
      }
      if (genuine.length < 200) genuine.push(bytesOf(request));
    }
  };
  const rawClient = async (): Promise<void> => {
    while (Date.now() < until) {
      await sleep(1);
      if (genuine.length === 0) continue;
      const bytes = spoiltBytes(genuine, chance);
      findings.connections += 1;
      for (const fault of rawFaults(await exchange(port, bytes, chance)))
        findings.faults.push(
          `${fault} ← ${JSON.stringify(bytes.toString("latin1").slice(0, 1_000))}`,
        );
    }
  };
  await Promise.all([
    ...Array.from({ length: clients }, client),
    ...Array.from({ length: rawClients }, rawClient),
  ]);
};

const bytesOf = ({ method, path, headers, body }: FuzzRequest): Buffer => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = body === undefined ? "" : `content-length: ${body.length}\r\n`;
  const head = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${lines.join("")}${length}\r\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), body ?? Buffer.alloc(0)]);
};

/** Answers of the host itself, before any function is asked. */
const ofTheHost: readonly number[] = [400, 401, 404, 405, 408, 413, 414, 417, 431];

const judge =
  (documents: Readonly<Record<string, Misfits>>) =>
  (request: FuzzRequest, answer: Answer): string[] => {
    const { route } = request.operation;
    const misfits = documents[route.api];
    const { status, body } = answer;
    const told = typeof body === "string" ? body : JSON.stringify(body);
    if (status >= 500 && status !== 503) return [`${route.id}: ${status} ${told.slice(0, 500)}`];
    if (status >= 400 && inside.test(told)) return [`${route.id}: tells of the inside: ${told}`];
    if (misfits === undefined) return [];
    const isElsewhere = !request.isDocumented && (ofTheHost.includes(status) || status < 400);
    return isElsewhere || request.isElsewhere === true ? [] : misfits(route, answer);
  };

/** The same seed sends the same requests, as far as the answers are the same. */
export const fuzzPlatform = async (seed: number, durationMs: number): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), "borsello-fuzz-"));
  const report = join(folder, "heap.json");
  const preload = pathToFileURL(resolve("test/support/http-fuzz/heap-report.mjs")).href;
  const stack = await startTestStack({
    environment: { NODE_OPTIONS: `--import ${preload}`, HEAP_REPORT: report },
  });
  const database = openStackDatabase(stack);
  try {
    const operations = await fuzzOperations(stack);
    const wallet = await readOpenApi(stack, "wallet", false);
    const ticketing = await readOpenApi(stack, "ticketing", false);
    const chance = seededBelow(seed);
    const known = new Known();
    const requests = new Requests(chance, new Values(chance, known), await credentials(stack));
    const misfits = judge({ wallet, ticketing });
    const findings: Findings = {
      faults: [],
      succeeded: new Set(),
      requests: 0,
      connections: 0,
      unavailable: 0,
    };
    const holdings = new Holdings(stack, report);
    const attackFor = async (ms: number): Promise<void> =>
      attack(stack, requests, operations, chance, {
        ...{ known, misfits, findings },
        until: Date.now() + ms,
      });
    await attackFor(durationMs / 3);
    const [files, heap] = [await holdings.files(), await holdings.heap()];
    await attackFor((durationMs * 2) / 3);
    const told = `HTTP_FUZZ_SEED=${seed}, ${findings.requests} requests, ${findings.connections} connections`;
    expect(findings.faults, told).toEqual([]);
    expect((await send(stack, "/health")).status, told).toBe(200);
    expect(findings.requests, told).toBeGreaterThanOrEqual(operations.length);
    expect(findings.succeeded.size, told).toBeGreaterThan(15);
    expect(findings.unavailable, told).toBeLessThan(findings.requests / 100);
    expect((await holdings.heap()) - heap, told).toBeLessThan(growthMax);
    agent.destroy();
    await expect.poll(() => holdings.files(), { message: told }).toBeLessThanOrEqual(files);
    expect(stack.output(), told).not.toMatch(/Local\.Uncaught|"critical"/);
  } finally {
    await database.close();
    await stack.stop();
    await rm(folder, { recursive: true, force: true });
  }
};
