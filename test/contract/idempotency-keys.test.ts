/** Calls with an Idempotency-Key: carried out once, whatever comes between, and answered alike. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { endpointsOf } from "../../functions/endpoints.js";
import { sweepKeptAnswers } from "../../functions/schedule/kept-answer-sweep.js";
import { initialiseMandateRoute } from "../../shared/contracts/mandates/mandates.js";
import type { Route } from "../../shared/contracts/route.js";
import { createCardRoute } from "../../shared/contracts/card/cards.js";
import { createStoreMandateRoute } from "../../shared/contracts/stores/store-mandates.js";
import { createStoreRoute } from "../../shared/contracts/stores/stores.js";
import { postCommentRoute } from "../../shared/contracts/ticketing/changes.js";
import { postOperatorCommentRoute } from "../../shared/contracts/ticketing/operators.js";
import { createTicketRoute } from "../../shared/contracts/ticketing/tickets.js";
import { createWalletRoute } from "../../shared/contracts/wallet/wallets.js";
import type { Database } from "../../shared/database/platform/database.js";
import {
  addressOf,
  callerOf,
  clientOf,
  headersOf,
  openStackDatabase,
  partnerNamed,
  send,
  type Answer,
} from "../support/platform/api.js";
import { openAccount } from "../support/card/cards.js";
import { readOpenApi, type Misfits } from "../support/platform/openapi-check.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";
import { openStore, someStore } from "../support/stores/store-fixtures.js";
import { consumerBody } from "../support/ticketing/ticket-cases.js";
import { openTicket } from "../support/ticketing/ticket-fixtures.js";
import { openValidatedWallet, openWallet, someone } from "../support/wallet/wallet-fixtures.js";

let stack: TestStack;
let database: Database;
let misfits: Readonly<Record<string, Misfits>>;
const tokens: Record<string, string> = {};

const readTokens = async (): Promise<void> => {
  for (const partner of ["acme", "globex", "platform"])
    tokens[partner] = await clientOf(stack, partner).token();
};

beforeAll(async () => {
  stack = await startTestStack();
  database = openStackDatabase(stack);
  misfits = {
    wallet: await readOpenApi(stack, "wallet"),
    card: await readOpenApi(stack, "card"),
    ticketing: await readOpenApi(stack, "ticketing"),
  };
  await readTokens();
});
afterAll(async () => {
  await database.close();
  await stack.stop();
});

interface Request {
  readonly route: Route;
  readonly params?: Readonly<Record<string, string>>;
  readonly body: object;
}

/** A request of each route that takes a key, the route's first and another one. */
const requests: Readonly<Record<string, () => Promise<readonly [Request, Request]>>> = {
  createWallet: async () => [
    { route: createWalletRoute, body: someone().owner },
    { route: createWalletRoute, body: someone().owner },
  ],
  createTicket: async () => {
    const body = consumerBody((await openWallet(database)).walletId);
    return [
      { route: createTicketRoute, body },
      { route: createTicketRoute, body: { ...body, description: "Altro" } },
    ];
  },
  postComment: async () => {
    const comment = { route: postCommentRoute, body: { text: "Grazie" } };
    // The same body on another ticket is another request.
    return [
      { ...comment, params: { casenumber: await openTicket(database) } },
      { ...comment, params: { casenumber: await openTicket(database) } },
    ];
  },
  postOperatorComment: async () => {
    const comment = { route: postOperatorCommentRoute, body: { text: "Ci pensiamo noi" } };
    return [
      { ...comment, params: { casenumber: await openTicket(database) } },
      { ...comment, params: { casenumber: await openTicket(database) } },
    ];
  },
  createStore: async () => {
    const params = { dealerKey: "dealer-rome" };
    return [
      { route: createStoreRoute, params, body: someStore() },
      { route: createStoreRoute, params, body: someStore() },
    ];
  },
  createStoreMandate: async () => {
    const mandate = async (mandateUniqueReference: string) => {
      const { storeId } = await openStore(database);
      return { route: createStoreMandateRoute, body: { storeId, mandateUniqueReference } };
    };
    return [await mandate(newKey()), await mandate(newKey())];
  },
  initialiseWalletMandate: async () => {
    const mandate = { route: initialiseMandateRoute, body: { amount: 25, frequency: "Weekly" } };
    const [one, other] = [await openValidatedWallet(database), await openValidatedWallet(database)];
    return [
      { ...mandate, params: { walletId: one.walletId } },
      { ...mandate, params: { walletId: other.walletId } },
    ];
  },
  createCard: async () => {
    const { accountId: id, customerId: cardHolderCustomerId } = await openAccount(database);
    const card = { cardHolderCustomerId, nameOnCard: "MARIO ROSSI", relationType: "Primary" };
    return [
      { route: createCardRoute, params: { id }, body: card },
      { route: createCardRoute, params: { id }, body: { ...card, nameOnCard: "M ROSSI" } },
    ];
  },
};
const routeIds = Object.keys(requests);

const requestsOf = (id: string) => requests[id]?.() ?? Promise.reject(new Error(id));

const newKey = (): string => randomUUID();

interface Sent {
  readonly key?: string;
  readonly as?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const ask = async (
  { route, params, body }: Request,
  { key, as = callerOf(route), headers = {} }: Sent = {},
): Promise<Answer> => {
  const answer = await send(stack, addressOf(route, params), {
    method: route.method,
    headers: {
      ...headersOf(route, tokens[as] ?? ""),
      authkey: partnerNamed(as).authKey,
      partner: as,
      ...(key === undefined ? {} : { "idempotency-key": key }),
      ...headers,
    },
    body: JSON.stringify(body),
  });
  expect(misfits[route.api]?.(route, answer)).toEqual([]);
  return answer;
};

const isReplayed = ({ headers }: Answer): boolean => headers.get("idempotency-replayed") === "true";

const whatCame = ({ status, body }: Answer) => ({ status, body });

/** Everything that a creation writes. */
const written = async (): Promise<string> => {
  const counted = await database.row(
    z.object({ rows: z.string() }),
    `select concat_ws(' ', (select count(*) from borsello.wallet),
       (select count(*) from borsello.store), (select count(*) from borsello.mandate),
       (select count(*) from borsello.ticket), (select count(*) from borsello.ticket_timeline),
       (select count(*) from borsello.card)) as rows`,
  );
  return counted?.rows ?? "";
};

test("the header is taken by each creation that has no key in its body", () => {
  const taking = endpointsOf("development").filter(({ route }) => route.takesIdempotencyKey);
  expect(taking.map(({ route }) => route.id).sort()).toEqual([...routeIds].sort());
});

test.each(routeIds)("%s is carried out once, and repeated word for word", async (id) => {
  const [request, other] = await requestsOf(id);
  const key = newKey();
  const first = await ask(request, { key });
  expect(first.status).toBe(200);
  expect(isReplayed(first)).toBe(false);
  const before = await written();
  const again = await ask(request, { key });
  expect(whatCame(again)).toEqual(whatCame(first));
  expect(isReplayed(again)).toBe(true);
  expect((await ask(other, { key })).status).toBe(422);
  expect(await written()).toBe(before);
  expect((await ask(other, { key: newKey() })).status).toBe(200);
});

test.each(routeIds)("%s takes no key that is malformed, and writes nothing", async (id) => {
  const [request] = await requestsOf(id);
  const before = await written();
  for (const key of ["", "x".repeat(15), "x".repeat(65), "chiave-numero-uno-è"]) {
    const answer = await ask(request, { key });
    expect(answer.status, key).toBe(400);
    expect(JSON.stringify(answer.body)).toContain("must have 16 to 64 printable ASCII characters.");
  }
  expect(await written()).toBe(before);
});

test("spaces and the order of fields make no other request of it", async () => {
  const [{ route, body }] = await requestsOf("createWallet");
  const key = newKey();
  const first = await ask({ route, body }, { key });
  const turned = Object.fromEntries(Object.entries(body).reverse());
  expect(whatCame(await ask({ route, body: turned }, { key }))).toEqual(whatCame(first));
});

test("a key belongs to its partner and its route", async () => {
  const key = newKey();
  const body = someone().owner;
  const ours = await ask({ route: createWalletRoute, body }, { key });
  const theirs = await ask(
    { route: createWalletRoute, body: { ...body, originatingDealerKey: "dealer-turin" } },
    { key, as: "globex" },
  );
  const [store] = await requestsOf("createStore");
  const elsewhere = await ask(store, { key });
  for (const answer of [ours, theirs, elsewhere]) {
    expect(answer.status).toBe(200);
    expect(isReplayed(answer)).toBe(false);
  }
});

test("a refusal is a first answer, too, even once its cause is gone", async () => {
  const taken = someone().owner;
  const holder = await openWallet(database, { owner: taken, iban: "" });
  const request = { route: createWalletRoute, body: { ...someone().owner, email: taken.email } };
  const key = newKey();
  const refused = await ask(request, { key });
  expect(refused).toMatchObject({ status: 400, body: { errorCode: "EmailAlreadyInUse" } });
  await database.execute("update borsello.wallet set email = $2 where wallet_id = $1", [
    holder.walletId,
    "elsewhere@example.com",
  ]);
  const again = await ask(request, { key });
  expect(whatCame(again)).toEqual(whatCame(refused));
  expect(isReplayed(again)).toBe(true);
  expect((await ask(request, { key: newKey() })).status).toBe(200);
});

test("what the schema refuses leaves the key free", async () => {
  const [{ route, body }] = await requestsOf("createWallet");
  const key = newKey();
  const broken = await ask({ route, body: { ...body, taxId: 1 } }, { key });
  expect(broken.status).toBe(422);
  const [mandate, other] = await requestsOf("initialiseWalletMandate");
  const mandateKey = newKey();
  const tooFine = { ...mandate, body: { ...mandate.body, amount: 25.001 } };
  expect((await ask(tooFine, { key: mandateKey })).status).toBe(422);
  expect((await ask({ route, body }, { key })).status).toBe(200);
  expect((await ask(other, { key: mandateKey })).status).toBe(200);
});

test.each(["createWallet", "createTicket"])(
  "a hundred repeats of %s at once are one",
  async (id) => {
    const [request] = await requestsOf(id);
    const key = newKey();
    const table = id === "createWallet" ? "wallet" : "ticket";
    const count = async () =>
      database.row(
        z.object({ rows: z.bigint() }),
        `select count(*) as rows from borsello.${table}`,
      );
    const before = (await count())?.rows ?? 0n;
    const answers = await Promise.all(Array.from({ length: 100 }, () => ask(request, { key })));
    const done = answers.filter(({ status }) => status === 200);
    const busy = answers.filter(({ status }) => status === 409);
    expect(done.length + busy.length).toBe(100);
    expect(done.filter((answer) => !isReplayed(answer))).toHaveLength(1);
    expect(new Set(done.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect((await count())?.rows).toBe(before + 1n);
  },
);

/** Holds a ticket's row, so that a comment on it waits. */
const holding = async (casenumber: string) => {
  const client = await database.pool.connect();
  await client.query("begin");
  await client.query("select from borsello.ticket where case_number = $1 for update", [casenumber]);
  return async () => {
    await client.query("commit");
    client.release();
  };
};

const waiting = `
  select count(*) as rows from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`;

const untilOneWaits = () =>
  expect
    .poll(async () => database.row(z.object({ rows: z.bigint() }), waiting))
    .toEqual({ rows: 1n });

const commentsOn = async (casenumber: string) =>
  database.row(
    z.object({ rows: z.bigint() }),
    `select count(*) as rows from borsello.ticket_timeline join borsello.ticket using (case_number)
     where case_number = $1 and item like '%Grazie%'`,
    [casenumber],
  );

test("while the first is in work, a repeat is told so and waits for nothing", async () => {
  const [request] = await requestsOf("postComment");
  const key = newKey();
  const release = await holding(request.params?.["casenumber"] ?? "");
  const first = ask(request, { key });
  await untilOneWaits();
  expect((await ask(request, { key })).status).toBe(409);
  await release();
  expect((await first).status).toBe(200);
  expect(isReplayed(await ask(request, { key }))).toBe(true);
});

test("a platform that dies over a call leaves nothing of it: the repeat carries it out", async () => {
  const [request] = await requestsOf("postComment");
  const casenumber = request.params?.["casenumber"] ?? "";
  const key = newKey();
  const release = await holding(casenumber);
  const lost = ask(request, { key }).catch(() => "lost");
  await untilOneWaits();
  await stack.kill9();
  expect(await lost).toBe("lost");
  await release();
  await stack.restart();
  await readTokens();
  const repeated = await ask(request, { key });
  expect(repeated.status).toBe(200);
  expect(isReplayed(repeated)).toBe(false);
  expect(await commentsOn(casenumber)).toEqual({ rows: 1n });
});

test("a caller that goes away finds the answer under its key", async () => {
  const [request] = await requestsOf("postComment");
  const casenumber = request.params?.["casenumber"] ?? "";
  const key = newKey();
  const release = await holding(casenumber);
  const gone = new AbortController();
  const lost = fetch(new URL(addressOf(request.route, request.params), stack.url), {
    method: "POST",
    headers: { ...headersOf(request.route, tokens["acme"] ?? ""), "idempotency-key": key },
    body: JSON.stringify(request.body),
    signal: gone.signal,
  }).catch(() => "lost");
  await untilOneWaits();
  gone.abort();
  expect(await lost).toBe("lost");
  await release();
  await expect.poll(async () => (await ask(request, { key })).status).toBe(200);
  expect(isReplayed(await ask(request, { key }))).toBe(true);
  expect(await commentsOn(casenumber)).toEqual({ rows: 1n });
});

test("an answer that cannot be kept undoes what it answers", async () => {
  await database.execute(`
    create function borsello.cut_connection() returns trigger language plpgsql as $$
    begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$`);
  await database.execute(`
    create trigger cut before insert on borsello.kept_answer
    for each row execute function borsello.cut_connection()`);
  const [request] = await requestsOf("createWallet");
  const key = newKey();
  const before = await written();
  expect((await ask(request, { key })).status).toBe(503);
  expect(await written()).toBe(before);
  await database.execute("drop trigger cut on borsello.kept_answer");
  const repeated = await ask(request, { key });
  expect(repeated.status).toBe(200);
  expect(isReplayed(repeated)).toBe(false);
});

test("a key is free again after 24 hours of platform time, and its answer forgotten", async () => {
  const [early, late] = [await requestsOf("postComment"), await requestsOf("postComment")];
  const [earlyKey, lateKey] = [newKey(), newKey()];
  await ask(early[0], { key: earlyKey });
  const move = (hours: number) =>
    database.execute("update borsello.sandbox_clock set offset_ms = offset_ms + $1 * 3600000", [
      hours,
    ]);
  await move(23);
  expect(isReplayed(await ask(early[0], { key: earlyKey }))).toBe(true);
  await ask(late[0], { key: lateKey });
  await move(1);
  const anew = await ask(early[0], { key: earlyKey });
  expect([anew.status, isReplayed(anew)]).toEqual([200, false]);
  expect(isReplayed(await ask(early[0], { key: earlyKey }))).toBe(true);
  const kept = () =>
    database.row(
      z.object({ rows: z.bigint() }),
      "select count(*) as rows from borsello.kept_answer",
    );
  await sweepKeptAnswers({ database });
  expect(await kept()).toEqual({ rows: 2n });
  expect(isReplayed(await ask(late[0], { key: lateKey }))).toBe(true);
});
