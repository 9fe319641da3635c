/** Wallets, money from outside, bank answers, clock moves and kills by chance: every thread has an end, every cent a place. */
import { describe, test } from "vitest";
import { runRandomly } from "../support/onboarding/random-run.js";

const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));

describe(`by seed ${seed}`, () => {
  test("no cent, transfer, mandate or flow is left without an end or a way out", async () => {
    await runRandomly({ seed, customers: 5, rounds: 6, kills: 2 });
  }, 240_000);
});
