/** Ten thousand events while platform and broker are killed in turn: a partner reads each number, in order. */
import { expect, test } from "vitest";
import { killUnderEvents } from "../support/events/event-kills.js";
import { whileItMoves } from "../support/platform/progress.js";

const seed = Math.floor(Math.random() * 1_000_000);
const noLimit = 0;

test(
  `no event is missing, out of its wallet's order or told in two ways, seed ${seed}`,
  { timeout: noLimit },
  async () => {
    const size = { events: 10_000, rounds: 25, customers: 8 };
    const run = await whileItMoves("events", (arrived) =>
      killUnderEvents({ ...size, betweenMs: 3_000, seed, arrived }),
    );
    console.log(JSON.stringify({ seed, ...run }));
    expect(run.events).toBeGreaterThanOrEqual(size.events);
  },
);
