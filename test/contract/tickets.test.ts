/** Every endpoint of the ticketing API: success, each documented refusal, another partner, no token. */
import { STATUS_CODES } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { customer } from "../../bench/platform/customers.js";
import { endpointsOf } from "../../functions/endpoints.js";
import type { Route } from "../../shared/contracts/route.js";
import { getAttachmentRoute } from "../../shared/contracts/ticketing/attachments.js";
import * as changes from "../../shared/contracts/ticketing/changes.js";
import * as operators from "../../shared/contracts/ticketing/operators.js";
import * as tickets from "../../shared/contracts/ticketing/tickets.js";
import { createWalletRoute } from "../../shared/contracts/wallet/wallets.js";
import type { Database } from "../../shared/database/platform/database.js";
import {
  addressOf,
  callerOf,
  clientOf,
  openStackDatabase,
  send,
  type Answer,
} from "../support/platform/api.js";
import { readOpenApi, type Misfits } from "../support/platform/openapi-check.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";
import {
  consumerBody,
  ticketCases,
  unknownTicket,
  unknownWallet,
  type TicketCall,
  type TicketWorld,
} from "../support/ticketing/ticket-cases.js";
import { openTicketIn } from "../support/ticketing/ticket-fixtures.js";
import { valueOf } from "../support/ticketing/tickets.js";

let stack: TestStack;
let database: Database;
let misfits: Misfits;
let world: TicketWorld;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  stack = await startTestStack();
  database = openStackDatabase(stack);
  misfits = await readOpenApi(stack, "ticketing");
  for (const partner of ["acme", "globex", "initech", "platform"])
    tokens[partner] = await clientOf(stack, partner).token();
  const open = async (partner: string, originatingDealerKey: string) => {
    const body = { ...customer(1).owner, originatingDealerKey };
    return valueOf(await clientOf(stack, partner).call(createWalletRoute, { body })).walletId;
  };
  world = {
    walletId: await open("acme", "dealer-rome"),
    walletOfGlobex: await open("globex", "dealer-turin"),
  };
});
afterAll(async () => {
  await database.close();
  await stack.stop();
});

const open = (status: Parameters<typeof openTicketIn>[1]): Promise<string> =>
  openTicketIn(database, status, { walletId: world.walletId });

const request = async (route: Route, call: TicketCall): Promise<Answer> => {
  const { ticket, as = "acme", params, query = "", body, bytes } = call;
  const casenumber = ticket === undefined ? unknownTicket : await open(ticket);
  const content = bytes ?? (body === undefined ? undefined : JSON.stringify(body));
  const type = bytes === undefined ? "application/json" : "application/octet-stream";
  return send(stack, `${addressOf(route, { casenumber, ...params })}${query}`, {
    method: route.method,
    headers: {
      ...(as === null ? {} : { authorization: `Bearer ${tokens[as] ?? ""}` }),
      ...(content === undefined ? {} : { "content-type": type }),
    },
    ...(content === undefined ? {} : { body: content }),
  });
};

const expectRefusal = (answer: Answer, status: number): void => {
  expect([answer.status, answer.body]).toEqual([
    status,
    {
      error: STATUS_CODES[status],
      error_description: expect.stringMatching(/^[A-Z].+\.$/s) as unknown,
    },
  ]);
};

describe("each endpoint answers as documented", () => {
  test.each(ticketCases.map((row) => [row.route.id, row.what, row.status, row] as const))(
    "%s: %s is %i",
    async (_id, _what, status, { route, call }) => {
      const answer = await request(route, call(world));
      if (status === 200) expect([answer.status, answer.body]).toMatchObject([200, {}]);
      else expectRefusal(answer, status);
      expect(misfits(route, answer)).toEqual([]);
    },
  );

  test("no route was left out", () => {
    const declared = endpointsOf("development")
      .map(({ route }) => route)
      .filter(({ api }) => api === "ticketing")
      .map(({ id }) => id);
    const done = ticketCases.filter(({ status }) => status === 200).map(({ route }) => route.id);
    expect(new Set([...done, getAttachmentRoute.id])).toEqual(new Set(declared));
  });
});

/** Each endpoint's first call, a sound one. */
const first = [...new Map(ticketCases.toReversed().map((row) => [row.route.id, row]))];
const aboutSomething = first.filter(
  ([, { route }]) => callerOf(route) === "acme" && /\{(casenumber|walletid)\}/.test(route.path),
);

describe("another partner", () => {
  /** Each answer has its own. */
  const ownNames = ["date", "x-ms-invocation-id", "x-request-id"];

  /** All that could tell two answers apart, but for the names that were asked for. */
  const appearance = ({ status, headers, body }: Answer, names: readonly string[]): string => {
    const kept = [...headers].filter(([name]) => !ownNames.includes(name));
    return names.reduce(
      (text, name) => text.replaceAll(name, "ID"),
      JSON.stringify([status, kept, body]),
    );
  };

  test.each(aboutSomething)("cannot tell acme's from unknown ones by %s", async (_id, row) => {
    const call = row.call(world);
    const ask = (casenumber: string, walletid: string): Promise<Answer> => {
      const params = { ...call.params, casenumber, walletid };
      // The parameters come after the ticket that the call would make for itself.
      return request(row.route, { ...call, as: "globex", params });
    };
    const casenumber = await open("In progress");
    const others = await ask(casenumber, world.walletId);
    const unknown = await ask(unknownTicket, unknownWallet);
    expectRefusal(others, 404);
    const names = [casenumber, world.walletId, unknownTicket, unknownWallet];
    expect(appearance(others, names)).toBe(appearance(unknown, names));
  });

  test("sees none of acme's tickets in its list", async () => {
    await open("New");
    const answer = await request(tickets.listTicketsRoute, {
      as: "globex",
      params: { status: "New" },
    });
    expect([answer.status, answer.body]).toEqual([200, { response: [] }]);
  });
});

test.each(first)("%s is 401 without a token", async (_id, { route, call }) => {
  expectRefusal(await request(route, { ...call(world), as: null }), 401);
});

test.each(first.filter(([, { route }]) => route.role !== "Ticket.Read"))(
  "%s is 403 for a partner that only reads",
  async (_id, { route, call }) => {
    expectRefusal(await request(route, { ...call(world), as: "initech" }), 403);
  },
);

describe("what is answered", () => {
  test("a created ticket's number finds it, with all that was sent", async () => {
    const body = consumerBody(world.walletId);
    const created = await request(tickets.createTicketRoute, { body });
    const { Response } = tickets.createTicketRoute.ok.schema.parse(created.body);
    const casenumber = Response.caseNumber;
    const found = await request(tickets.getTicketRoute, { params: { casenumber } });
    expect(found.body).toEqual({
      response: {
        ...{ casenumber, externalID: "X-1", type: "Wallet", walletID: world.walletId },
        ...{ subject: "SDD > 0", status: "New", partner: "acme", priority: "1" },
        openingDate: expect.stringMatching(/Z$/) as unknown,
        expirationDate: expect.stringMatching(/Z$/) as unknown,
        ...{ resolvedDate: null, closureDate: null, closureResponse: null, takenInChargeOn: null },
      },
    });
  });

  test.each(["Status", "status", "STATUS"])("%s is never taken for a status", async (literal) => {
    const params = { newStatus: literal };
    const answer = await request(changes.updateStatusPathRoute, { ticket: "New", params });
    expectRefusal(answer, 422);
    expect(answer.body).toMatchObject({
      error_description:
        "The body does not fit the schema: correct what is named. It is missing: send a JSON body.",
    });
  });

  test("a refused status is answered with those that there are, as addresses write them", async () => {
    const statuses = "New, InProgress, WaitingForCustomer, Resolved, Closed, Canceled, Rejected";
    const params = { newStatus: "Open" };
    const answer = await request(changes.updateStatusPathRoute, { ticket: "New", params });
    expect(answer.body).toEqual({
      error: "Unprocessable Entity",
      error_description: `The path names no status of tickets: name one that there is. newStatus must be one of ${statuses}.`,
    });
  });

  test("a word of any length that is no status is 422, a case number of any length that is nobody's 404", async () => {
    const long = "x".repeat(4_000);
    const status = { ticket: "New", params: { newStatus: long } } as const;
    expectRefusal(await request(changes.updateStatusPathRoute, status), 422);
    const unknown = { params: { casenumber: long } };
    expectRefusal(await request(tickets.getTicketRoute, unknown), 404);
  });

  test("an operator reads and moves every partner's tickets", async () => {
    const call = { as: "platform", params: { casenumber: await open("New") } } as const;
    const body = { text: "Ci pensiamo noi" };
    expect((await request(operators.takeInChargeRoute, { ...call, body })).body).toMatchObject({
      response: { ...call.params, status: "In progress", partner: "acme" },
    });
    expect((await request(tickets.getTicketRoute, call)).status).toBe(200);
  });

  test("a text with < and > comes back exactly as it was sent", async () => {
    const params = { casenumber: await open("New") };
    const text = "a < b && c > d; <nome> \t<3 \u{1F600} &amp; 100%\r\n«fine»";
    await request(changes.postCommentRoute, { params, body: { text } });
    const timeline = await request(tickets.getTimelineRoute, { params });
    const { response } = tickets.getTimelineRoute.ok.schema.parse(timeline.body);
    expect(response.at(-1)).toMatchObject({ createdby: "acme-client", text });
  });

  test("a partner that is not registered for ticketing has no lists", async () => {
    await database.execute(
      `update borsello.partner set settings = settings || '{"ticketing":{"enabled":false}}'
       where partner_key = 'initech'`,
    );
    const ask = () =>
      request(tickets.listTicketsRoute, { as: "initech", params: { status: "New" } });
    await expect.poll(async () => (await ask()).status).toBe(404);
    expectRefusal(await ask(), 404);
  });
});
