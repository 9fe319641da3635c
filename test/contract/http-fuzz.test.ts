/** Whatever is asked, the platform answers as its documents say and goes on: no 500, no hang, no growth. */
import { test } from "vitest";
import { fuzzPlatform } from "../support/http-fuzz/fuzz-run.js";

test("five seconds of sound, odd and hostile requests leave the platform as it was", async () => {
  await fuzzPlatform(Number(process.env["HTTP_FUZZ_SEED"] ?? 20_261_122), 5_000);
}, 120_000);
