/** Plays a mandate from its signature to each of its ends. */
import { expect, test } from "vitest";
import { mandateActivation } from "../../orchestrations/mandate-activation.flow.js";
import { play, type Answers, type Happening } from "./play.js";

const mandateId = "0190a6b0-5a51-7000-8000-00000000000b";
const friday = new Date("2026-11-20T09:00:00.000Z");

/** Whatever happens, the flow looks again. */
const wakeUps = ["bankOutcome", "disableRequested", "mandateSigned"];

type Outcome = "Accepted" | "Refused" | null;

/** The mandate's row and the bank's desk, as small as a test needs them. */
const world = (status = "Signed", outcome: Outcome = null) => {
  const row = { status, requestedAt: null as string | null, outcome };
  const asked: unknown[] = [];
  const ask = (input: unknown, now: Date): null => {
    asked.push(input);
    row.requestedAt = now.toISOString();
    row.outcome = null;
    return null;
  };
  const answers: Answers = {
    readMandate: () => ({ ...row }),
    sealMandatePdf: () => ({ documentKey: "mandate/1" }),
    requestMandateActivation: (input, now) => {
      row.status = "ActivationRequested";
      return ask(input, now);
    },
    settleMandateActivation: (input) => {
      const { as } = input as { as: string };
      row.status = as === "Lapsed" ? "Draft" : as;
      Object.assign(row, { requestedAt: null, outcome: null });
      return null;
    },
    requestMandateRevocation: ask,
    settleMandateRevocation: () => {
      row.status = "Disabled";
      return null;
    },
  };
  return { row, asked, answers };
};

/** Plays until the mandate's flow rests; each happening first changes the world. */
const run = (
  { answers }: ReturnType<typeof world>,
  script: readonly Happening[] = [],
  startAt = friday,
) => play({ flow: mandateActivation, input: { mandateId }, answers, script, startAt });

/** The bank answers whatever it was asked, before its event arrives. */
const answering = (outcome: Exclude<Outcome, null>) => {
  const it = world();
  const { requestMandateActivation } = it.answers;
  it.answers = {
    ...it.answers,
    requestMandateActivation: (input, now) => {
      requestMandateActivation?.(input, now);
      it.row.outcome = outcome;
      return null;
    },
  };
  return it;
};

test("a signed mandate is sealed, then the bank is asked", async () => {
  const played = await run(world());
  expect(played.steps).toEqual([
    "readMandate",
    "sealMandatePdf",
    "requestMandateActivation",
    "readMandate",
  ]);
  expect(played.waitingFor).toEqual(wakeUps);
  expect(played.statuses.at(-1)).toBe(
    "Waiting for the bank to activate the mandate (until 2026-12-04)",
  );
});

test("the bank's acceptance makes it active, and it waits to be disabled", async () => {
  const it = answering("Accepted");
  const played = await run(it, [{ raise: "bankOutcome" }]);
  expect(it.row.status).toBe("Active");
  expect(played.waitingFor).toEqual(wakeUps);
});

test("the bank's refusal rejects it", async () => {
  const played = await run(answering("Refused"));
  expect(played.output).toEqual({ status: "Rejected" });
});

test("ten bank days of silence put it back to draft", async () => {
  const played = await run(world(), ["timePasses"]);
  expect(played.now.toISOString()).toBe("2026-12-04T09:00:00.000Z");
  expect(played.steps.slice(-2)).toEqual(["settleMandateActivation", "readMandate"]);
  expect(played.inputs.at(-2)).toEqual({ mandateId, as: "Lapsed" });
  expect(played.output).toEqual({ status: "Draft" });
});

test("Christmas and New Year are no bank days", async () => {
  const played = await run(world(), ["timePasses"], new Date("2026-12-18T09:00:00.000Z"));
  expect(played.now.toISOString()).toBe("2027-01-05T09:00:00.000Z");
});

test("an answer that arrived without its event is found when the time is over", async () => {
  const it = world();
  it.answers = {
    ...it.answers,
    readMandate: (_, now) =>
      it.row.status === "ActivationRequested" && now > friday
        ? { ...it.row, outcome: "Accepted" }
        : { ...it.row },
  };
  await run(it, ["timePasses"]);
  expect(it.row.status).toBe("Active");
});

test("a mandate that is disabled is revoked at the bank, then disabled", async () => {
  const it = world("DisableRequested");
  const { requestMandateRevocation } = it.answers;
  it.answers = {
    ...it.answers,
    requestMandateRevocation: (input, now) => {
      requestMandateRevocation?.(input, now);
      it.row.outcome = "Accepted";
      return null;
    },
  };
  const played = await run(it);
  expect(played.steps).toEqual([
    "readMandate",
    "requestMandateRevocation",
    "readMandate",
    "settleMandateRevocation",
    "readMandate",
  ]);
  expect(played.output).toEqual({ status: "Disabled" });
});

test("a bank that does not confirm the revocation is asked again after ten bank days", async () => {
  const it = world("DisableRequested");
  const played = await run(it, ["timePasses"]);
  expect(it.asked).toEqual([
    { mandateId, seen: null },
    { mandateId, seen: friday.toISOString() },
  ]);
  expect(played.waitingFor).toEqual(wakeUps);
});

/** A revocation whose next asking is due in so many hours. */
const revoking = (status: string, hours: number, reference = "BRS1") => {
  const it = world(status);
  const row = { ...it.row, dueAt: new Date(friday.getTime() + hours * 3_600_000).toISOString() };
  const asked: unknown[] = [];
  const answers: Answers = {
    ...it.answers,
    readMandate: () => ({ ...row, reference }),
    requestMandateRevocation: (input, now) => {
      asked.push(input);
      row.requestedAt = now.toISOString();
      row.dueAt = new Date(now.getTime() + 14 * 86_400_000).toISOString();
      return null;
    },
    settleMandateRevocation: () => {
      row.status = status === "Revoking" ? "Draft" : "Disabled";
      return null;
    },
  };
  return { ...it, row, asked, answers };
};

test.each(["DisableRequested", "Revoking"])(
  "a revocation that is due is asked for under its reference (%s)",
  async (status) => {
    const it = revoking(status, 24);
    const played = await run(it, ["timePasses"]);
    expect(it.asked).toEqual([{ mandateId, seen: null, reference: "BRS1" }]);
    expect(played.waitingFor).toEqual(wakeUps);
    expect(played.statuses.at(-1)).toContain("asked again on 2026-12-05");
  },
);

test("what a late acceptance left at the bank is revoked, then the mandate stays as it was", async () => {
  const it = revoking("Revoking", 24);
  it.row.outcome = "Accepted";
  expect((await run(it)).output).toEqual({ status: "Draft" });
});

test.each(["ActivationRequested", "Active"])(
  "a mandate that is %s looks again when another reference of it is due",
  async (status) => {
    const it = revoking(status, 24);
    it.row.requestedAt = friday.toISOString();
    const played = await run(it, ["timePasses"]);
    expect(played.now.toISOString()).toBe("2026-11-21T09:00:00.000Z");
    expect(new Set(played.steps)).toEqual(new Set(["readMandate"]));
  },
);

test("an active mandate waits for months without a timer", async () => {
  await expect(run(world("Active"), ["timePasses"])).rejects.toThrow("no timer is running");
});

test("a signature that comes while another reference is being revoked is seen at once", async () => {
  const it = revoking("Revoking", 24);
  const looks = ["Revoking", "Revoking", "Signed"];
  const answers: Answers = {
    ...it.answers,
    readMandate: () => ({ ...it.row, status: looks.shift() ?? "ActivationRequested" }),
    requestMandateActivation: (_, now) => {
      it.row.requestedAt = now.toISOString();
      return null;
    },
  };
  const script = [{ raise: "bankOutcome" }, { raise: "mandateSigned" }] as const;
  const played = await run({ ...it, answers }, script);
  expect(played.steps.slice(2)).toEqual([
    "readMandate",
    "sealMandatePdf",
    "requestMandateActivation",
    "readMandate",
  ]);
});

test("a mandate that nobody signed is left alone", async () => {
  const played = await run(world("Filled"));
  expect(played.steps).toEqual(["readMandate"]);
  expect(played.output).toEqual({ status: "Filled" });
});

test.each(["Rejected", "Cancelled", "Disabled", "Unknown"])(
  "a repeated message finds a %s mandate settled and changes nothing",
  async (status) => {
    const played = await run(world(status));
    expect(played.steps).toEqual(["readMandate"]);
  },
);

/** A store's mandate that the bank was asked for, with something to do in so many seconds. */
const askedFor = (seconds: number, answers: Answers = {}) => {
  const it = world("Asked");
  const row = { ...it.row, dueAt: new Date(friday.getTime() + seconds * 1_000).toISOString() };
  const advance = { at: [] as string[] };
  const own: Answers = {
    ...it.answers,
    readMandate: () => ({ ...row }),
    advanceStoreMandate: (_, now) => {
      advance.at.push(now.toISOString());
      row.dueAt = new Date(now.getTime() + 300_000).toISOString();
      return null;
    },
    ...answers,
  };
  return { ...it, row, advance, answers: own };
};

test("a store's mandate is asked after at its time, again and again", async () => {
  const it = askedFor(10);
  const played = await run(it, ["timePasses", "timePasses"]);
  expect(it.advance.at).toEqual(["2026-11-20T09:00:10.000Z", "2026-11-20T09:05:10.000Z"]);
  expect(played.waitingFor).toEqual(wakeUps);
  expect(played.statuses.at(-1)).toBe(
    "Waiting for the bank to activate the store's mandate (asked again at 2026-11-20T09:10:10.000Z)",
  );
});

test.each(["Active", "Rejected"])(
  "the bank's word about a store's is taken up at once: %s",
  async (status) => {
    const it = askedFor(10);
    const advanceStoreMandate = () => {
      Object.assign(it.row, { status, dueAt: null });
      return null;
    };
    const script = [{ raise: "bankOutcome" }] as const;
    const looks = [it.row.dueAt, "1970-01-01T00:00:00.000Z"];
    const readMandate = () => ({ ...it.row, dueAt: looks.shift() ?? it.row.dueAt });
    const played = await run(
      { ...it, answers: { ...it.answers, advanceStoreMandate, readMandate } },
      script,
    );
    expect(played.now).toEqual(friday);
    expect(played.steps.slice(-2)).toEqual(["advanceStoreMandate", "readMandate"]);
    if (status === "Active") expect(played.waitingFor).toEqual(wakeUps);
    else expect(played.output).toEqual({ status });
  },
);

test("a store's mandate that was cancelled while the bank was asked is revoked there", async () => {
  const it = askedFor(10);
  const looks = ["Asked", "Revoking", "Cancelled"];
  const readMandate = () => ({
    ...it.row,
    ...{ status: looks.shift() ?? "Cancelled", outcome: "Accepted", reference: "ACME-1" },
  });
  const played = await run({ ...it, answers: { ...it.answers, readMandate } }, [
    { raise: "disableRequested" },
  ]);
  expect(played.steps.slice(-2)).toEqual(["settleMandateRevocation", "readMandate"]);
  expect(played.output).toEqual({ status: "Cancelled" });
});
