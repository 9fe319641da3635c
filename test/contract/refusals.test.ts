/** Every declared route against bad calls of every kind: the documented status and body, and nothing written. */
import { once } from "node:events";
import { request as httpRequest, STATUS_CODES, type IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { UnsecuredJWT } from "jose";
import { z } from "zod";
import { endpointsOf } from "../../functions/endpoints.js";
import { errorTable, type ErrorCode } from "../../shared/contracts/errors.js";
import { isBinaryBody, type Api, type Route } from "../../shared/contracts/route.js";
import type { Database } from "../../shared/database/platform/database.js";
import { fullPath, matchesTemplate, segmentsOf } from "../../shared/http/paths.js";
import {
  addressOf,
  callerOf,
  clientOf,
  headersOf,
  openStackDatabase,
  partnerNamed,
  send,
  soundAddressOf,
  trueSigner,
  type Answer,
  type Claims,
} from "../support/platform/api.js";
import { readOpenApi, type Misfits } from "../support/platform/openapi-check.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";
import { isUnlikeOthers } from "../support/platform/unlike-routes.js";

let stack: TestStack;
let database: Database;
let tokens: Readonly<Record<"acme" | "platform", string>>;
let sign: (change: Claims) => Promise<string>;
let misfits: Readonly<Record<"wallet" | "card" | "ticketing", Misfits>>;
let badTokens: readonly (string | undefined)[];
let writtenBefore: string;

/** Whatever a call could leave behind. */
const written = async (): Promise<string> => {
  const counts = await database.rows(
    z.object({ rows: z.string() }),
    `select concat_ws(' ', (select count(*) from borsello.audit),
       (select count(*) from borsello.outbox), (select count(*) from borsello.wallet),
       (select count(*) from borsello.store),
       (select count(*) from borsello.ticket_timeline), (select offset_ms from borsello.sandbox_clock)) as rows`,
  );
  return counts[0]?.rows ?? "";
};

beforeAll(async () => {
  stack = await startTestStack();
  database = openStackDatabase(stack);
  tokens = {
    acme: await clientOf(stack, "acme").token(),
    platform: await clientOf(stack, "platform").token(),
  };
  sign = await trueSigner(stack, database);
  const { roles } = partnerNamed("acme");
  badTokens = [
    "",
    "Bearer",
    "Bearer abc",
    `Basic ${tokens.acme}`,
    `Bearer ${tokens.acme}x`,
    `Bearer ${new UnsecuredJWT({ appid: "acme-client", roles }).encode()}`,
    `Bearer ${await sign({ exp: Math.floor(Date.now() / 1000) - 60 })}`,
    `Bearer ${await sign({ aud: "api://other" })}`,
    `Bearer ${await sign({ iss: "http://127.0.0.1:1/sandbox/identity/local" })}`,
    `Bearer ${await sign({ tid: "other" })}`,
  ];
  misfits = {
    wallet: await readOpenApi(stack, "wallet"),
    card: await readOpenApi(stack, "card"),
    ticketing: await readOpenApi(stack, "ticketing"),
  };
  writtenBefore = await written();
});

afterAll(async () => {
  await database.close();
  await stack.stop();
});

interface Change {
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly address?: string;
  readonly method?: string;
}

/** A sound call, with one thing changed. */
const call = (route: Route, change: Change = {}): Promise<Answer> => {
  const headers = { ...headersOf(route, tokens[callerOf(route)]), ...change.headers };
  const body = change.body ?? (route.body === undefined ? undefined : "{}");
  return send(stack, change.address ?? soundAddressOf(route), {
    method: change.method ?? route.method,
    headers: Object.fromEntries(
      Object.entries(headers).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      ),
    ),
    ...(body === undefined ? {} : { body }),
  });
};

/** The body of a refusal as the API words it; the ticketing API's has no code, but its sentence. */
const bodyOf = (api: Api, status: number, errorCode: ErrorCode): object =>
  api === "ticketing"
    ? {
        error: STATUS_CODES[status],
        error_description: expect.stringContaining(errorTable[errorCode].description) as unknown,
      }
    : { errorCode, errorDescription: expect.stringMatching(/\.$/) as unknown };

/** Nobody keeps what is about somebody, and nobody takes it for another type than it says. */
const expectSafeHeaders = ({ headers }: Answer): void =>
  expect([headers.get("cache-control"), headers.get("x-content-type-options")]).toEqual([
    "no-store",
    "nosniff",
  ]);

/** In the header always, and in the body where its model has a place for it. */
const expectRequestId = (api: Api, { headers, body }: Answer): void => {
  const requestId = headers.get("x-request-id");
  expect(requestId).toMatch(/^[\da-f-]{36}$/);
  if (api === "ticketing") expect(JSON.stringify(body)).not.toContain(requestId);
  else expect(body).toMatchObject({ errorProperties: { requestId } });
};

const expectRefusal = (
  route: Route,
  answer: Answer,
  status: number,
  errorCode: ErrorCode,
): void => {
  const { api, id } = route;
  expect([answer.status, answer.body], id).toMatchObject([status, bodyOf(api, status, errorCode)]);
  expectRequestId(api, answer);
  expectSafeHeaders(answer);
  if (api === "wallet" || api === "card" || api === "ticketing")
    expect(misfits[api](route, answer)).toEqual([]);
};

const expectError = (
  answer: Answer,
  status: number,
  errorCode: ErrorCode,
  api: Api = "platform",
): void => {
  expect([answer.status, answer.body]).toMatchObject([status, bodyOf(api, status, errorCode)]);
  expectRequestId(api, answer);
  expectSafeHeaders(answer);
};

const routes = endpointsOf("development")
  .map(({ route }) => route)
  .filter(isUnlikeOthers);
const guarded = routes.filter(({ role }) => role !== null);
const withAuthKey = guarded.filter(({ api }) => api === "wallet" || api === "card");
const withBody = guarded.filter(({ body }) => body !== undefined && !isBinaryBody(body));
const takesList = ({ body }: Route): boolean =>
  body !== undefined && !isBinaryBody(body) && body.safeParse([]).success;
const mayLeaveBodyOut = ({ body }: Route): boolean =>
  body !== undefined && !isBinaryBody(body) && body.safeParse(undefined).success;
const named = (some: readonly Route[]) => some.map((route) => [route.id, route] as const);

/** Set by the long form: then every route has every bad call of a kind. */
const isLong = process.env["EVERY_BAD_CALL"] !== undefined;

/** All routes look at calls in the same way: each has so many bad ones, and the next route has the next ones. */
const inTurn = <Bad>(route: Route, count: number, bad: readonly Bad[]): readonly Bad[] => {
  if (isLong || bad.length <= count) return bad;
  const from = (routes.indexOf(route) * count) % bad.length;
  return [...bad, ...bad].slice(from, from + count);
};

describe("401: the caller is not known", () => {
  test.each(named(guarded))("%s refuses bad tokens, and none", async (_id, route) => {
    for (const authorization of [undefined, ...inTurn(route, 2, badTokens)])
      expectRefusal(route, await call(route, { headers: { authorization } }), 401, "TokenInvalid");
  });

  test.each(named(withAuthKey))("%s refuses a wrong or missing AuthKey", async (_id, route) => {
    for (const authkey of inTurn(route, 2, [undefined, "wrong", "", "globex-local-authkey"]))
      expectRefusal(route, await call(route, { headers: { authkey } }), 401, "AuthKeyInvalid");
  });
});

describe("403: the caller may not", () => {
  test.each(named(guarded))("%s refuses another partner's name", async (_id, route) => {
    // Operators may name every partner that there is.
    const name = callerOf(route) === "platform" ? "nobody" : "globex";
    const headers = { partner: name, "x-affiliate": name, "x-tenant": name };
    expectRefusal(route, await call(route, { headers }), 403, "PartnerMismatch");
  });

  test.each(named(withAuthKey))(
    "%s refuses a call without a partner's name",
    async (_id, route) => {
      const nobody = { partner: undefined, "x-affiliate": undefined };
      expectRefusal(route, await call(route, { headers: nobody }), 403, "PartnerMismatch");
    },
  );

  test.each(named(guarded))("%s refuses a token without its role", async (_id, route) => {
    const roles = ["Wallet.Read", "Wallet.Write", "Sandbox.Use"].filter(
      (role) => role !== route.role,
    );
    const appid = partnerNamed(callerOf(route)).clientId;
    const authorization = `Bearer ${await sign({ appid, roles })}`;
    expectRefusal(
      route,
      await call(route, { headers: { authorization } }),
      403,
      "PermissionMissing",
    );
  });

  const ofOperators = guarded.filter((route) => callerOf(route) === "platform");

  test.each(named(ofOperators))("%s refuses a partner, even with its role", async (_id, route) => {
    const authorization = `Bearer ${await sign({ roles: [route.role] })}`;
    const headers = { authorization, "x-tenant": "acme" };
    expectRefusal(route, await call(route, { headers }), 403, "PermissionMissing");
  });
});

describe("400: an identifier cannot exist", () => {
  /** The first parameter that takes identifiers alone; empty where the route has none. */
  const identifierOf = ({ params = {} }: Route): string =>
    Object.keys(params).find((name) => params[name]?.safeParse("42").success === false) ?? "";
  const identified = guarded.filter((route) => identifierOf(route) !== "");

  test.each(named(identified))("%s refuses identifiers that are no UUIDs", async (_id, route) => {
    const some = ["42", "%00", "a%2Fb", "01890a5d-ac96-774b-bcce-b302099a805", "%E0%A4%A"];
    for (const bad of inTurn(route, 2, some)) {
      const params = Object.fromEntries(Object.keys(route.params ?? {}).map((name) => [name, bad]));
      const answer = await call(route, { address: addressOf(route, params) });
      expectRefusal(route, answer, 400, "IdentifierInvalid");
    }
  });

  test.each(named(identified))("%s takes no identifier from the query", async (_id, route) => {
    const name = identifierOf(route);
    const address = `${addressOf(route, { [name]: "42" })}?${name}=01890a5d-ac96-774b-bcce-b302099a8057`;
    expectRefusal(route, await call(route, { address }), 400, "IdentifierInvalid");
  });
});

describe("413, 415, 422: the body cannot be taken", () => {
  test.each(named(withBody))("%s refuses bodies that are no JSON", async (_id, route) => {
    const bad = [
      ...(mayLeaveBodyOut(route) ? [] : [""]),
      "{",
      "{'a':1}",
      "nul",
      "[".repeat(100_000),
      '{"a":"\\u0000"}',
      '{"a":"\\ud800"}',
    ];
    for (const body of inTurn(route, 3, [...bad, Uint8Array.of(0x22, 0xff, 0x22)]))
      expectRefusal(route, await call(route, { body }), 422, "ValidationFailed");
  });

  test.each(named(withBody))("%s refuses JSON of another shape", async (_id, route) => {
    const other = takesList(route) ? "{}" : "[]";
    for (const body of inTurn(route, 2, ["null", other, '"text"', "1"]))
      expectRefusal(route, await call(route, { body }), 422, "ValidationFailed");
  });

  const withFields = withBody.filter((route) => !takesList(route));

  test.each(named(withFields))("%s names the field that it does not know", async (_id, route) => {
    const answer = await call(route, { body: '{"no/such~field":1}' });
    expectRefusal(route, answer, 422, "ValidationFailed");
    expect(JSON.stringify(answer.body)).toMatch(/no~1such~0field(":"| )is not known: remove it\./);
  });

  test.each(named(withBody))("%s refuses another content type", async (_id, route) => {
    const others = ["text/plain", "application/xml", "multipart/form-data; boundary=x"];
    for (const type of inTurn(route, 1, others)) {
      const answer = await call(route, { headers: { "content-type": type } });
      expectRefusal(route, answer, 415, "UnsupportedMediaType");
    }
  });

  test.each(named(withBody))("%s refuses more than 256 KiB", async (_id, route) => {
    const body = JSON.stringify({ text: "a".repeat(256 * 1024) });
    expectRefusal(route, await call(route, { body }), 413, "PayloadTooLarge");
  });
});

test("a body beyond what the host takes by itself is refused in the API's own words", async () => {
  const route = withBody.find(({ id }) => id === "createWallet");
  if (route === undefined) throw new Error("createWallet is gone");
  const announced = httpRequest(new URL(addressOf(route), stack.url), {
    method: "POST",
    headers: { ...headersOf(route, tokens.acme), "content-length": 101 * 1024 * 1024 },
  });
  announced.flushHeaders();
  const [answer] = (await once(announced, "response")) as [IncomingMessage];
  expect([answer.statusCode, await json(answer)]).toMatchObject([
    413,
    { errorCode: "PayloadTooLarge" },
  ]);
  announced.destroy();
});

describe("404, 405: there is no such call", () => {
  const methods = ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"];
  const allowedAt = (address: string): string[] =>
    routes
      .filter((route) => matchesTemplate(segmentsOf(fullPath(route)), segmentsOf(address.slice(1))))
      .map(({ method }) => method);

  test.each(named(routes))("%s refuses other methods and names its own", async (_id, route) => {
    const allowed = allowedAt(addressOf(route));
    const refused = methods.filter((some) => !allowed.includes(some));
    for (const method of inTurn(route, 2, refused)) {
      const answer = await send(stack, addressOf(route), { method });
      expectError(answer, 405, "MethodNotAllowed", route.api);
      expect(answer.headers.get("allow")).toBe([...new Set(allowed)].sort().join(", "));
    }
  });

  test.each([
    ["ticketing", "/ticketing/tickets//attachments"],
    ["ticketing", "/ticketing/tickets/list//"],
    ["wallet", "/wallet/dealers//stores"],
    ["wallet", "/wallet/wallets//iban"],
  ] as const)("a path of the %s API with an empty part is 404: %s", async (api, path) => {
    expectError(await send(stack, path), 404, "RouteNotFound", api);
  });

  test.each(["", "wallet/", "card/", "sandbox/", "admin/"])(
    "unknown paths below /%s are 404",
    async (base) => {
      for (const path of [
        "nosuch",
        "nosuch/01890a5d-ac96-774b-bcce-b302099a8057/x",
        "%00",
        "..%2f",
      ])
        expectError(await send(stack, `/${base}${path}`), 404, "RouteNotFound");
      expectError(await send(stack, `/${base}`), 404, "RouteNotFound");
    },
  );

  test("unknown paths below /ticketing are 404 in that API's own words", async () => {
    const answer = await send(stack, "/ticketing/nosuch");
    expect([answer.status, answer.body]).toEqual([
      404,
      { error: "Not Found", error_description: "No such path: see /docs." },
    ]);
  });
});

test("none of these calls has written anything", async () => {
  expect(await written()).toBe(writtenBefore);
});
