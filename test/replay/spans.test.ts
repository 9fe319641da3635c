/** A flow's lines and its span are told once, where it begins and at its end, however often its code was replayed on the way there. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { flow, step } from "../../shared/durable/flow.js";
import {
  recordBy,
  type Recorder,
  type SpanStart,
} from "../../shared/platform/telemetry/tracing.js";
import type { LogFields } from "../../shared/platform/logger.js";
import { play } from "./play.js";

interface Told extends SpanStart {
  failure?: string;
}

let told: Told[] = [];
const ended: Told[] = [];

const recorder: Recorder = {
  current: () => undefined,
  isRecorded: () => false,
  within: () => Promise.reject(new Error("a flow's code does no work of its own")),
  apart: (work) => work(),
  begin: (start) => {
    const one: Told = { ...start };
    told.push(one);
    return {
      traceParent: undefined,
      set: () => undefined,
      fail: (failure) => void (one.failure = failure),
      end: () => void ended.push(one),
    };
  },
};

let lines: string[] = [];
const logger = {
  info: (message: string, fields: LogFields = {}) =>
    void lines.push([message, ...Object.values(fields)].join(" ")),
};

let endRecording: () => void;

beforeEach(() => {
  endRecording = recordBy(recorder);
  told = [];
  lines = [];
  ended.length = 0;
});
afterEach(() => endRecording());

const bare = { input: z.null(), output: z.null() };
const steps = ["first", "second", "third"].map((name) => step(name, bare));
const answers = { first: () => null, second: () => null, third: () => null };
const startAt = new Date("2031-05-06T07:08:09.000Z");

test("one that completes", async () => {
  const long = flow({
    ...{ name: "long", input: z.null(), steps },
    *body(context) {
      for (const next of steps) yield* context.run(next, null);
      return null;
    },
  });
  await play({ flow: long, input: null, answers, startAt, logger });
  expect(lines).toEqual(["Flow begun. long instance", "Flow ended. long instance completed"]);
  expect(told).toMatchObject([
    {
      ...{ name: "flow long", startedAtMs: startAt.getTime() },
      attributes: { "borsello.flow.name": "long", "borsello.flow.outcome": "completed" },
    },
  ]);
  expect(ended).toEqual(told);
});

test("one that fails, and one that goes on with an empty history, once for each life", async () => {
  const failing = flow({
    ...{ name: "failing", input: z.null(), steps },
    *body(context) {
      yield* context.run(steps[0] ?? step("none", bare), null);
      throw new Error("what a customer has written");
    },
  });
  await play({ flow: failing, input: null, answers, startAt }).catch(() => undefined);
  expect(ended).toMatchObject([{ name: "flow failing", failure: "failed" }]);
  expect(JSON.stringify(ended)).not.toContain("customer");
  ended.length = 0;
  const again = flow({
    ...{ name: "again", input: z.int(), steps },
    *body(context, life) {
      yield* context.run(steps[0] ?? step("none", bare), null);
      return life < 2 ? context.again(life + 1) : null;
    },
  });
  await play({ flow: again, input: 1, answers, startAt, logger });
  expect(lines).toEqual([
    ...["Flow begun. again instance", "Flow ended. again instance continued"],
    ...["Flow begun. again instance", "Flow ended. again instance completed"],
  ]);
  expect(ended.map(({ attributes }) => attributes?.["borsello.flow.outcome"])).toEqual([
    "continued",
    "completed",
  ]);
});
