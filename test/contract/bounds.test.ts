/** Too long, too much, or nothing that can be stored: each is refused as documented, and quickly. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { updateWalletAttributesRoute } from "../../shared/contracts/wallet/wallets.js";
import { createStoreRoute, searchStoresRoute } from "../../shared/contracts/stores/stores.js";
import { createTicketRoute } from "../../shared/contracts/ticketing/tickets.js";
import type { Route } from "../../shared/contracts/route.js";
import {
  addressOf,
  callerOf,
  clientOf,
  headersOf,
  openStackDatabase,
  send,
  soundAddressOf,
  trueSigner,
  type Answer,
  type Claims,
} from "../support/platform/api.js";
import { readOpenApi, type Misfits } from "../support/platform/openapi-check.js";
import { isText, requestInputs } from "../support/platform/request-fields.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";
import { isUnlikeOthers } from "../support/platform/unlike-routes.js";

let stack: TestStack;
let tokens: Readonly<Record<"acme" | "platform", string>>;
let sign: (change: Claims) => Promise<string>;
let misfits: Readonly<Record<"wallet" | "card" | "ticketing", Misfits>>;

beforeAll(async () => {
  stack = await startTestStack();
  tokens = {
    acme: await clientOf(stack, "acme").token(),
    platform: await clientOf(stack, "platform").token(),
  };
  const database = openStackDatabase(stack);
  sign = await trueSigner(stack, database);
  await database.close();
  misfits = {
    wallet: await readOpenApi(stack, "wallet"),
    card: await readOpenApi(stack, "card"),
    ticketing: await readOpenApi(stack, "ticketing"),
  };
});

afterAll(async () => {
  await stack.stop();
});

const call = (
  route: Route,
  { address = soundAddressOf(route), body, bearer = tokens[callerOf(route)] }: CallChange = {},
): Promise<Answer> =>
  send(stack, address, {
    method: route.method,
    headers: headersOf(route, bearer),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

interface CallChange {
  readonly address?: string;
  readonly body?: unknown;
  readonly bearer?: string;
}

/** That the answer has this status, one that the API's document shows for the route. */
const expectDocumented = (route: Route, answer: Answer, status: number, what: string): void => {
  expect([answer.status, what, answer.body]).toEqual([status, what, answer.body]);
  const { api } = route;
  if (api === "wallet" || api === "card" || api === "ticketing")
    expect(misfits[api](route, answer)).toEqual([]);
};

const guarded = requestInputs().filter(({ route }) => route.role !== null && isUnlikeOthers(route));
const inputsIn = (place: "path" | "query" | "body") =>
  guarded
    .filter((input) => input.place === place && input.fields.some(isText))
    .map((input) => [input.route.id, input] as const);

describe("a text that is one character too long is 422 and named:", () => {
  test.each(inputsIn("body"))("%s", async (_id, { route, fields }) => {
    for (const { name, schema, whole } of fields.filter(isText)) {
      const most = Number(schema["maxLength"] ?? 36);
      const pointer = name.slice(name.indexOf("/"));
      const answer = await call(route, { body: whole("a".repeat(most + 1)) });
      expectDocumented(route, answer, 422, name);
      expect(JSON.stringify(answer.body)).toContain(
        route.api === "ticketing" ? pointer.slice(1) : pointer,
      );
    }
  });
});

test("metadata of more than 16 KiB is 422 and says how much there may be", async () => {
  for (const route of [updateWalletAttributesRoute, createStoreRoute] as readonly Route[]) {
    const answer = await call(route, { body: { metadata: { a: "è".repeat(8 * 1024) } } });
    expectDocumented(route, answer, 422, route.id);
    expect(answer.body).toMatchObject({
      errorProperties: { "/metadata": "must have at most 16384 bytes as JSON." },
    });
  }
});

test("a list of more identifiers than a search takes is 422 and says how many there may be", async () => {
  const body = Array.from({ length: 201 }, () => "01890a5d-ac96-774b-bcce-b302099a8057");
  const answer = await call(searchStoresRoute, { body });
  expectDocumented(searchStoresRoute, answer, 422, "201 identifiers");
  expect(answer.body).toMatchObject({ errorProperties: { "": "must have at most 200 items." } });
});

describe("what no database can hold is 400:", () => {
  test.each(inputsIn("path"))("in the path of %s", async (_id, { route }) => {
    const names = Object.keys(route.params ?? {});
    for (const name of names)
      for (const bad of ["%00", "a%00b"]) {
        const address = addressOf(route, { [name]: bad });
        expectDocumented(route, await call(route, { address }), 400, `${name}=${bad}`);
      }
  });

  test.each(inputsIn("query"))("in the query of %s", async (_id, { route }) => {
    for (const name of Object.keys(route.query ?? {})) {
      const address = `${addressOf(route)}?${name}=a%00b`;
      expectDocumented(route, await call(route, { address }), 400, name);
    }
  });
});

/** Half of a surrogate pair, and bytes that are no UTF-8; hosts read them as other characters. */
const brokenTexts = ["%ED%A0%80", "%C0%80", "%FF", "%"];
/** Moments at the ends of what a calendar or a database knows. */
const farMoments = [
  "0000-01-01T00:00:00Z",
  "0001-01-01T00:00:00%2B14:00",
  "9999-12-31T23:59:59-14:00",
];

test("no path and no query fails on our side, however broken or far its texts are", async () => {
  for (const { route, place } of guarded)
    for (const bad of [...brokenTexts, ...farMoments])
      for (const name of Object.keys((place === "path" ? route.params : route.query) ?? {})) {
        if (place === "body" || route.method !== "GET") continue;
        const address =
          place === "path"
            ? addressOf(route, { [name]: bad })
            : `${addressOf(route)}?${name}=${bad}`;
        const answer = await call(route, { address });
        expect(answer.status, `${route.id} ${name}=${bad}`).toBeLessThan(500);
      }
});

test("a token whose application or roles cannot be is 401, though it is truly signed", async () => {
  const claims: readonly Claims[] = [
    ...[
      "acme-client\0",
      "\0",
      "\ud800",
      "acme-client\udc00",
      "a".repeat(256),
      42,
      null,
      {},
      [],
    ].map((appid) => ({ appid })),
    { appid: undefined, azp: "acme-client\0" },
    ...["Wallet.Read", 42, null, {}, [42], [null]].map((roles) => ({ roles })),
  ];
  const routes: readonly Route[] = [updateWalletAttributesRoute, createTicketRoute];
  for (const change of claims) {
    const bearer = await sign(change);
    for (const route of routes)
      expectDocumented(route, await call(route, { bearer }), 401, JSON.stringify(change));
  }
});

test("a token whose roles are strange texts lacks the role: 403", async () => {
  const bearer = await sign({ roles: ["Wallet.Write\0", "\ud800", "x".repeat(2_000)] });
  for (const route of [updateWalletAttributesRoute, createTicketRoute] as readonly Route[])
    expectDocumented(route, await call(route, { bearer }), 403, route.id);
});

test("a text that is too long is refused as fast, whatever is in it", async () => {
  const bytes = 180_000;
  const msOf = async (part: string): Promise<number> => {
    const description = part.repeat(bytes / Buffer.byteLength(part));
    const from = performance.now();
    const answer = await call(createTicketRoute, { body: { description } });
    expect(answer.status).toBe(422);
    return performance.now() - from;
  };
  const leastMsOf = async (part: string): Promise<number> => {
    const times = [];
    for (let time = 0; time < 3; time += 1) times.push(await msOf(part));
    return Math.min(...times);
  };
  // Marks in an order that is not theirs, and tags: slow to bring into order, slow to look at.
  for (const part of ["\u0f73", "\u0f71\u0f72", "<a>", "<ſ>"])
    expect(await leastMsOf(part), part).toBeLessThan(20 * (await leastMsOf("a")));
});
