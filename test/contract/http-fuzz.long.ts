/** The same as in `http-fuzz.test.ts` for minutes, from a seed of the day or the one that is given. */
import { test } from "vitest";
import { fuzzPlatform } from "../support/http-fuzz/fuzz-run.js";

const day = Math.floor(Date.now() / 86_400_000);

test("minutes of sound, odd and hostile requests leave the platform as it was", async () => {
  await fuzzPlatform(Number(process.env["HTTP_FUZZ_SEED"] ?? day), 300_000);
});
