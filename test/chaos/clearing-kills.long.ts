/** Ten deaths while a large day is cleared: each affiliate's files hold its records, each once. */
import { expect, test } from "vitest";
import { killUnderClearing } from "../support/clearing/clearing-kills.js";
import { whileItMoves } from "../support/platform/progress.js";

const seed = Math.floor(Math.random() * 1_000_000);
const noLimit = 0;

test(
  `files, sums and the processor's records agree, seed ${seed}`,
  { timeout: noLimit },
  async () => {
    const affiliates = Array.from({ length: 20 }, (_one, index) => `affiliate-${index + 1}`);
    const size = { presentments: 200_000, fees: 40_000, affiliates };
    const checked = await whileItMoves("records", (done) =>
      killUnderClearing({ ...size, kills: 10, seed, done }),
    );
    expect(checked).toEqual({ files: 40, records: 240_000 });
  },
);
