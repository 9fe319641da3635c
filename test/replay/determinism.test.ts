/** A flow that would not replay is caught: by the player, and by the rules for flow files. */
import { ESLint } from "eslint";
import tseslint from "typescript-eslint";
import { expect, test } from "vitest";
import { z } from "zod";
import { flow, step, type Step } from "../../shared/durable/flow.js";
import { play } from "./play.js";

const bare = { input: z.object({ turn: z.int() }), output: z.null() };
const first = step("first", bare);
const second = step("second", bare);

const answers = { first: () => null, second: () => null };

test("a flow whose order of steps changes between turns is refused", async () => {
  let turns = 0;
  const fickle = flow({
    name: "fickle",
    input: z.null(),
    steps: [first, second],
    *body(context) {
      turns += 1;
      const order: Step<typeof bare.input, typeof bare.output>[] =
        turns === 1 ? [first, second] : [second, first];
      for (const next of order) yield* context.run(next, { turn: 1 });
      return null;
    },
  });
  await expect(play({ flow: fickle, input: null, answers })).rejects.toThrow("not deterministic");
});

test("a flow whose step's input changes between turns is refused", async () => {
  let turns = 0;
  const counting = flow({
    name: "counting",
    input: z.null(),
    steps: [first, second],
    *body(context) {
      turns += 1;
      yield* context.run(first, { turn: turns });
      yield* context.run(second, { turn: 0 });
      return null;
    },
  });
  await expect(play({ flow: counting, input: null, answers })).rejects.toThrow("not deterministic");
});

test("the flow's time is the history's, not the machine's", async () => {
  const startAt = new Date("2031-05-06T07:08:09.000Z");
  const seen: string[] = [];
  const timely = flow({
    name: "timely",
    input: z.null(),
    steps: [first],
    *body(context) {
      seen.push(context.now().toISOString());
      yield* context.run(first, { turn: 1 });
      return null;
    },
  });
  await play({ flow: timely, input: null, answers, startAt });
  expect(new Set(seen)).toEqual(new Set([startAt.toISOString()]));
});

const planted: readonly (readonly [string, string])[] = [
  ["the machine's clock", "export const f = () => Date.now();"],
  ["a new date", "export const f = () => new Date();"],
  ["chance", "export const f = () => Math.random();"],
  ["a promise", "export const f = () => new Promise<void>((done) => done());"],
  ["an async function", "export const f = async () => 1;"],
  ["a bare yield", "export function* f() { yield 1; }"],
  ["the environment", "export const f = () => process.cwd();"],
  ["a timer of its own", "export const f = () => setTimeout(() => 1, 1);"],
  ["the network", 'export const f = () => fetch("http://localhost");'],
  ["activities", 'import "./iban-validation.activities.js";'],
  ["a library", 'import "pg";'],
  ["the machine", 'import "node:fs";'],
  ["the database", 'import "../shared/database/platform/database.js";'],
];

test.each(planted)("the lint step refuses %s in a flow", async (_, text) => {
  const eslint = new ESLint({ overrideConfig: tseslint.configs.disableTypeChecked });
  const [result] = await eslint.lintText(text, { filePath: "orchestrations/planted.flow.ts" });
  const rules = result?.messages.map(({ ruleId }) => ruleId ?? "") ?? [];
  const forFlows = /^(no-restricted-|borsello\/imports$)/;
  expect(rules.filter((rule) => forFlows.test(rule))).not.toEqual([]);
});
