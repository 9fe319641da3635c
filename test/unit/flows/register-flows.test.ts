/** A flow whose steps nobody does is refused at the start, since a host would wait for ever. */
import { expect, test } from "vitest";
import { contractSigning } from "../../../orchestrations/contract-signing.flow.js";
import { activity, registerFlows } from "../../../shared/durable/register.js";
import { z } from "zod";
import { noFaultPoints } from "../../../shared/platform/fault-points.js";
import { step } from "../../../shared/durable/flow.js";

const unheard = { info: () => undefined };
const lone = step("lone", { input: z.object({ count: z.int() }), output: z.int() });

test("a missing activity is named", () => {
  expect(() => registerFlows([contractSigning], [], noFaultPoints, unheard)).toThrow(
    "flow contractSigning: no activity does its step fillContractPdf",
  );
});

test("two activities of one name are refused", () => {
  const twice = activity(lone, async ({ count }) => count);
  expect(() => registerFlows([], [twice, twice], noFaultPoints, unheard)).toThrow(
    "two activities have one name",
  );
});

test("an activity checks its input", async () => {
  const { perform } = activity(lone, async ({ count }) => count + 1);
  expect(await perform({ count: 1 })).toBe(2);
  await expect(perform({ count: "one" })).rejects.toThrow("count");
});
