/** Tickets between a partner and the platform's operators: each command in each state, and what both see. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as changes from "../../shared/contracts/ticketing/changes.js";
import * as operators from "../../shared/contracts/ticketing/operators.js";
import type { Route } from "../../shared/contracts/route.js";
import * as tickets from "../../shared/contracts/ticketing/tickets.js";
import type { Database } from "../../shared/database/platform/database.js";
import { createTicket, findTicket } from "../../shared/database/ticketing/tickets.js";
import { ticketStatuses, type TicketStatus } from "../../shared/domain/ticketing/status.js";
import {
  addressOf,
  clientOf,
  openStackDatabase,
  partnerNamed,
  send,
  trueSigner,
  type Answer,
  type Claims,
} from "../support/platform/api.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";
import { expectedOf, ticketCommands, type Command } from "../support/ticketing/ticket-commands.js";
import {
  globexActor,
  newTicket,
  openTicket,
  openTicketIn,
  operator,
  traceOf,
} from "../support/ticketing/ticket-fixtures.js";
import { outboxOf } from "../support/wallet/bank-fixtures.js";
import { made } from "../support/wallet/wallet-fixtures.js";

let stack: TestStack;
let database: Database;
let sign: (change: Claims) => Promise<string>;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  stack = await startTestStack();
  database = openStackDatabase(stack);
  for (const partner of ["acme", "globex", "platform"])
    tokens[partner] = await clientOf(stack, partner).token();
  sign = await trueSigner(stack, database);
});
afterAll(async () => {
  await database.close();
  await stack.stop();
});

type Called = Command["call"] & { readonly token?: string | undefined };

const call = (
  route: Route,
  { token, params, query = "", body, bytes }: Called,
): Promise<Answer> => {
  const content = bytes ?? (body === undefined ? undefined : JSON.stringify(body));
  return send(stack, `${addressOf(route, params)}${query}`, {
    method: route.method,
    headers: {
      authorization: `Bearer ${token ?? tokens["acme"] ?? ""}`,
      "content-type": bytes === undefined ? "application/json" : "application/octet-stream",
    },
    ...(content === undefined ? {} : { body: content }),
  });
};

const statusOf = async (caseNumber: string): Promise<TicketStatus> =>
  made(await findTicket(database, operator, caseNumber)).status;

const calls = Object.entries(ticketCommands).flatMap(([name, command]) =>
  ["acme", "globex", "platform"].map((actor) => [name, actor, command] as const),
);

/** Those that no call has changed serve the next one, too. */
const unchanged = new Map<TicketStatus, string>();

test.each(calls)("%s by %s, in each state", async (_name, actor, command) => {
  for (const from of ticketStatuses) {
    const casenumber = unchanged.get(from) ?? (await openTicketIn(database, from));
    const before = await traceOf(database, casenumber);
    const params = { ...command.call.params, casenumber };
    const answer = await call(command.route, { ...command.call, params, token: tokens[actor] });
    const expected = expectedOf(command, actor, from);
    if (typeof expected === "number") {
      expect([from, answer.status]).toEqual([from, expected]);
      expect(await traceOf(database, casenumber)).toEqual(before);
      unchanged.set(from, casenumber);
    } else {
      expect([from, answer.status, await statusOf(casenumber)]).toEqual([from, 200, expected]);
      unchanged.delete(from);
    }
  }
});

const timelineOf = async (casenumber: string) => {
  const { body } = await call(tickets.getTimelineRoute, { params: { casenumber } });
  const { response } = tickets.getTimelineRoute.ok.schema.parse(body);
  return response.map(({ createdby, text: said }) => `${createdby}: ${said}`);
};
const detailOf = async (casenumber: string) => {
  const { body } = await call(tickets.getTicketRoute, { params: { casenumber } });
  return tickets.getTicketRoute.ok.schema.parse(body).response;
};
const eventsOf = async (casenumber: string) =>
  (await outboxOf(database, casenumber)).map(({ subject, body }) => ({ subject, body }));

const said = "Un operatore";
const [inProgress, waiting] = ["In progress", "WaitingForCustomer"] as const;
const creation = {
  ...{ type: "Business", category: "Segnalazioni B2B", product: "cards", impact: "isolato" },
  description: "Il <b>terminale</b> tace",
};
const create = async (token?: string): Promise<string> => {
  const { body } = await call(tickets.createTicketRoute, { token, body: creation });
  return tickets.createTicketRoute.ok.schema.parse(body).Response.caseNumber;
};

describe("what both read", () => {
  test("the first entry of a timeline is the description, and operators have it in the detail", async () => {
    const casenumber = await create();
    expect(await timelineOf(casenumber)).toEqual([`acme-client: ${creation.description}`]);
    const token = tokens["platform"];
    const { status, body } = await call(operators.getOperatorTicketRoute, {
      ...{ token, params: { casenumber } },
    });
    const { description, category, impact, product } = creation;
    expect([status, body]).toEqual([
      200,
      {
        response: {
          ...(await detailOf(casenumber)),
          ...{ partnerKey: "acme", createdby: "acme-client" },
          ...{ description, category, impact, product },
        },
      },
    ]);
  });

  test("the reason of a cancel is in the timeline and the event, and is no closing response", async () => {
    const casenumber = await create();
    const closingResponse = "Si è risolto da solo";
    const params = { casenumber, newStatus: "Canceled" };
    await call(changes.updateStatusPathRoute, { params, body: { closingResponse } });
    expect((await timelineOf(casenumber)).slice(1)).toEqual([
      `acme-client: ${closingResponse}`,
      "acme-client: acme-client changed status from [New] to [Canceled]",
    ]);
    expect(await detailOf(casenumber)).toMatchObject({ status: "Canceled", closureResponse: null });
    expect((await eventsOf(casenumber)).at(-1)).toMatchObject({
      subject: "TicketStatusChanged",
      body: { status: "Canceled", text: closingResponse, closureResponse: null },
    });
  });

  test("a user's token writes the user's name, unless no timeline could show it", async () => {
    const { roles } = partnerNamed("acme");
    const user = await sign({ roles, preferred_username: "maria.rossi@acme.example" });
    const casenumber = await create(user);
    await call(changes.postCommentRoute, {
      token: user,
      params: { casenumber },
      body: { text: said },
    });
    for (const preferred_username of [
      "<script>",
      "a\0",
      "",
      " ",
      "x".repeat(256),
      42,
      "systemDaemon",
    ]) {
      const token = await sign({ roles, preferred_username });
      const comment = { token, params: { casenumber }, body: { text: said } };
      expect([preferred_username, (await call(changes.postCommentRoute, comment)).status]).toEqual([
        preferred_username,
        200,
      ]);
    }
    const authors = (await timelineOf(casenumber)).map((line) => line.split(": ")[0]);
    const named = "maria.rossi@acme.example";
    expect(authors).toEqual([named, named, ...Array.from({ length: 7 }, () => "acme-client")]);
  });

  test("comments are told to the partner, whoever writes them", async () => {
    const casenumber = await openTicketIn(database, "WaitingForCustomer");
    const before = (await eventsOf(casenumber)).length;
    const params = { casenumber };
    const operate = { token: tokens["platform"], params, body: { text: said } };
    await call(operators.postOperatorCommentRoute, operate);
    await call(changes.postCommentRoute, { params, body: { text: "Ecco" } });
    expect((await eventsOf(casenumber)).slice(before)).toMatchObject([
      {
        subject: "TicketCommentAdded",
        body: { ...params, text: said, createdBy: "PlatformOperator", status: waiting },
      },
      { subject: "TicketCommentAdded", body: { text: "Ecco", createdBy: "acme-client" } },
      { subject: "TicketStatusChanged", body: { previousStatus: waiting, status: inProgress } },
    ]);
    expect((await timelineOf(casenumber)).at(-3)).toBe(`PlatformOperator: ${said}`);
  });
});

const listed = async (status: string, query = "", partner = "globex"): Promise<string[]> => {
  const { body } = await call(tickets.listTicketsRoute, {
    ...{ token: tokens[partner], params: { status }, query },
  });
  const { response } = tickets.listTicketsRoute.ok.schema.parse(body);
  return response.map(({ casenumber }) => casenumber);
};

describe("lists", () => {
  /** Tickets of globex, which has no others; the oldest first. */
  const some = async (count: number, externalId: string | null = null): Promise<string[]> => {
    const caseNumbers: string[] = [];
    for (let place = 0; place < count; place += 1)
      caseNumbers.push(
        made(await createTicket(database, globexActor, newTicket({ externalId }))).caseNumber,
      );
    return caseNumbers;
  };

  test.each(["Resolved", "Closed", "Canceled", "Rejected"])("%s: the newest first", async (to) => {
    const oldestFirst = await some(12);
    await database.execute(
      `update borsello.ticket set status = $2,
         closure_date = case when $2 in ('Closed', 'Canceled') then borsello.platform_now() end,
         closes_on = case when $2 = 'Resolved' then borsello.platform_now() + silence end
       where case_number = any ($1)`,
      [oldestFirst, to],
    );
    const newestFirst = oldestFirst.toReversed();
    expect(await listed(to)).toEqual(newestFirst.slice(0, 10));
    expect(await listed(to, "?page=1&type=Management")).toEqual(newestFirst.slice(10));
  });

  test("what is open: the oldest first; the partner's own number finds its tickets alone", async () => {
    const others = await some(2);
    const own = await some(3, "P/1 è");
    expect(await listed("New")).toEqual([...others, ...own]);
    const query = `?${String(new URLSearchParams({ externalid: "P/1 è" }))}`;
    expect(await listed("New", query)).toEqual(own);
    expect(await listed("New", `${query}&type=Wallet`)).toEqual([]);
    expect(await listed("InProgress", query)).toEqual([]);
    expect(await listed("New", query, "acme")).toEqual([]);
  });
});

const queue = async (query: string) => {
  const { body } = await call(operators.listQueueRoute, { token: tokens["platform"], query });
  return operators.listQueueRoute.ok.schema.parse(body).response;
};

test("the queue has what is open of every partner, by priority and then by expiration, fifty a page", async () => {
  for (const priority of [3, 0, 2, 1])
    for (const slaHours of [30, 5, 10, 7, 20, 3, 40, 15])
      await openTicket(database, { priority, slaHours });
  await openTicketIn(database, "WaitingForCustomer", { priority: 0, slaHours: 1 });
  const pages = [await queue(""), await queue("?page=1"), await queue("?page=2")];
  let page = 3;
  while (pages.at(-1)?.length === 50) pages.push(await queue(`?page=${(page++).toString()}`));
  const all = pages.flat();
  expect(pages[0]).toHaveLength(50);
  expect(new Set(all.map(({ casenumber }) => casenumber)).size).toBe(all.length);
  const open = new Set(["New", inProgress, waiting]);
  expect(all.every(({ status }) => open.has(status))).toBe(true);
  expect(new Set(all.map(({ partnerKey }) => partnerKey))).toEqual(new Set(["acme", "globex"]));
  const keys = all.map(
    ({ priority, expirationDate }) => `${priority ?? ""} ${expirationDate ?? ""}`,
  );
  expect(keys).toEqual(keys.toSorted());
  expect(all[0]).toMatchObject({ priority: "0", status: waiting });

  const only = await queue("?partner=globex");
  expect(only).toEqual(all.filter(({ partnerKey }) => partnerKey === "globex").slice(0, 50));
  const urgent = await queue("?status=New&priority=0&partner=acme");
  expect(urgent).toHaveLength(8);
  expect(urgent).toEqual(
    all.filter((one) => one.status === "New" && one.priority === "0" && one.partnerKey === "acme"),
  );
  expect((await queue("?status=closed")).every(({ status }) => status === "Closed")).toBe(true);
  expect(await queue("?partner=nobody")).toEqual([]);
  expect(await queue("?page=2147483647")).toEqual([]);
});
