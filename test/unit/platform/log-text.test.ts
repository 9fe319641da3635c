/** Lines of the log for people: all that the line for programs says, in an order that reads. */
import { expect, test } from "vitest";
import { textLine } from "../../../shared/platform/log-text.js";
import { createLogger, type LogFields } from "../../../shared/platform/logger.js";

const lineOf = (level: "info" | "warn", message: string, fields: LogFields): string => {
  const lines: string[] = [];
  const logger = createLogger("debug", (_level, line) => void lines.push(textLine(line)));
  logger.with({ requestId: "mine", traceId: "t1" })[level](message, fields);
  return lines.join().replace(/^\d\d:\d\d:\d\d\.\d{3}/, "TIME");
};

test("a call's line has its words first and its ids last", () => {
  expect(lineOf("info", "Call answered.", { method: "GET", status: 200, none: undefined })).toBe(
    "TIME  Call answered.  method=GET  status=200  requestId=mine  traceId=t1",
  );
});

test("a warning says so, quotes what has spaces, and shows stacks below", () => {
  const error = new Error("away");
  error.stack = "Error: away\n    at somewhere";
  expect(lineOf("warn", "It waits.", { where: "a topic", at: ["acme"], error })).toBe(
    'TIME  WARN  It waits.  where="a topic"  at=["acme"]  requestId=mine  traceId=t1\n' +
      "    Error: away\n        at somewhere",
  );
});

test("nothing that a caller or an error has written acts upon the terminal", () => {
  const error = new Error("away");
  error.stack = "Error: \u001b[2Jgone\r\u009b31m\n    at somewhere";
  const line = lineOf("warn", "It waits.", {
    word: "\u001b[31mred",
    words: "a \u009b1m\u007f",
    error,
  });
  expect(line).not.toMatch(/[^\P{Cc}\n]/u);
  expect(line).toContain('word="\\u001b[31mred"  words="a \\u009b1m\\u007f"');
  expect(line).toContain("[2Jgone");
});
