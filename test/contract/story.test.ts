/** The platform answers what the reference shows: the story is told anew and held against what is recorded. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { endpointsOf } from "../../functions/endpoints.js";
import { eventCatalogue } from "../../shared/contracts/events/catalogue.js";
import { eventCauses } from "../../shared/contracts/events/causes.js";
import { exampleOf } from "../../shared/contracts/story/examples.js";
import { chapters } from "../../shared/contracts/story/chapters.js";
import { tellStory, type Told } from "../support/story/chapters.js";
import type { Database } from "../../shared/database/platform/database.js";
import { openStackDatabase } from "../support/platform/api.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";

/** The whole story is told in one hook: this only ends what never comes. */
const patienceMs = 300_000;

let stack: TestStack;
let database: Database;
let told: Told;

beforeAll(async () => {
  stack = await startTestStack();
  database = openStackDatabase(stack);
  told = await tellStory(stack, database);
}, patienceMs);

afterAll(async () => {
  await database.close();
  await stack.stop();
});

test.each(chapters)("chapter %s is what is recorded (npm run record-story)", async (chapter) => {
  const text = `${JSON.stringify(told.chapters.get(chapter), null, 2)}\n`;
  await expect(text, "npm run record-story records the story anew").toMatchFileSnapshot(
    `../../shared/contracts/story/recorded/${chapter}.json`,
  );
});

/** Nobody waits in the story for what these tell of. */
const untold: readonly string[] = ["IbanValidationFailed", "TicketExpired", "CardExpired"];

const Body = z.record(z.string(), z.unknown());

test.each(eventCatalogue.map(({ name, example }) => ({ name, example })))(
  "the example of $name is an event of the story",
  ({ name, example }) => {
    const bodies = told.events
      .filter(({ type }) => type === name)
      .map(({ body }) => {
        const fields = Object.entries(Body.parse(body));
        return told.comparable(Object.fromEntries(fields.filter(([field]) => field in example)));
      });
    if (untold.includes(name)) expect(bodies).toEqual([]);
    else expect(bodies).toContainEqual(told.comparable(example));
  },
);

test.each(Object.entries(eventCauses))(
  "what caused %s in the story is named among its causes",
  (name, { commands, otherwise }) => {
    const causes = told.causes.filter(({ event }) => event === name);
    expect(causes.length === 0).toBe(untold.includes(name));
    for (const { route } of causes) {
      // What stands for the bank, the processor and the clock, and time itself, are no commands.
      if (route === undefined || route.api === "sandbox") expect(otherwise).toBeDefined();
      // Nobody's partner is told of what tests force.
      else if (route.refusedInProduction !== true) expect(commands).toContain(route.id);
    }
  },
);

test("each route that a document has is told", () => {
  const documented = endpointsOf("development")
    .map(({ route }) => route)
    .filter(({ api }) => api !== "platform");
  expect(documented.filter(({ id }) => exampleOf(id) === undefined)).toEqual([]);
});
