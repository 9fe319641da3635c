/** Platform and broker are killed in turn while events are published: a partner reads each number, in order. */
import { expect, test } from "vitest";
import { killUnderEvents } from "../support/events/event-kills.js";

const seed = Math.floor(Math.random() * 1_000_000);

test(`no event is missing, out of its wallet's order or told in two ways, seed ${seed}`, async () => {
  const size = { events: 200, rounds: 2, customers: 3 };
  const { events } = await killUnderEvents({ ...size, betweenMs: 1_000, seed });
  expect(events).toBeGreaterThanOrEqual(size.events);
}, 180_000);
