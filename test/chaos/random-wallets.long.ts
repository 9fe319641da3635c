/** Many lives of ten wallets each, by chance: see `random-wallets.test.ts`. */
import { describe, test } from "vitest";
import { runRandomly } from "../support/onboarding/random-run.js";

const runs = 30;
const first = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));

describe(`by ${runs} seeds from ${first}`, () => {
  test.each(Array.from({ length: runs }, (_, index) => first + index))(
    "no cent, transfer, mandate or flow is left without an end or a way out (%i)",
    async (seed) => {
      await runRandomly({ seed, customers: 10, rounds: 25, kills: 3 });
    },
    600_000,
  );
});
