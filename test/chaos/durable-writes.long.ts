/** The host dies before, during and after each durable write of each sort of orchestration. */
import { expect, test } from "vitest";
import { shapes } from "../support/durable/fault-load.js";
import { moments, sweepWrites } from "../support/durable/write-sweep.js";

const cases = shapes.flatMap((shape) => moments.map((moment) => [shape, moment] as const));

test.each(cases)(
  "%s ends, with the host killed at each of its writes: %s",
  async (shape, moment) => {
    expect(await sweepWrites(shape, moment)).toBeGreaterThan(3);
  },
);
