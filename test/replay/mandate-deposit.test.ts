/** Plays a collection's flow: it waits for the bank, asks again where it is silent, and ends with its word. */
import { expect, test } from "vitest";
import { mandateDeposit } from "../../orchestrations/mandate-deposit.flow.js";
import { play, type Happening } from "./play.js";

const input = { requestId: "0190a6b0-5a51-7000-8000-00000000000b", partnerKey: "acme" };
const friday = new Date("2026-11-20T05:00:00.000Z");
const hours = (count: number) => new Date(friday.getTime() + count * 3_600_000).toISOString();

/** The request's row, as small as a test needs it. */
const world = () => {
  const row = {
    ...{ status: "Requested", reasonCode: null as string | null, inquiries: 0 },
    dueAt: hours(1) as string | null,
  };
  const decide = (status: string, reasonCode: string | null = null): void => {
    Object.assign(row, { status, reasonCode, dueAt: null });
  };
  const answers = {
    readCollection: () => ({ ...row }),
    askForCollectionAgain: (): null => {
      row.inquiries += 1;
      row.dueAt = hours(2 ** (row.inquiries + 1) - 1);
      return null;
    },
  };
  return { row, decide, answers };
};

const run = ({ answers }: ReturnType<typeof world>, script: readonly Happening[] = []) =>
  play({ flow: mandateDeposit, input, answers, script, startAt: friday });

test("it waits for the bank's word, and says until when", async () => {
  const played = await run(world());
  expect(played.steps).toEqual(["readCollection"]);
  expect(played.waitingFor).toEqual(["bankOutcome"]);
  expect(played.statuses).toEqual([
    "Requested, waiting for the bank (asked again on 2026-11-20T06:00:00.000Z)",
  ]);
});

test("while the bank is silent the same is asked for again, each time after twice as long", async () => {
  const it = world();
  const played = await run(it, ["timePasses", "timePasses", "timePasses"]);
  expect(it.row.inquiries).toBe(3);
  expect(played.now.toISOString()).toBe(hours(7));
  expect(played.inputs.filter((given) => "inquiries" in (given as object))).toEqual(
    [0, 1, 2].map((inquiries) => ({ ...input, inquiries })),
  );
  expect(played.waitingFor).toEqual(["bankOutcome"]);
});

test.each([
  ["Booked", null, "Booked"],
  ["Refused", "AM04", "Refused: AM04"],
  ["Returned", "MD06", "Returned: MD06"],
  ["Unknown", null, "Unknown"],
])("it ends with %s (%s)", async (status, reasonCode, says) => {
  const it = world();
  it.decide(status, reasonCode);
  const played = await run(it);
  expect(played.output).toEqual({ status });
  expect(played.statuses).toEqual([says]);
});

test("an event that says nothing new changes nothing, and what came without one is found in time", async () => {
  const it = world();
  const reads = [{ ...it.row }, { ...it.row }];
  const answers = {
    ...it.answers,
    readCollection: () => {
      const read = reads.shift();
      if (read === undefined) it.decide("Booked");
      return read ?? { ...it.row };
    },
  };
  const script = [{ raise: "bankOutcome" }, "timePasses"] as const;
  const played = await play({ flow: mandateDeposit, input, answers, script, startAt: friday });
  expect(played.steps).toEqual(["readCollection", "readCollection", "readCollection"]);
  expect(played.output).toEqual({ status: "Booked" });
});
