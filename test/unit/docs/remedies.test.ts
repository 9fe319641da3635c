/** What the reference's pages do about refusals: each call that they would make is one, and what they make is sound. */
import { expect, test } from "vitest";
import { endpointsOf } from "../../../functions/endpoints.js";
import { putOffDay } from "../../../functions/docs/browser/try/days.js";
import { seal } from "../../../functions/docs/browser/try/seal.js";
import { planOf } from "../../../functions/docs/reference/own-data.js";
import * as remedy from "../../../functions/docs/reference/remedies.js";
import { makeCardKey, sandboxProcessor } from "../../../shared/card-processor/sandbox-processor.js";
import { isBankDay } from "../../../shared/domain/bank/bank-days.js";

const routes = endpointsOf("development").map(({ route }) => route);

test("remedies are for operations and calls that there are", () => {
  const { remedies, stepsBefore, finders, makers, sealed, hints } = remedy;
  const steps = [remedies, finders, ...Object.values(stepsBefore)]
    .flatMap((table) => Object.values(table))
    .flat()
    .map((step) => (typeof step === "string" ? step : step.call));
  const named = [
    ...[stepsBefore, finders, makers, hints].flatMap((table) => Object.keys(table)),
    ...Object.values(makers).flatMap((made) => Object.values(made)),
    ...Object.values(sealed).map(({ key }) => key),
    ...steps,
  ];
  const known = routes.map(({ id }) => id);
  expect(named.filter((id) => !known.includes(id))).toEqual([]);
});

test("each operation's own remedies are for refusals that it has", () => {
  const strange = Object.entries(remedy.stepsBefore).flatMap(([id, steps]) => {
    const errors: readonly string[] = routes.find((route) => route.id === id)?.errors ?? [];
    return Object.keys(steps).filter((code) => !errors.includes(code));
  });
  expect(strange).toEqual([]);
});

test("each id that a call names is made by another one, is found in a list, or has its sentence", () => {
  const unmade = routes
    .filter(({ api, id }) => api !== "platform" && !(id in remedy.hints))
    .flatMap((route) => {
      const { call } = planOf(route, routes);
      const ids = Object.entries(call.example.path ?? {})
        .filter(([, text]) => /^(?:[0-9a-f-]{36}|CAS-.*)$/.test(text))
        .filter(([, text]) => !call.needs.some(({ id }) => id === text));
      return ids.map(([name]) => `${route.id} ${name}`);
    });
  expect(unmade).toEqual([]);
});

test("a deposit is put off from bank day to bank day", () => {
  const days = Array.from({ length: 120 }).reduce<string[]>(
    (so) => [putOffDay(so[0] ?? "2027-03-10", "newDepositDate", "{}"), ...so],
    [],
  );
  expect(days.filter((day) => !isBankDay(day))).toEqual([]);
  expect([...new Set(days)].sort().reverse()).toEqual(days);
});

test("the clock is moved an hour on from where the refusal says that it is", () => {
  const told = JSON.stringify({ now: "must not be before 2028-01-01T10:30:00.000Z." });
  expect(putOffDay("2027-03-10T09:00:00.000Z", "now", told)).toBe("2028-01-01T11:30:00.000Z");
  expect(putOffDay("2027-03-10T09:00:00.000Z", "now", "{}")).toBe("2027-03-10T10:00:00.000Z");
});

test("a PIN that the page seals is one for the card processor", async () => {
  const processor = sandboxProcessor(makeCardKey);
  const cypher = await seal("73914", await processor.pinKey());
  expect(await processor.acceptsPin(cypher)).toBe(true);
});
