/** Which errors mean that the database is away. */
import {
  AggregateAuthenticationError,
  AuthenticationError,
  CredentialUnavailableError,
} from "@azure/identity";
import { expect, test } from "vitest";
import { isOutage } from "../../../shared/database/platform/postgres-errors.js";

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

test("an error of our own is none", () => {
  expect(isOutage(new TypeError("not a function"))).toBe(false);
});
