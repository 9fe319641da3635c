/** The platform dies again and again in the midst of settlement: what was under way ends as if it had not. */
import { test } from "vitest";
import { settleThroughDeaths } from "../support/settlement/settlement-deaths.js";

test.each([
  ["advanceOperation", 6],
  ["followMembers", 2],
  ["workFlowRun", 2],
])("killed after %s, again and again, it does nothing twice", settleThroughDeaths);
