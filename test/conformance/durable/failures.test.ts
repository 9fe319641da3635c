/** What a failure leaves: structured details in history and code, a line in the log, nothing secret. */
import { once } from "node:events";
import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";
import {
  startDurableHost,
  type DurableHost,
  type LogEntry,
} from "../../support/durable/durable-host.js";

const app = { app: "failures" };
const setting = (name: string, value: string): Readonly<Record<string, string>> => ({
  [`AzureFunctionsJobHost__extensions__durableTask__${name}`]: value,
});

let database: TestDatabase;
let host: DurableHost;

beforeAll(async () => {
  database = await createDatabase();
  host = await startDurableHost(database.url, {}, app);
});
afterAll(async () => {
  await host.kill();
  await database.drop();
});

const declined = {
  ErrorType: "Declined",
  ErrorMessage: "over the limit",
  StackTrace: expect.stringContaining("failing.js") as unknown,
  IsNonRetriable: false,
  Properties: { limit: 50, tags: ["a", "b"] },
};
const declinedInCode = {
  errorType: "Declined",
  errorMessage: "over the limit",
  stackTrace: expect.stringContaining("failing.js") as unknown,
  isNonRetriable: false,
  properties: { limit: 50, tags: ["a", "b"] },
};

/** The events of one type in an instance's history. */
const events = async (id: string, type: string): Promise<object[]> => {
  const { historyEvents } = await host.status(id, "showHistory=true&showHistoryOutput=true");
  return (historyEvents ?? []).filter(({ EventType }) => EventType === type);
};

describe("by default", () => {
  test("an id that is in use is refused, whatever its instance waits for", async () => {
    await host.start("waits", "taken");
    expect((await host.api("POST", "orchestrators/waits/taken")).status).toBe(409);
    await host.api("POST", "instances/taken/suspend");
    await host.until("taken", ["Suspended"]);
    expect((await host.api("POST", "orchestrators/waits/taken")).status).toBe(409);
  });
});

describe("failure details", () => {
  test("of an activity reach code and history, with the properties of the app's provider", async () => {
    await host.start("catchesDeed", "declined", "declines");
    await host.raise("declined", null);
    expect((await host.until("declined")).output).toEqual({
      isTaskFailedError: true,
      message: "Declined: over the limit",
      taskName: "deed",
      taskId: 0,
      details: declinedInCode,
      isSocketError: false,
    });
    expect(await events("declined", "TaskFailed")).toMatchObject([
      {
        Reason: "Activity function 'deed' failed:  over the limit",
        FailureDetails: declined,
        FunctionName: "deed",
      },
    ]);
  });

  test("outlive the host", async () => {
    await host.start("catchesDeed", "moved", "declines");
    await expect.poll(async () => (await events("moved", "TaskFailed")).length).toBe(1);
    await host.kill();
    const settings = {
      ...setting("extendedSessionsEnabled", "false"),
      ...setting("overridableExistingInstanceStates", "AnyState"),
    };
    host = await startDurableHost(database.url, settings, app);
    await host.raise("moved", null);
    expect((await host.until("moved")).output).toMatchObject({ details: declinedInCode });
  });

  test("hold what the failure was caused by", async () => {
    await host.start("catchesDeed", "caused", "causes");
    await host.raise("caused", null);
    expect((await host.until("caused")).output).toMatchObject({
      isSocketError: true,
      details: {
        errorType: "Outage",
        innerFailure: { errorType: "SocketError", errorMessage: "reset", isNonRetriable: true },
      },
    });
    const inner = { ErrorType: "SocketError", ErrorMessage: "reset", IsNonRetriable: true };
    expect(await events("caused", "TaskFailed")).toMatchObject([
      { FailureDetails: { ErrorType: "Outage", ErrorMessage: "no bank", InnerFailure: inner } },
    ]);
  });

  test("go from a child to its parent, and stand at the end of the child", async () => {
    await host.start("childFails", "parent", "declines");
    expect((await host.until("parent")).output).toMatchObject({
      isTaskFailedError: true,
      taskName: "deedFails",
      details: declinedInCode,
    });
    expect(await events("parent", "SubOrchestrationInstanceFailed")).toMatchObject([
      { FailureDetails: declined },
    ]);
    await host.run("deedFails", "deedFails", "declines");
    const [end] = await events("deedFails", "ExecutionCompleted");
    expect(end).toMatchObject({ OrchestrationStatus: "Failed", FailureDetails: declined });
  });

  test("come with the last of several attempts", async () => {
    await host.start("retriesDeed", "retried", "declines");
    expect((await host.until("retried")).output).toMatchObject({ details: declinedInCode });
  });

  test("are none where the provider has no properties: errors are as they ever were", async () => {
    await host.start("catchesDeed", "plain", "throws");
    await host.raise("plain", null);
    const { output } = await host.until("plain");
    expect(output).toMatchObject({ isTaskFailedError: false });
    expect(output).not.toHaveProperty("details");
    expect(await events("plain", "TaskFailed")).toMatchObject([{ FailureDetails: null }]);
  });
});

describe("the log", () => {
  /** Lines of a function that name the instance. */
  const linesOf = async (name: string, id: string, count: number): Promise<LogEntry[]> => {
    const lines = (): LogEntry[] =>
      host.logged(`Function.${name}`).filter(({ message }) => message.includes(`'${id}'`));
    await expect.poll(() => lines().length).toBeGreaterThanOrEqual(count);
    return lines();
  };

  test("has a line for each failed attempt and for each further one", async () => {
    await host.run("retriesDeed", "logged", "throws");
    const failed = (attempt: number): object => ({
      level: "error",
      message: `The activity 'deed' of 'logged' failed, attempt ${attempt}: RangeError: out of range`,
    });
    const again = (attempt: number): object => ({
      level: "warning",
      message: `'deed' is tried again for 'logged', attempt ${attempt}.`,
    });
    expect(await linesOf("deed", "logged", 5)).toMatchObject([
      failed(1),
      again(2),
      failed(2),
      again(3),
      failed(3),
    ]);
  });

  test("names a failed orchestration and its error, without the exception's whole text", async () => {
    await host.run("retriesChild", "children");
    const [line, ...others] = await linesOf("retriesChild", "children", 1);
    expect(others).toEqual([]);
    expect(line).toMatchObject({
      level: "error",
      message:
        "The orchestration 'retriesChild' with the id 'children' failed: " +
        "Error: Orchestrator function 'deedFails' failed: Activity function 'deed' failed:  out of range",
    });
    const [again] = await linesOf("deedFails", "children", 1);
    expect(again?.message).toBe("'deedFails' is tried again for 'children', attempt 2.");
  });

  test("names operations of entities that failed, called and signalled", async () => {
    const { output } = await host.run("operates", "desk", ["throw", "spill", "word", "json"]);
    expect(output).toEqual(["[object Object]", "[object Object]", "bare words", '"own form"']);
    await host.api("POST", "entities/drawer/desk?op=throw", {});
    const lines = await linesOf("drawer", "@drawer@desk", 4);
    const failed = (operation: string, error: string): string =>
      `The operation '${operation}' of '@drawer@desk' failed: ${error}`;
    expect(lines.map(({ message }) => message)).toEqual([
      failed("throw", "TypeError: stuck"),
      failed("spill", "Error"),
      failed("word", "bare words"),
      failed("throw", "TypeError: stuck"),
    ]);
    const state = await host.api("GET", "entities/drawer/desk");
    expect(await state.json()).toEqual({ text: "[{}]" });
  });

  test("says why an HTTP request failed, and hides what its address and headers hold", async () => {
    const server = createServer((request) => request.socket.destroy()).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const url = (path: string): string => `http://127.0.0.1:${port}${path}`;
    const call = async (id: string, request: object): Promise<unknown> =>
      (await host.run("calls", id, { method: "GET", ...request })).output;
    const reset = await call("reset", { url: url("/a/secret?code=hush") });
    expect(reset).toContain(`The HTTP request GET ${url("")} failed: other side closed`);
    server.close();
    const refused = await call("refused", { url: url("/a/secret") });
    expect(refused).toContain("failed: connect ECONNREFUSED 127.0.0.1");
    const odd = { url: url("/"), headers: { authorization: "Bearer hush\nx" } };
    expect(await call("odd", odd)).toContain("header 'authorization' is none that HTTP allows");
    const [line] = await linesOf("BuiltIn::HttpActivity", "refused", 1);
    expect(line?.message).toContain("connect ECONNREFUSED");
    const all = host.logged("Function.BuiltIn::HttpActivity").concat(host.logged("Function.calls"));
    expect(JSON.stringify(all)).not.toMatch(/secret|hush/u);
  });

  test("holds no token, PIN, card number or password of an error's message", async () => {
    await host.run("deedFails", "spilt", "spills");
    const lines = [
      ...(await linesOf("deed", "spilt", 1)),
      ...(await linesOf("deedFails", "spilt", 1)),
    ];
    expect(lines).toHaveLength(2);
    for (const { message } of lines) {
      expect(message).toContain("refused: Bearer …, pin=…, card …1111, https://me:…@bank/?code=…");
      expect(message).not.toMatch(/abc|1234|4111|hush|k1/u);
    }
  });
});

describe("an id that is in use", () => {
  test("is taken over where host.json says AnyState, and the parent of the former hears of it", async () => {
    await host.start("waits", "single", "first");
    await host.start("parentOfWaits", "parentOfTaken", "child");
    await expect.poll(async () => (await host.status("child")).runtimeStatus).toBe("Running");
    await host.start("waits", "single", "second");
    expect(await host.status("single")).toMatchObject({ input: "second" });
    await host.api("POST", "instances/single/suspend");
    await host.until("single", ["Suspended"]);
    // Two at once: each is accepted, and one is left.
    await Promise.all([1, 2, 3].map(async (n) => host.start("waits", "single", n)));
    await host.until("single", ["Pending", "Running"]);
    await host.raise("single", "done");
    expect(await host.until("single")).toMatchObject({
      runtimeStatus: "Completed",
      output: "done",
    });
    await host.start("waits", "child");
    expect((await host.until("parentOfTaken")).output).toContain("Another orchestration");
    await host.raise("child", 7);
    expect((await host.until("child")).output).toBe(7);
  });
});
