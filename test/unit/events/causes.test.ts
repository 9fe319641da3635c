/** Every event says why it comes, by commands that there are. */
import { expect, test } from "vitest";
import { endpointsOf } from "../../../functions/endpoints.js";
import { eventNames } from "../../../shared/contracts/events/catalogue.js";
import { eventCauses } from "../../../shared/contracts/events/causes.js";

test("each event has its causes, and nothing else has", () => {
  expect(Object.keys(eventCauses).sort()).toEqual([...eventNames].sort());
});

test.each(Object.entries(eventCauses))("%s has a cause that exists", (_, cause) => {
  const commands = endpointsOf("production")
    .map(({ route }) => route)
    .filter(({ method }) => method !== "GET")
    .map(({ id }) => id);
  expect(commands).toEqual(expect.arrayContaining([...cause.commands]));
  expect([...cause.commands, cause.otherwise ?? []].flat()).not.toEqual([]);
});
