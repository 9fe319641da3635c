/** Plays the IBAN validation to each of its ends. */
import { expect, test } from "vitest";
import { ibanValidation } from "../../orchestrations/iban-validation.flow.js";
import { play, type Answers, type Happening } from "./play.js";

const walletId = "0190a6b0-5a51-7000-8000-000000000001";
const bankNotificationId = "0190a6b0-5a51-7000-8000-00000000000a";
const input = { walletId, attempt: 1 };
const expiresAt = "2026-12-20T09:00:00.000Z";

/** The database behind the steps, as small as a test needs it. */
const world = (first: { status?: string; untried?: string[] } = {}) => {
  const row = { status: "Waiting", feedback: null as string | null, untried: [], ...first };
  const answers: Answers = {
    readIbanValidation: () => ({ ...row, code: "K7PM2XQ4", expiresAt }),
    matchFirstSct: () => {
      row.untried = [];
      row.status = "Validated";
      return { validated: true };
    },
    expireIban: () => {
      row.status = "Expired";
      return null;
    },
  };
  return { row, answers };
};

const run = (answers: Answers, script: readonly Happening[] = []) =>
  play({ flow: ibanValidation, input, answers, script });

const sct: Happening = { raise: "sctReceived", data: { bankNotificationId } };

test("a fitting transfer validates the IBAN", async () => {
  const played = await run(world().answers, [sct]);
  expect(played.steps).toEqual(["readIbanValidation", "matchFirstSct", "readIbanValidation"]);
  expect(played.inputs[1]).toEqual({ ...input, bankNotificationId });
  expect(played.output).toEqual({ status: "Validated" });
});

test("a transfer that came in time counts, even when it is looked at after the deadline", async () => {
  const { row, answers } = world({ untried: [bankNotificationId] });
  const late = () => ({ ...row, code: "K7PM2XQ4", expiresAt: "2020-01-01T00:00:00.000Z" });
  const played = await run({ ...answers, readIbanValidation: late });
  expect(played.steps).toEqual(["readIbanValidation", "matchFirstSct", "readIbanValidation"]);
  expect(played.output).toEqual({ status: "Validated" });
});

test("it says which code it waits for, and until when", async () => {
  const played = await run(world().answers);
  expect(played.statuses).toEqual([
    "Waiting for the first SCT with code K7PM2XQ4 (until 2026-12-20)",
  ]);
  expect(played.waitingFor).toEqual(["sctReceived", "ibanChanged"]);
});

test("a transfer that does not fit leaves it waiting, and the status says why", async () => {
  const { row, answers } = world();
  const wrong = () => {
    row.feedback = "Amount: 2.00 instead of 1.00";
    return { validated: false };
  };
  const played = await run({ ...answers, matchFirstSct: wrong }, [sct]);
  expect(played.statuses.at(-1)).toBe(
    "Waiting for the first SCT with code K7PM2XQ4 (until 2026-12-20); " +
      "the last one did not fit: Amount: 2.00 instead of 1.00",
  );
  expect(played.waitingFor).toContain("sctReceived");
});

test("a fitting transfer after one that does not fit validates the IBAN", async () => {
  const { answers } = world();
  let transfers = 0;
  const second = (of: unknown, now: Date) => {
    transfers += 1;
    return transfers === 1 ? { validated: false } : answers["matchFirstSct"]?.(of, now);
  };
  const played = await run({ ...answers, matchFirstSct: second }, [sct, sct]);
  expect(played.output).toEqual({ status: "Validated" });
});

test("thirty days without a transfer expire it", async () => {
  const played = await run(world().answers, ["timePasses"]);
  expect(played.steps.slice(-2)).toEqual(["expireIban", "readIbanValidation"]);
  expect(played.now.toISOString()).toBe(expiresAt);
  expect(played.output).toEqual({ status: "Expired" });
});

test("another IBAN ends it", async () => {
  const { row, answers } = world();
  const replaced: Answers = {
    ...answers,
    readIbanValidation: (of, now) => {
      const answer = answers["readIbanValidation"]?.(of, now);
      row.status = "Replaced";
      return answer;
    },
  };
  const played = await run(replaced, [{ raise: "ibanChanged" }]);
  expect(played.output).toEqual({ status: "Replaced" });
});

test("a transfer that came while nobody listened is found in the database", async () => {
  const played = await run(world({ untried: [bankNotificationId] as never[] }).answers);
  expect(played.output).toEqual({ status: "Validated" });
});

test("what is due again is tried in the life that finds it, and one that fits ends the others", async () => {
  const ids = ["a", "b", "c"].map((end) => bankNotificationId.slice(0, -1) + end);
  const { row, answers } = world({ untried: ids });
  const second: Answers = {
    ...answers,
    matchFirstSct: (of, now) =>
      row.untried.length > 0 && (of as { bankNotificationId: string }).bankNotificationId === ids[1]
        ? answers["matchFirstSct"]?.(of, now)
        : { validated: false },
  };
  const played = await run(second);
  expect(played.steps).toEqual([
    "readIbanValidation",
    "matchFirstSct",
    "matchFirstSct",
    "readIbanValidation",
  ]);
  expect(played.output).toEqual({ status: "Validated" });
});

test("more than one life can try are tried in the next, before it waits or expires", async () => {
  const { row, answers } = world();
  let looks = 0;
  const readIbanValidation = () => {
    looks += 1;
    const untried = looks === 1 ? Array<string>(100).fill(bankNotificationId) : [];
    return { ...row, untried, code: "K7PM2XQ4", expiresAt };
  };
  const matchFirstSct = () => ({ validated: false });
  const played = await run({ ...answers, readIbanValidation, matchFirstSct });
  expect(played.lives).toBe(2);
  expect(played.waitingFor).toContain("sctReceived");
});

test("a repeated event finds the validation over and changes nothing", async () => {
  const played = await run(world({ status: "Validated" }).answers, [sct]);
  expect(played.steps).toEqual(["readIbanValidation"]);
});

test("an event without readable data only wakes it", async () => {
  const played = await run(world().answers, [{ raise: "sctReceived", data: "nonsense" }]);
  expect(played.error).toBeNull();
  expect(played.waitingFor).toContain("sctReceived");
});

test("an event that arrives with another one is heard in the next life", async () => {
  const { row, answers } = world();
  const tried: string[] = [];
  const none = () => {
    tried.push(row.status);
    return { validated: false };
  };
  const both: Happening = { raiseTogether: ["ibanChanged", "sctReceived", "sctReceived"] };
  const played = await run({ ...answers, matchFirstSct: none }, [both]);
  expect(played.lives).toBe(4);
  expect(played.error).toBeNull();
});

test("an outage of the database is waited out", async () => {
  const { answers } = world();
  let attempts = 0;
  const flaky = (of: unknown, now: Date) => {
    attempts += 1;
    if (attempts < 4) throw new Error("connection refused");
    return answers["matchFirstSct"]?.(of, now);
  };
  const played = await run({ ...answers, matchFirstSct: flaky }, [sct]);
  expect(attempts).toBe(4);
  expect(played.output).toEqual({ status: "Validated" });
});
