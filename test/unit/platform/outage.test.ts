/** What is an outage, and how often one is said. */
import {
  AggregateAuthenticationError,
  AuthenticationError,
  CredentialUnavailableError,
} from "@azure/identity";
import { DatabaseError } from "pg";
import { expect, test } from "vitest";
import { DependencyUnavailableError } from "../../../shared/platform/dependency-unavailable.js";
import { failureNotes, isOutage, passOutage } from "../../../shared/platform/outage.js";

const unavailable = new CredentialUnavailableError("no identity here");

test.each([
  unavailable,
  new AggregateAuthenticationError([unavailable], "none of all"),
  new AuthenticationError(400, { error: "invalid_client", error_description: "unknown" }),
])(
  "an identity without a token is an outage, as the database cannot be reached: $name",
  (error) => {
    expect(isOutage(error)).toBe(true);
  },
);

const answer = (code: string): DatabaseError =>
  Object.assign(new DatabaseError("the server's words", 0, "error"), { code });

test.each([
  ...["08006", "08P01"],
  ...["40001", "40P01"],
  ...["53100", "53200", "53300"],
  ...["57014", "57P01", "57P02", "57P03"],
  ...["25P03", "25P04"],
])("the server's %s is an outage", (code) => {
  expect(isOutage(answer(code))).toBe(true);
});

test.each(["22P02", "23505", "23514", "25P02", "28P01", "42P01", "55P03", "XX000"])(
  "the server's %s is its answer",
  (code) => {
    expect(isOutage(answer(code))).toBe(false);
  },
);

test.each([
  "Connection terminated unexpectedly",
  "Connection terminated due to connection timeout",
  "Client has encountered a connection error and is not queryable",
  "timeout exceeded when trying to connect",
  "timeout expired",
  "Query read timeout",
])("the driver's words for a lost connection are an outage: %s", (message) => {
  expect(isOutage(new Error(message))).toBe(true);
});

test("whatever keeps a connection from coming about is an outage, and the same elsewhere is not", () => {
  const missing = { code: "ENOENT" };
  expect(isOutage(Object.assign(new Error("socket"), missing, { syscall: "connect" }))).toBe(true);
  expect(isOutage(Object.assign(new Error("file"), missing, { syscall: "open" }))).toBe(false);
});

test.each(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "ENOTFOUND", "EHOSTUNREACH"])(
  "the network's %s is an outage, also where every address of a name was tried",
  (code) => {
    const error = Object.assign(new Error("connect"), { code });
    expect(isOutage(error)).toBe(true);
    expect(isOutage(new AggregateError([new Error("other"), error]))).toBe(true);
  },
);

test("an error of our own is none, whatever it speaks of", () => {
  expect(isOutage(new TypeError("not a function"))).toBe(false);
  expect(isOutage(new Error("the connection string is no connection, timeout"))).toBe(false);
  expect(isOutage(Object.assign(new Error("no file"), { code: "ENOENT" }))).toBe(false);
  expect(isOutage("Connection terminated")).toBe(false);
});

test("work with its outcome lets an outage pass, and no defect", () => {
  passOutage(new DependencyUnavailableError("the database"));
  expect(() => {
    passOutage(new TypeError("not a function"));
  }).toThrow(TypeError);
});

test("each kind of failure is noted once, outages apart from defects", () => {
  const noted: (readonly [string, boolean])[] = [];
  const note = failureNotes(({ work, isOutage: isAway }) => noted.push([work, isAway]));
  for (let times = 0; times < 3; times += 1) {
    note("sweeping", answer("57P01"));
    note("sweeping", answer("08006"));
    note("sweeping", answer("42P01"));
    note("sweeping", new TypeError("not a function"));
    note("purging", answer("57P01"));
  }
  expect(noted).toEqual([
    ["sweeping", true],
    ["sweeping", false],
    ["sweeping", false],
    ["purging", true],
  ]);
});

test("so many kinds are remembered, and no more", () => {
  let count = 0;
  const note = failureNotes(() => void (count += 1));
  const named = (index: number) => Object.assign(new Error(), { name: `Error${index}` });
  for (let index = 0; index < 10_000; index += 1) note("work", named(index));
  expect(count).toBe(10_000);
  note("work", named(9_999));
  expect(count).toBe(10_000);
  note("work", named(0));
  expect(count).toBe(10_001);
});
