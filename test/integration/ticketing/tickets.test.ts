/** The ticket's commands on a real database: every pair of states, what a change leaves behind, races. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { TimelineItem } from "../../../shared/contracts/ticketing/tickets.js";
import {
  addComment,
  operateTicket,
  updateTicketStatus,
} from "../../../shared/database/ticketing/changes.js";
import { expireTicket, readTicketClock } from "../../../shared/database/ticketing/flow.js";
import {
  createTicket,
  findTicket,
  listTickets,
  listWalletTickets,
} from "../../../shared/database/ticketing/tickets.js";
import { rememberedTimelines } from "../../../shared/database/ticketing/timelines.js";
import {
  operatorMoves,
  partnerMoves,
  ticketStatuses,
  type OperatorMove,
  type TicketStatus,
} from "../../../shared/domain/ticketing/status.js";
import { outboxOf } from "../../support/wallet/bank-fixtures.js";
import {
  acmeActor,
  globexActor,
  hoursPass,
  newTicket,
  openTicket,
  openTicketIn,
  operate,
  operator,
  traceOf,
} from "../../support/ticketing/ticket-fixtures.js";
import {
  auditOf,
  made,
  openWallet,
  openWalletTest,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";
import { envelope } from "../../support/wallet/wallet-events.js";

const timelines = rememberedTimelines();
let tickets: WalletTest;
beforeAll(async () => {
  tickets = await openWalletTest();
});
afterAll(() => tickets.end());

const find = async (caseNumber: string) =>
  made(await findTicket(tickets.database, acmeActor, caseNumber));
const itemsOf = async (caseNumber: string) =>
  z
    .array(TimelineItem)
    .parse(JSON.parse(made(await timelines.read(tickets.database, acmeActor, caseNumber))));
const timelineOf = async (caseNumber: string) =>
  (await itemsOf(caseNumber)).map(({ createdby, text }) => `${createdby}: ${text}`);
const lastMessage = async (caseNumber: string) =>
  (await outboxOf(tickets.database, caseNumber)).at(-1);
const hoursAfter = (from: string, hours: number): string =>
  new Date(Date.parse(from) + hours * 3_600_000).toISOString();

/** What the documents allow a partner, written out once more. */
const allowed: ReadonlySet<string> = new Set([
  "New > Canceled",
  "In progress > Canceled",
  "WaitingForCustomer > Canceled",
  "Resolved > Closed",
]);
const pairs = ticketStatuses.flatMap((from) => ticketStatuses.map((to) => [from, to] as const));

describe("a partner's status update", () => {
  test.each(pairs)("from %s to %s", async (from, to) => {
    const caseNumber = await openTicketIn(tickets.database, from);
    const before = await traceOf(tickets.database, caseNumber);
    const move = { from: partnerMoves[to], to, text: "Tutto bene" };
    const update = () => updateTicketStatus(tickets.database, acmeActor, caseNumber, move);
    const updated = await update();

    if (!allowed.has(`${from} > ${to}`)) {
      expect(updated).toMatchObject({ ok: false, code: "TicketTransitionInvalid" });
      expect(await traceOf(tickets.database, caseNumber)).toEqual(before);
      return;
    }
    const ticket = made(updated);
    expect(ticket).toMatchObject({
      status: to,
      closureDate: expect.stringMatching(/Z$/) as string,
      closureResponse: to === "Closed" ? "Tutto bene" : null,
    });
    expect(ticket).toMatchObject(await find(caseNumber));
    expect((await timelineOf(caseNumber)).slice(-2)).toEqual([
      "acme-client: Tutto bene",
      `acme-client: acme-client changed status from [${from}] to [${to}]`,
    ]);
    expect(await lastMessage(caseNumber)).toMatchObject({
      subject: "TicketStatusChanged",
      destinations: ["acme", "platform-events"],
      body: {
        ...{ casenumber: caseNumber, previousStatus: from, status: to },
        ...{ changedBy: "acme-client", text: "Tutto bene" },
      },
    });
    // Once more is once too often.
    expect(await update()).toMatchObject({ ok: false, code: "TicketTransitionInvalid" });
  });
});

const operatorPairs = (Object.keys(operatorMoves) as OperatorMove[]).flatMap((action) =>
  ticketStatuses.map((from) => [action, from] as const),
);
const operatorAllowed: Readonly<Record<string, TicketStatus>> = {
  "takeInCharge New": "In progress",
  "reject New": "Rejected",
  "askCustomer In progress": "WaitingForCustomer",
  "resolve In progress": "Resolved",
  "reject In progress": "Rejected",
  "resume WaitingForCustomer": "In progress",
  "resolve WaitingForCustomer": "Resolved",
  "reject WaitingForCustomer": "Rejected",
};

describe("an operator's move", () => {
  test.each(operatorPairs)("%s from %s", async (action, from) => {
    const caseNumber = await openTicketIn(tickets.database, from);
    const before = await traceOf(tickets.database, caseNumber);
    const move = { ...operatorMoves[action], action, text: "Ecco perché" };
    const moved = await operateTicket(tickets.database, operator, caseNumber, move);
    const to = operatorAllowed[`${action} ${from}`];
    if (to === undefined) {
      expect(moved).toMatchObject({ ok: false, code: "TicketTransitionInvalid" });
      expect(await traceOf(tickets.database, caseNumber)).toEqual(before);
      return;
    }
    expect(made(moved)).toMatchObject({ status: to, closureDate: null, takenInChargeOn: null });
    expect((await find(caseNumber)).resolvedDate === null).toBe(to !== "Resolved");
    expect((await timelineOf(caseNumber)).slice(-2)).toEqual([
      "PlatformOperator: Ecco perché",
      `PlatformOperator: PlatformOperator changed status from [${from}] to [${to}]`,
    ]);
    expect((await auditOf(tickets.database, caseNumber)).at(-1)).toMatchObject({
      actor: "operator-client",
      action,
    });
    expect(await lastMessage(caseNumber)).toMatchObject({
      subject: "TicketStatusChanged",
      body: { changedBy: "PlatformOperator", text: "Ecco perché" },
    });
  });

  test("an unavailable service's ticket says since when somebody works on it", async () => {
    const caseNumber = await openTicket(tickets.database, { type: "Alert", priority: 0 });
    await operate(tickets.database, caseNumber, "takeInCharge");
    expect((await find(caseNumber)).takenInChargeOn).toMatch(/Z$/);
  });
});

const commented: Readonly<Record<TicketStatus, TicketStatus | null>> = {
  New: "New",
  "In progress": "In progress",
  WaitingForCustomer: "In progress",
  Resolved: "In progress",
  Closed: null,
  Canceled: null,
  Rejected: null,
};

describe("a comment", () => {
  test.each(Object.entries(commented))("on a ticket that is %s", async (from, to) => {
    const caseNumber = await openTicketIn(tickets.database, from as TicketStatus);
    const before = await traceOf(tickets.database, caseNumber);
    const messages = (await outboxOf(tickets.database, caseNumber)).length;
    const text = "1 < 2 & <così>\n";
    const answer = await addComment(tickets.database, acmeActor, caseNumber, text);
    if (to === null) {
      expect(answer).toMatchObject({ ok: false, code: "TicketOver" });
      expect(await traceOf(tickets.database, caseNumber)).toEqual(before);
      return;
    }
    expect(made(answer)).toMatchObject({ status: to, resolvedDate: null });
    const moved = [
      `SystemDaemon: SystemDaemon changed status from [${from}] to [In progress]`,
    ].filter(() => from !== to);
    expect((await timelineOf(caseNumber)).slice(-1 - moved.length)).toEqual([
      `acme-client: ${text}`,
      ...moved,
    ]);
    const told = (await outboxOf(tickets.database, caseNumber)).slice(messages);
    expect(told.map(({ subject, body }) => [subject, body])).toEqual([
      [
        "TicketCommentAdded",
        expect.objectContaining({ text, status: to, createdBy: "acme-client" }),
      ],
      ...moved.map((): unknown[] => [
        "TicketStatusChanged",
        expect.objectContaining({ previousStatus: from, changedBy: "SystemDaemon", text: null }),
      ]),
    ]);
  });

  test("starts the expiration's clock anew where the ticket waited for it, and only there", async () => {
    const caseNumber = await openTicketIn(tickets.database, "In progress", { slaHours: 8 });
    const { openingDate, expirationDate } = await find(caseNumber);
    expect(expirationDate).toBe(hoursAfter(openingDate, 8));
    await hoursPass(tickets.database, 1);
    await addComment(tickets.database, acmeActor, caseNumber, "Nulla cambia");
    expect((await find(caseNumber)).expirationDate).toBe(expirationDate);
    await operate(tickets.database, caseNumber, "askCustomer");
    await hoursPass(tickets.database, 20);
    await addComment(tickets.database, acmeActor, caseNumber, "Ecco la risposta");
    const [last] = (await itemsOf(caseNumber)).slice(-1);
    expect((await find(caseNumber)).expirationDate).toBe(hoursAfter(last?.createdon ?? "", 8));
  });
});

test("a resumed ticket has the time that was left when the customer was asked", async () => {
  const caseNumber = await openTicketIn(tickets.database, "In progress", { slaHours: 8 });
  const { expirationDate } = await find(caseNumber);
  await hoursPass(tickets.database, 3);
  await operate(tickets.database, caseNumber, "askCustomer");
  const asked = (await itemsOf(caseNumber)).at(-1)?.createdon ?? "";
  await hoursPass(tickets.database, 20);
  expect((await find(caseNumber)).expirationDate).toBe(expirationDate);
  await operate(tickets.database, caseNumber, "resume");
  const resumed = (await itemsOf(caseNumber)).at(-1)?.createdon ?? "";
  const waited = Date.parse(resumed) - Date.parse(asked);
  const expected = Date.parse(expirationDate ?? "") + waited;
  expect(
    Math.abs(Date.parse((await find(caseNumber)).expirationDate ?? "") - expected),
  ).toBeLessThan(3);
});

test("a passed deadline is told once, and not of a ticket that moved meanwhile", async () => {
  const caseNumber = await openTicketIn(tickets.database, "New", { slaHours: 8 });
  const dueOn = (await readTicketClock(tickets.database, caseNumber))?.dueOn ?? "";
  await expireTicket(tickets.database, { caseNumber, dueOn: hoursAfter(dueOn, 1) });
  expect(await lastMessage(caseNumber)).toMatchObject({ subject: "TicketCreated" });
  await expireTicket(tickets.database, { caseNumber, dueOn });
  await expireTicket(tickets.database, { caseNumber, dueOn });
  const subjects = (await outboxOf(tickets.database, caseNumber)).map(({ subject }) => subject);
  expect(subjects).toEqual(["TicketCreated", "TicketExpired"]);
  expect(await lastMessage(caseNumber)).toMatchObject({
    destinations: ["acme", "platform-events"],
    body: { casenumber: caseNumber, status: "New", priority: "2", expirationDate: dueOn },
  });
});

describe("a new ticket", () => {
  test("has every field, one line of timeline, one audit row and the event TicketCreated", async () => {
    const { walletId } = await openWallet(tickets.database);
    const ticket = newTicket({ walletId, type: "Consumer", category: "SDD", externalId: "X-1" });
    const { caseNumber } = made(await createTicket(tickets.database, acmeActor, ticket));
    const detail = await find(caseNumber);
    expect(detail).toEqual({
      casenumber: caseNumber,
      externalID: "X-1",
      type: "Wallet",
      walletID: walletId,
      subject: "Una domanda",
      status: "New",
      partner: "acme",
      openingDate: detail.openingDate,
      expirationDate: hoursAfter(detail.openingDate, 24),
      resolvedDate: null,
      closureDate: null,
      closureResponse: null,
      priority: "2",
      takenInChargeOn: null,
    });
    expect(await timelineOf(caseNumber)).toEqual([`acme-client: ${ticket.description}`]);
    expect((await auditOf(tickets.database, caseNumber)).length).toBe(1);
    const [message, ...more] = await outboxOf(tickets.database, caseNumber);
    expect(more).toEqual([]);
    expect(message).toMatchObject({
      subject: "TicketCreated",
      destinations: ["acme", "platform-events"],
    });
    expect(message?.body).toEqual({
      ...envelope(message?.messageId ?? ""),
      casenumber: caseNumber,
      partnerKey: "acme",
      externalID: "X-1",
      type: "Wallet",
      walletID: walletId,
      product: "wallet",
      impact: null,
      category: "SDD",
      subject: "Una domanda",
      status: "New",
      priority: "2",
      openingDate: detail.openingDate,
      expirationDate: detail.expirationDate,
    });
  });

  test("needs a wallet of the partner's own, and leaves nothing behind without it", async () => {
    const { walletId } = await openWallet(tickets.database);
    const ticket = newTicket({ walletId, type: "Consumer" });
    expect(await createTicket(tickets.database, globexActor, ticket)).toMatchObject({
      code: "WalletNotFound",
    });
    expect(await traceOf(tickets.database, ticket.caseNumber)).toBeUndefined();
  });
});

test("of twenty who close a ticket at once, one does", async () => {
  const caseNumber = await openTicketIn(tickets.database, "Resolved");
  const move = { from: partnerMoves.Closed, to: "Closed" as const };
  const tries = await Promise.all(
    Array.from({ length: 20 }, (_, place) =>
      updateTicketStatus(tickets.database, acmeActor, caseNumber, {
        ...move,
        text: `Risposta ${place}`,
      }),
    ),
  );
  expect(tries.filter(({ ok }) => ok).length).toBe(1);
  const changes = (await timelineOf(caseNumber)).filter((line) => line.includes("to [Closed]"));
  expect(changes.length).toBe(1);
});

test("of a close and a comment at the same time, one wins and the other is told", async () => {
  for (let round = 0; round < 10; round += 1) {
    const caseNumber = await openTicketIn(tickets.database, "Resolved");
    const [closed, comment] = await Promise.all([
      updateTicketStatus(tickets.database, acmeActor, caseNumber, {
        from: partnerMoves.Closed,
        to: "Closed",
        text: "Fatto",
      }),
      addComment(tickets.database, acmeActor, caseNumber, "Un momento"),
    ]);
    expect([closed.ok, comment.ok].filter(Boolean).length).toBe(1);
  }
});

test("another partner finds nothing of a ticket, and changes nothing", async () => {
  const { walletId } = await openWallet(tickets.database);
  const caseNumber = await openTicket(tickets.database, { walletId, type: "Consumer" });
  const before = await traceOf(tickets.database, caseNumber);
  const { database } = tickets;
  const asGlobex = [
    await findTicket(database, globexActor, caseNumber),
    await timelines.read(database, globexActor, caseNumber),
    await addComment(database, globexActor, caseNumber, "Salve"),
    await updateTicketStatus(database, globexActor, caseNumber, {
      from: ["New"],
      to: "Canceled",
      text: null,
    }),
    await operateTicket(database, globexActor, caseNumber, {
      ...operatorMoves.reject,
      action: "reject",
      text: "No",
    }),
  ];
  for (const answer of asGlobex) expect(answer).toMatchObject({ code: "TicketNotFound" });
  expect(await listWalletTickets(database, globexActor, walletId)).toMatchObject({
    code: "WalletNotFound",
  });
  const page = { status: "New", type: undefined, externalId: undefined, page: 0 } as const;
  expect(await listTickets(database, "globex", page)).toEqual([]);
  expect(await traceOf(database, caseNumber)).toEqual(before);
});

test("pages hold ten tickets each in the order of creation, of one type where it is asked for", async () => {
  const { database } = tickets;
  const made23 = [];
  for (let place = 0; place < 23; place += 1)
    made23.push(
      made(
        await createTicket(
          database,
          globexActor,
          newTicket(place % 2 === 0 ? { type: "Alert" } : { type: "Business" }),
        ),
      ).caseNumber,
    );
  const { walletId } = await openWallet(database);
  const own = made(
    await createTicket(database, acmeActor, newTicket({ walletId, type: "Consumer" })),
  );
  const pageOf = async (page: number, type?: string) =>
    (
      await listTickets(database, "globex", { status: "New", type, externalId: undefined, page })
    ).map(({ casenumber }) => casenumber);
  expect(await pageOf(0)).toEqual(made23.slice(0, 10));
  expect(await pageOf(2)).toEqual(made23.slice(20));
  expect(await pageOf(3)).toEqual([]);
  expect(await pageOf(2 ** 31 - 1)).toEqual([]);
  expect(await pageOf(1, "Management")).toEqual(made23.slice(10, 20));
  expect(await pageOf(0, "Wallet")).toEqual([]);
  const listed = made(await listWalletTickets(database, acmeActor, walletId));
  expect(listed.map(({ casenumber }) => casenumber)).toEqual([own.caseNumber]);
});
