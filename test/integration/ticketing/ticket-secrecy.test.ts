/** Another partner's ticket and one that there is not cost the same work, so that no clock tells them apart. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { databaseDocuments } from "../../../functions/kit/document-store.js";
import { endpointsOf } from "../../../functions/endpoints.js";
import type { Endpoint } from "../../../functions/kit/endpoint.js";
import type { Services } from "../../../functions/kit/services.js";
import { createTicketRoute } from "../../../shared/contracts/ticketing/tickets.js";
import type { Database, Queryable } from "../../../shared/database/platform/database.js";
import { findPartnerByClient } from "../../../shared/database/access/partners.js";
import { rememberedTimelines } from "../../../shared/database/ticketing/timelines.js";
import { noFaultPoints } from "../../../shared/platform/fault-points.js";
import { addressOf, callerOf, partnerNamed } from "../../support/platform/api.js";
import { silentLogger } from "../../support/wallet/bank-fixtures.js";
import { callEndpoint, noRateLimits } from "../../support/platform/in-process.js";
import {
  consumerBody,
  ticketCases,
  unknownTicket,
  unknownWallet,
  type TicketCall,
  type TicketWorld,
} from "../../support/ticketing/ticket-cases.js";
import { openTicket } from "../../support/ticketing/ticket-fixtures.js";
import {
  openWallet,
  openWalletTest,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

/** Every statement that the endpoints send, in their order. */
const statements: string[] = [];

const listening = <Source extends Queryable>(source: Source): Source => ({
  ...source,
  rows: (row, text, values) => (statements.push(text), source.rows(row, text, values)),
  row: (row, text, values) => (statements.push(text), source.row(row, text, values)),
  execute: (text, values) => (statements.push(text), source.execute(text, values)),
});

const listeningDatabase = (database: Database): Database => ({
  ...listening(database),
  command: (row, text, values) => (statements.push(text), database.command(row, text, values)),
  transaction: (work) => database.transaction((tx) => work(listening(tx))),
});

const globex = partnerNamed("globex");
let tickets: WalletTest;
let services: Services;
let world: TicketWorld;

beforeAll(async () => {
  tickets = await openWalletTest();
  const database = listeningDatabase(tickets.database);
  const caller = await findPartnerByClient(tickets.database, globex.clientId);
  services = {
    database,
    timelines: rememberedTimelines(),
    documents: databaseDocuments(database),
    faults: noFaultPoints,
    logger: silentLogger,
    tokens: { verify: async () => ({ clientId: globex.clientId, roles: globex.roles }) },
    partners: { byClient: async () => caller, byKey: async () => caller },
    rateLimits: noRateLimits,
  } as unknown as Services;
  const { walletId } = await openWallet(tickets.database);
  world = { walletId, walletOfGlobex: unknownWallet };
});
afterAll(() => tickets.end());

interface Asked {
  readonly status: number | undefined;
  readonly statements: readonly string[];
}

/** The call as globex, and all that it asked of the database. */
const ask = async (endpoint: Endpoint, call: TicketCall): Promise<Asked> => {
  const { params, query = "", body, bytes } = call;
  const content = bytes ?? (body === undefined ? undefined : JSON.stringify(body));
  statements.length = 0;
  const { status } = await callEndpoint(services, endpoint, {
    method: endpoint.route.method,
    path: `${addressOf(endpoint.route, params)}${query}`,
    headers: {
      authorization: "Bearer globex",
      "content-type": bytes === undefined ? "application/json" : "application/octet-stream",
    },
    ...(content === undefined ? {} : { body: content }),
  });
  return { status, statements: [...statements] };
};

const expectSameWork = (others: Asked, unknown: Asked): void => {
  expect(others).toEqual(unknown);
  expect(others.status).toBe(404);
  expect(others.statements).not.toEqual([]);
};

/** Each of a partner's endpoints about a ticket or a wallet, with its first call, a sound one. */
const calls = endpointsOf("development").flatMap((endpoint) => {
  const { id, path } = endpoint.route;
  if (callerOf(endpoint.route) === "platform") return [];
  const sound = ticketCases.find(({ route }) => route.id === id);
  return sound !== undefined && /\{(casenumber|walletid)\}/.test(path)
    ? [[id, endpoint, sound] as const]
    : [];
});

describe("another partner's and an unknown one take the same statements", () => {
  test.each(calls)("%s", async (_id, endpoint, { call }) => {
    const sound = call(world);
    const askFor = (casenumber: string, walletid: string): Promise<Asked> =>
      ask(endpoint, { ...sound, params: { ...sound.params, casenumber, walletid } });
    const casenumber = await openTicket(tickets.database, { walletId: world.walletId });
    const others = await askFor(casenumber, world.walletId);
    expectSameWork(others, await askFor(unknownTicket, unknownWallet));
  });

  test("a new ticket's wallet", async () => {
    const endpoint = endpointsOf("development").find(({ route }) => route === createTicketRoute);
    if (endpoint === undefined) throw new Error("no endpoint creates tickets");
    const others = await ask(endpoint, { body: consumerBody(world.walletId) });
    expectSameWork(others, await ask(endpoint, { body: consumerBody(unknownWallet) }));
  });
});
