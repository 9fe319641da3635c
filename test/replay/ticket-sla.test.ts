/** Plays the flow of a ticket to each of its ends. */
import { expect, test } from "vitest";
import { ticketSla } from "../../orchestrations/ticket-sla.flow.js";
import { play, type Answers, type Happening } from "./play.js";

const input = { caseNumber: "CAS-2345-6789-ABCD" };
const dueOn = "2026-11-21T09:00:00.000Z";
const closesOn = "2026-11-25T09:00:00.000Z";

/** The ticket's row, as small as a test needs it. */
const world = (status: string, due: string | null) => {
  const row = { status, dueOn: due };
  const answers: Answers = {
    readTicketClock: () => ({ ...row }),
    expireTicket: () => {
      row.dueOn = null;
      return null;
    },
    resolveSilentTicket: () => {
      row.status = "Resolved";
      row.dueOn = closesOn;
      return null;
    },
    closeSilentTicket: () => {
      row.status = "Closed";
      row.dueOn = null;
      return null;
    },
  };
  return { row, answers };
};

const run = (answers: Answers, script: readonly Happening[] = []) =>
  play({ flow: ticketSla, input, answers, script });

const changed: Happening = { raise: "ticketChanged" };

test("a ticket that nobody resolves expires once, and is followed further", async () => {
  const played = await run(world("New", dueOn).answers, ["timePasses"]);
  expect(played.steps).toEqual([
    "readTicketClock",
    "readTicketClock",
    "expireTicket",
    "readTicketClock",
  ]);
  expect(played.inputs[2]).toEqual({ ...input, dueOn });
  expect(played.now.toISOString()).toBe(dueOn);
  expect(played.statuses).toEqual([`New, expires on ${dueOn}`, "New, past its expiration date"]);
  expect(played.waitingFor).toEqual(["ticketChanged"]);
});

test("while it waits for the customer no time passes, and a comment starts the clock anew", async () => {
  const { row, answers } = world("WaitingForCustomer", null);
  const later = "2026-12-24T09:00:00.000Z";
  const answered = { ...answers, readTicketClock: () => ({ ...row }) };
  const waiting = await run(answered);
  expect(waiting.statuses).toEqual(["Waiting for the customer, the clock stands still"]);
  expect(waiting.waitingFor).toEqual(["ticketChanged"]);

  let reads = 0;
  const commented = () => {
    reads += 1;
    return reads === 1 ? { ...row } : { status: "In progress", dueOn: row.dueOn ?? later };
  };
  const played = await run({ ...answers, readTicketClock: commented }, [changed]);
  expect(played.statuses.at(-1)).toBe(`In progress, expires on ${later}`);
  expect(played.steps).not.toContain("expireTicket");
});

test("a question that nobody answers resolves the ticket, and its silence then closes it", async () => {
  const played = await run(world("WaitingForCustomer", dueOn).answers, [
    "timePasses",
    "timePasses",
  ]);
  expect(played.statuses.slice(0, 2)).toEqual([
    `Waiting for the customer until ${dueOn}, the clock stands still`,
    `Resolved, closes on ${closesOn} unless somebody writes`,
  ]);
  expect(played.steps.filter((name) => name !== "readTicketClock")).toEqual([
    "resolveSilentTicket",
    "closeSilentTicket",
  ]);
  expect(played.output).toEqual({ status: "Closed" });
});

test("four silent days close a resolved ticket, and the flow with it", async () => {
  const played = await run(world("Resolved", closesOn).answers, ["timePasses"]);
  expect(played.steps.slice(-2)).toEqual(["closeSilentTicket", "readTicketClock"]);
  expect(played.now.toISOString()).toBe(closesOn);
  expect(played.output).toEqual({ status: "Closed" });
});

test("a word in these days leaves it open until the days are over again", async () => {
  const { row, answers } = world("Resolved", closesOn);
  const moved = "2026-11-27T10:00:00.000Z";
  let reads = 0;
  const read = () => {
    reads += 1;
    if (reads === 2) row.dueOn = moved;
    return { ...row };
  };
  const played = await run({ ...answers, readTicketClock: read }, ["timePasses", "timePasses"]);
  expect(played.steps.filter((name) => name === "closeSilentTicket").length).toBe(1);
  expect(played.now.toISOString()).toBe(moved);
});

test.each(["Closed", "Canceled", "Rejected", "Unknown"])(
  "a ticket that is %s ends it",
  async (status) => {
    const played = await run(world(status, null).answers);
    expect(played.steps).toEqual(["readTicketClock"]);
    expect(played.output).toEqual({ status });
  },
);

test("a date long past is acted on at once", async () => {
  const played = await run(world("In progress", "2020-01-01T00:00:00.000Z").answers);
  expect(played.steps).toEqual(["readTicketClock", "expireTicket", "readTicketClock"]);
});
