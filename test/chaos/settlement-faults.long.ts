/** A death after each deed, or every few, of settlement: see `settlement-faults.test.ts`. */
import { test } from "vitest";
import { settleThroughDeaths } from "../support/settlement/settlement-deaths.js";

test.each([
  ["advanceOperation", 2],
  ["advanceOperation", 5],
  ["followMembers", 2],
  ["workFlowRun", 2],
])("killed after each %s of %i, it does nothing twice", settleThroughDeaths);
