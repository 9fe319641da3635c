/** Small parts of the platform: identifiers, log lines, secrets, fault points, remembered look-ups. */
import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { applicationVersion } from "../../../shared/platform/application.js";
import { faultPoints, noFaultPoints } from "../../../shared/platform/fault-points.js";
import { uuidv7 } from "../../../shared/platform/ids.js";
import { createLogger, redact, type LogLevel } from "../../../shared/platform/logger.js";
import { remembered } from "../../../shared/platform/remembered.js";
import { hashSecret, secretMatches } from "../../../shared/platform/secrets.js";

test("an identifier is a UUID of version 7 that holds its time, and no two are equal", () => {
  const nowMs = Date.UTC(2030, 0, 31);
  const ids = Array.from({ length: 2_000 }, () => uuidv7(nowMs));
  for (const id of ids) expect(z.uuidv7().safeParse(id).success).toBe(true);
  for (const id of ids) expect(Number.parseInt(id.replace("-", "").slice(0, 12), 16)).toBe(nowMs);
  expect(new Set(ids).size).toBe(ids.length);
});

const collect = (minimum: LogLevel) => {
  const lines: string[] = [];
  return { lines, logger: createLogger(minimum, (_level, line) => void lines.push(line)) };
};

test("a log line is one JSON object, and levels below the minimum are left out", () => {
  const { lines, logger } = collect("info");
  logger.debug("unseen");
  logger.with({ walletId: "w" }).info("seen", { amountCents: 12n });
  expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
    {
      time: expect.stringContaining("T") as unknown,
      level: "info",
      message: "seen",
      walletId: "w",
      amountCents: "12",
    },
  ]);
});

test("a log line holds no credential and no whole IBAN, wherever they stand", () => {
  const { lines, logger } = collect("debug");
  const token = "eyJhbGciOiJSUzI1NiJ9.eyJhcHBpZCI6ImFjbWUifQ.c2lnbmF0dXJl";
  logger.error("failed for IT60X0542811101000000123456", {
    authorization: "Basic abc",
    AuthKey: "acme-local-authkey",
    clientSecret: "acme-local-secret",
    note: `Bearer ${token} and ${token}`,
    form: "client_secret=acme-local-secret&x=1",
    url: "postgres://user:hunter2@host/db",
    error: new Error(`refused ${token}`, {
      cause: new Error("AuthKey for IT60X0542811101000000123456"),
    }),
  });
  const [line = ""] = lines;
  for (const secret of ["eyJ", "abc", "authkey", "local-secret", "hunter2", "0542811101000000"])
    expect(line).not.toContain(secret);
  expect(line).toContain("IT60…3456");
});

test("a field that JSON cannot hold does not lose the line", () => {
  const { lines, logger } = collect("debug");
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  logger.warn("still here", { cycle });
  expect(lines[0]).toContain("still here");
});

test("a text in a log line is cut where it is longer than any stack, before it is looked at", () => {
  const { lines, logger } = collect("debug");
  logger.error("x".repeat(100_000), { url: "0://:/".repeat(50_000) });
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    message: `${"x".repeat(8_192)}…`,
    url: expect.stringMatching(/^.{8192}…$/) as unknown,
  });
});

test("redacting never makes a text longer than a few marks", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (text) => redact(text).length <= text.length + 8),
  );
});

test("a text in a line is what redacting makes of it, whatever it is made of", () => {
  const { lines, logger } = collect("info");
  const piece = fc.constantFrom(
    ...["Bearer ", "bEARER\n", "eyJhb.eyJpc.c2ln", "password=", "client_secret=x", "://user:pw@"],
    ...["IT60X0542811101000000123456", "IT60", "é", '"', "\\", " ", "x", "9"],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const note = pieces.join("");
      logger.info("made up", { note });
      expect(JSON.parse(lines.pop() ?? "")).toMatchObject({ note: redact(note) });
    }),
  );
});

test("a secret matches its own hash and no other", () => {
  const salt = Buffer.from("salt");
  const hash = hashSecret("right", salt);
  expect(secretMatches("right", salt, hash)).toBe(true);
  expect(secretMatches("wrong", salt, hash)).toBe(false);
  expect(secretMatches("right", Buffer.from("other"), hash)).toBe(false);
  expect(secretMatches("right", salt, hash.subarray(1))).toBe(false);
});

test("a fault point strikes at its hit and only there", () => {
  const struckAt: number[] = [];
  let hit = 0;
  const faults = faultPoints(new Map([["relay.afterSend", 3]]), () => void struckAt.push(hit));
  for (hit = 1; hit <= 5; hit += 1) {
    faults.hit("relay.afterSend");
    faults.hit("another.point");
  }
  expect(struckAt).toEqual([3]);
  expect(faultPoints(new Map())).toBe(noFaultPoints);
});

test("a look-up is remembered for seconds, shared by simultaneous callers, forgotten when it failed", async () => {
  let nowMs = 0;
  let looks = 0;
  let failing = false;
  const { find: look } = remembered(
    async (key: string) => {
      looks += 1;
      await Promise.resolve();
      if (failing) throw new Error("away");
      return `${key}!`;
    },
    { nowMs: () => nowMs },
  );
  expect(await Promise.all([look("a"), look("a")])).toEqual(["a!", "a!"]);
  expect(looks).toBe(1);
  nowMs = 60_000;
  failing = true;
  await expect(look("a")).rejects.toThrow("away");
  failing = false;
  expect(await look("a")).toBe("a!");
  expect(looks).toBe(3);
});

test("a look-up anew begins after it was asked for, and one at a time goes on for all who ask", async () => {
  let truth = "old";
  let looks = 0;
  const { find, findAnew } = remembered(
    async () => {
      looks += 1;
      const found = truth;
      await new Promise(setImmediate);
      return found;
    },
    { nowMs: () => 0 },
  );
  expect(await find("a")).toBe("old");
  const first = findAnew("a");
  truth = "new";
  const crowd = Array.from({ length: 100 }, () => findAnew("a"));
  expect(await first).toBe("old");
  expect(new Set(await Promise.all(crowd))).toEqual(new Set(["new"]));
  expect(looks).toBe(3);
  expect(await find("a")).toBe("new");
});

test("the version that documents give is the package's", async () => {
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(await readFile("package.json", "utf8")));
  expect(applicationVersion).toBe(version);
});
