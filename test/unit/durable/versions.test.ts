/** How versions of orchestrations are compared, and which of them a host may run. */
import { expect, test } from "vitest";
import { compareVersions, judgeVersion } from "../../../local/durable/protocol/versions.js";

test.each([
  ["1.0.0", "1.0.0", 0],
  ["1.10", "1.9", 1],
  ["1.0", "1.0.0", -1],
  ["", "", 0],
  ["", "1.0", -1],
  ["1.0", " ", 1],
  ["beta", "ALPHA", 1],
  ["Beta", "beta", 0],
  // Without a dot it is no version number, and a text comes in order of its letters.
  ["10", "9", -1],
])("%j beside %j is %d", (a, b, order) => {
  expect(Math.sign(compareVersions(a, b))).toBe(order);
});

test("an orchestration without a version is older than any host", () => {
  const settings = { defaultVersion: "1.0", match: "CurrentOrOlder", failure: "Fail" } as const;
  expect(judgeVersion(undefined, settings)).toBe("run");
  expect(judgeVersion("1.1", settings)).toBe("fail");
});

test("a strict host leaves or fails whatever has not its own version to the letter", () => {
  const settings = { defaultVersion: "1.0", match: "Strict" } as const;
  expect(judgeVersion("1.0", { ...settings, failure: "Fail" })).toBe("run");
  expect(judgeVersion("1.0.0", { ...settings, failure: "Fail" })).toBe("fail");
  expect(judgeVersion(undefined, { ...settings, failure: "Reject" })).toBe("leave");
});
