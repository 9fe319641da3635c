/** Timer functions: due times, past due ones, jumps of the clock, retries, across restarts. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "pg";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { localClock, type LocalClock } from "../../../local/clock.js";
import type { FunctionMetadata } from "../../../local/host/app/core-types.js";
import {
  hostedFunction,
  type Call,
  type HostedFunction,
} from "../../../local/host/app/hosted-function.js";
import { HostLog } from "../../../local/host/app/log.js";
import { SoleHost } from "../../../local/host/timers/sole-host.js";
import { timerStatusStore } from "../../../local/host/timers/status.js";
import { TimerTriggers } from "../../../local/host/timers/triggers.js";
import { openPool } from "../../support/database/connections.js";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";

const hourMs = 3_600_000;
let database: TestDatabase;
let pool: Pool;
const running: TimerTriggers[] = [];

beforeAll(async () => {
  database = await createDatabase();
  pool = openPool(database.url);
});
const end = async (timers: TimerTriggers): Promise<void> => {
  timers.stop();
  await timers.release();
};
afterEach(async () => {
  for (const timers of running.splice(0)) await end(timers);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** A clock that a test moves forward by hand. */
const movableClock = (): LocalClock & { forward(ms: number): Promise<void> } => {
  let offsetMs = 0;
  const clock = localClock(async () => offsetMs);
  const forward = async (ms: number): Promise<void> => {
    offsetMs += ms;
    await clock.reload();
  };
  return { ...clock, forward };
};

const timerFunction = (
  name: string,
  schedule: string,
  more: Partial<FunctionMetadata> & { readonly trigger?: object } = {},
): HostedFunction => {
  const trigger = { type: "timerTrigger", direction: "in", schedule, ...more.trigger } as const;
  const metadata = { ...more, name, bindings: { timer: trigger } };
  const fn = hostedFunction({ metadata, callback: () => undefined });
  if (fn === undefined) throw new Error("a timer function was expected");
  return fn;
};

interface TimerInput {
  readonly IsPastDue: boolean;
  readonly ScheduleStatus: { readonly Last: string; readonly Next: string } | null;
}

/** Starts the timers of one app; what each call was given is kept. */
const start = async (
  app: string,
  clock: LocalClock,
  functions: readonly HostedFunction[],
  work: (call: Call) => Promise<void> = async () => undefined,
) => {
  const calls: { readonly name: string; readonly input: TimerInput }[] = [];
  const timers = new TimerTriggers(functions, {
    clock,
    settings: { HOURLY: "0 0 * * * *" },
    log: new HostLog(() => undefined, {}),
    sendOutputs: async () => undefined,
    status: () => timerStatusStore(pool, app),
    soleHost: new SoleHost(pool, app),
    invoker: {
      invoke: async (fn, call) => {
        const input = JSON.parse(call.trigger?.json ?? "null") as TimerInput;
        calls.push({ name: fn.name, input });
        await work(call);
        return { invocationId: "", result: undefined, respond: async () => ({ invocationId: "" }) };
      },
    },
  });
  running.push(timers);
  await timers.start();
  return { timers, calls, names: () => calls.map(({ name }) => name) };
};

test("a function whose schedule has no time left harms nothing, and is remembered so", async () => {
  const functions = () => [
    timerFunction("leap", "0 0 0 30 2 *", { trigger: { runOnStartup: true } }),
  ];
  for (const life of ["first", "second"]) {
    const { timers, calls } = await start("end of time", movableClock(), functions());
    await expect.poll(() => calls, { message: life }).toHaveLength(1);
    expect(calls[0]?.input.ScheduleStatus?.Next).toMatch(/^9999-12-31/);
    await timers.idle();
    await end(timers);
  }
});

test("a clock beyond the last time that a schedule knows lets the host start, and others run", async () => {
  const clock = movableClock();
  await clock.forward(Date.UTC(9999, 0) - Date.now());
  const functions = [timerFunction("nightly", "0 0 2 * * *"), timerFunction("often", "00:10:00")];
  const { timers, names } = await start("far future", clock, functions);
  await clock.forward(hourMs);
  await timers.idle();
  expect(names()).toEqual(["often"]);
});

test("a jump of the clock over several due times runs a function once", async () => {
  const clock = movableClock();
  const hourly = timerFunction("hourly", "%HOURLY%");
  const yearly = timerFunction("yearly", "0 0 0 1 1 *");
  const { timers, calls, names } = await start("jump", clock, [hourly, yearly]);
  await clock.forward(5 * hourMs);
  await timers.idle();
  expect(names()).toEqual(["hourly"]);
  expect(calls[0]?.input).toMatchObject({ IsPastDue: false });
  await clock.forward(hourMs);
  await timers.idle();
  expect(names()).toEqual(["hourly", "hourly"]);
});

test("what was due while the host was down runs once, as past due", async () => {
  const clock = movableClock();
  const hourly = timerFunction("hourly", "0 0 * * * *");
  const first = await start("down", clock, [hourly]);
  expect(first.calls).toEqual([]);
  await end(first.timers);
  await clock.forward(3 * hourMs);
  const second = await start("down", clock, [hourly]);
  await second.timers.idle();
  expect(second.calls.map(({ input }) => input.IsPastDue)).toEqual([true]);
  expect(second.calls[0]?.input.ScheduleStatus?.Last).toMatch(/^0001-01-01/);
  await end(second.timers);
  const third = await start("down", clock, [hourly]);
  await third.timers.idle();
  expect(third.calls).toEqual([]);
});

test("a schedule that was changed while the host was down is not past due", async () => {
  const clock = movableClock();
  const first = await start("changed", clock, [timerFunction("job", "0 0 * * * *")]);
  await end(first.timers);
  await clock.forward(3 * hourMs);
  const second = await start("changed", clock, [timerFunction("job", "0 30 * * * *")]);
  await second.timers.idle();
  expect(second.calls).toEqual([]);
});

test("a function that runs several times a minute runs by itself, and is not remembered", async () => {
  const { calls } = await start("often", movableClock(), [timerFunction("often", "00:00:00.05")]);
  await expect.poll(() => calls.length).toBeGreaterThan(2);
  expect(calls[0]?.input.ScheduleStatus).toBeNull();
});

test("a function never runs twice at once", async () => {
  let now = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    now += 1;
    most = Math.max(most, now);
    await sleep(30);
    now -= 1;
  };
  const fn = timerFunction("slow", "00:00:00.01");
  const { calls, timers } = await start("overlap", movableClock(), [fn], work);
  await expect.poll(() => calls.length).toBeGreaterThan(2);
  timers.stop();
  expect(most).toBe(1);
});

test("runOnStartup runs once at the start", async () => {
  const fn = timerFunction("eager", "0 0 0 1 1 *", { trigger: { runOnStartup: true } });
  const { timers, calls } = await start("eager", movableClock(), [fn]);
  await timers.idle();
  expect(calls.map(({ input }) => input.IsPastDue)).toEqual([false]);
});

test("a failed run is tried again as its retry policy says, told which attempt it is", async () => {
  const retryOptions = {
    maxRetryCount: 2,
    retryStrategy: "fixedDelay",
    delayInterval: {},
  } as const;
  const fn = timerFunction("retried", "0 0 0 1 1 *", { retryOptions });
  const contexts: unknown[] = [];
  const work = async ({ retryContext }: Call): Promise<void> => {
    contexts.push({ count: retryContext?.retryCount, reason: retryContext?.exception?.message });
    throw new Error(`failure ${contexts.length}`);
  };
  const { timers } = await start("retry", movableClock(), [fn], work);
  expect(timers.run("RETRIED")).toBe(true);
  await timers.idle();
  expect(contexts).toEqual([
    { count: 0, reason: undefined },
    { count: 1, reason: "failure 1" },
    { count: 2, reason: "failure 2" },
  ]);
});

test("a name that no timer function has runs nothing", async () => {
  const { timers } = await start("none", movableClock(), []);
  expect(timers.run("nobody")).toBe(false);
});

test("of two hosts one runs the timer functions, and the other once that is gone", async () => {
  const often = () => [timerFunction("often", "00:00:00.05")];
  const first = await start("two hosts", movableClock(), often());
  const second = await start("two hosts", movableClock(), often());
  await expect.poll(() => first.calls.length).toBeGreaterThan(5);
  expect(second.calls).toEqual([]);
  await end(first.timers);
  await expect.poll(() => second.calls.length).toBeGreaterThan(2);
  const count = first.calls.length;
  await expect.poll(() => second.calls.length).toBeGreaterThan(5);
  expect(first.calls).toHaveLength(count);
});

test("a host whose connection breaks runs its timer functions again, and not as at a start", async () => {
  const fn = timerFunction("kept", "00:00:00.05", { trigger: { runOnStartup: true } });
  const yearly = timerFunction("yearly", "0 0 0 1 1 *", { trigger: { runOnStartup: true } });
  const { calls, names } = await start("cut", movableClock(), [fn, yearly]);
  await expect.poll(() => calls.length).toBeGreaterThan(2);
  await pool.query(
    `select pg_terminate_backend(pid) from pg_locks
     where locktype = 'advisory' and objsubid = 1
       and database = (select oid from pg_database where datname = current_database())`,
  );
  await sleep(100);
  const count = calls.length;
  await expect.poll(() => calls.length).toBeGreaterThan(count + 2);
  expect(names().filter((name) => name === "yearly")).toHaveLength(1);
});
