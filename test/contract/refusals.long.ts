/** As refusals.test.ts, with every bad call to every route. */
process.env["EVERY_BAD_CALL"] = "true";
await import("./refusals.test.js");

export {};
