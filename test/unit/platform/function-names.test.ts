/** The host takes the first matching template in order of function names: literals must come first. */
import { expect, test } from "vitest";
import { catchAlls } from "../../../functions/kit/catch-all.js";
import { endpointsOf } from "../../../functions/endpoints.js";
import type { Route } from "../../../shared/contracts/route.js";
import { fullPath, functionName, parameterName, segmentsOf } from "../../../shared/http/paths.js";

const routes = endpointsOf("development").map(({ route }) => route);

/** Some path fits both templates. */
const overlap = (one: string[], other: string[]): boolean =>
  one.length === other.length &&
  one.every((segment, index) => {
    const facing = other[index] ?? "";
    return (
      parameterName(segment) !== undefined ||
      parameterName(facing) !== undefined ||
      segment.toLowerCase() === facing.toLowerCase()
    );
  });

/** At the first place where the two differ in kind, the one with the literal should win. */
const shouldWin = (one: string[], other: string[]): boolean => {
  for (const [index, segment] of one.entries()) {
    const isParameter = parameterName(segment) !== undefined;
    const facingIsParameter = parameterName(other[index] ?? "") !== undefined;
    if (isParameter !== facingIsParameter) return !isParameter;
  }
  return false;
};

const templateOf = (route: Route): string[] => segmentsOf(fullPath(route));

/** The host compares names in upper case: there `_` comes after the letters, not before. */
const sortsBefore = (one: string, other: string): boolean =>
  one.toUpperCase() < other.toUpperCase();

const pairs = routes.flatMap((one) =>
  routes
    .filter((other) => one !== other && overlap(templateOf(one), templateOf(other)))
    .filter((other) => shouldWin(templateOf(one), templateOf(other)))
    .map((other) => [functionName(one), functionName(other)] as const),
);

test("of two templates that a path fits, the one whose literal comes first sorts first", () => {
  for (const [literal, parameter] of pairs)
    expect(sortsBefore(literal, parameter), `${literal} before ${parameter}`).toBe(true);
});

test("a literal sorts before a parameter in the same place, whatever the routes are called", () => {
  const named = (path: string, id: string): string => functionName({ api: "wallet", path, id });
  expect(sortsBefore(named("wallets/search", "zSearch"), named("wallets/{id}", "aGet"))).toBe(true);
  expect(sortsBefore(named("w/{id}/Status", "zLiteral"), named("w/{id}/{to}", "aParam"))).toBe(
    true,
  );
  expect(sortsBefore(named("a/{id}", "zLiteral"), named("{kind}/b", "aParam"))).toBe(true);
});

test("catch-alls sort behind every route, and the one for everything behind the others", () => {
  const names = catchAlls(routes).map(({ name }) => name);
  const last = names.at(-1) ?? "";
  for (const name of names) {
    for (const route of routes) expect(sortsBefore(functionName(route), name)).toBe(true);
    if (name !== last) expect(sortsBefore(name, last)).toBe(true);
  }
});

test("no two functions have one name, and each name is one that Azure takes", () => {
  const names = routes.map((route) => functionName(route).toLowerCase());
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9_-]{0,126}$/);
});

test("no template begins as those that the host keeps for itself", () => {
  for (const route of routes) expect(fullPath(route)).not.toMatch(/^(admin|runtime)/i);
});

test("production has no sandbox route", () => {
  const apis = endpointsOf("production").map(({ route }) => route.api);
  expect(apis).not.toContain("sandbox");
});

test("a route's path names its parameters as its schemas do", () => {
  for (const route of routes) {
    const inPath = segmentsOf(route.path).flatMap((segment) => parameterName(segment) ?? []);
    expect(Object.keys(route.params ?? {}), route.id).toEqual(inPath);
  }
});
