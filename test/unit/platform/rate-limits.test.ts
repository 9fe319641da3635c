/** Token buckets: a second's calls at once, filled with time, each partner and kind apart, bounded memory. */
import { expect, test } from "vitest";
import type { Services } from "../../../functions/kit/services.js";
import { createRateLimits } from "../../../functions/kit/rate-limits.js";
import { endpointsOf } from "../../../functions/endpoints.js";
import type { GivenPartnerSettings } from "../../../shared/contracts/platform/partner-settings.js";
import { limitedKind, type LimitedKind } from "../../../shared/http/access.js";
import { createLogger } from "../../../shared/platform/logger.js";
import { hashSecret } from "../../../shared/platform/secrets.js";
import { addressOf, callerOf, headersOf, partnerNamed } from "../../support/platform/api.js";
import { callEndpoint } from "../../support/platform/in-process.js";

type Given = GivenPartnerSettings["rateLimits"];

const limits = (isProduction = false) => {
  let nowMs = 1_000_000;
  const rateLimits = createRateLimits({ clock: { nowMs: () => nowMs }, isProduction });
  const called = (given: Given, kind: LimitedKind = "calls", partnerKey = "acme") =>
    rateLimits.take({ partnerKey, settings: { rateLimits: given ?? {} } }, kind);
  return {
    called,
    wait: (ms: number) => void (nowMs += ms),
    /** How many of so many calls are let in. */
    admitted: (calls: number, given: Given, kind?: LimitedKind, partnerKey?: string) =>
      Array.from({ length: calls }, () => called(given, kind, partnerKey)).filter(
        (quota) => quota?.isExceeded === false,
      ).length,
  };
};

test.each([
  [false, undefined, undefined, undefined],
  [true, undefined, 1_000, 100],
  [true, { callsPerSecond: null, listsPerSecond: null }, undefined, undefined],
  [false, { callsPerSecond: 7, listsPerSecond: 3 }, 7, 3],
  [true, { callsPerSecond: 7 }, 7, 100],
] as const)("in production %s, %j gives these limits", (isProduction, given, calls, lists) => {
  const { called } = limits(isProduction);
  expect(called(given, "calls")?.limit).toBe(calls);
  expect(called(given, "cards")?.limit).toBe(calls);
  expect(called(given, "lists")?.limit).toBe(lists);
});

test("a second's calls may come at once, then as many as time brings", () => {
  const { admitted, called, wait } = limits();
  const ten = { callsPerSecond: 10 };
  expect(called(ten)).toEqual({ isExceeded: false, limit: 10, remaining: 9 });
  expect(admitted(20, ten)).toBe(9);
  expect(called(ten)).toEqual({ isExceeded: true, limit: 10, remaining: 0 });
  wait(99);
  expect(admitted(5, ten)).toBe(0);
  wait(1);
  expect(admitted(5, ten)).toBe(1);
  wait(3_600_000);
  expect(admitted(20, ten)).toBe(10);
});

test("whoever repeats after a second is let in, however small the limit", () => {
  const { admitted, wait } = limits();
  const one = { callsPerSecond: 1 };
  expect(admitted(3, one)).toBe(1);
  for (let second = 0; second < 5; second += 1) {
    wait(1_000);
    expect(admitted(3, one)).toBe(1);
  }
});

test("over a long time no more come in than the rate allows", () => {
  const { admitted, wait } = limits();
  let all = 0;
  for (let step = 0; step < 700; step += 1) {
    wait(7);
    all += admitted(5, { callsPerSecond: 30 });
  }
  const seconds = (700 * 7) / 1_000;
  expect(all).toBeLessThanOrEqual(30 + seconds * 30);
  expect(all).toBeGreaterThanOrEqual(29 + Math.floor(seconds * 30) - 1);
});

test("partners and kinds of call have nothing to do with each other", () => {
  const { admitted } = limits();
  const both = { callsPerSecond: 2, listsPerSecond: 1 };
  expect(admitted(5, both, "calls", "acme")).toBe(2);
  expect(admitted(5, both, "lists", "acme")).toBe(1);
  expect(admitted(5, both, "cards", "acme")).toBe(2);
  expect(admitted(5, both, "calls", "globex")).toBe(2);
});

test("a clock that is set back lets nobody in, and nobody wait for it to come round again", () => {
  const { admitted, wait } = limits();
  expect(admitted(2, { callsPerSecond: 2 })).toBe(2);
  wait(-3_600_000);
  expect(admitted(2, { callsPerSecond: 2 })).toBe(0);
  wait(1_000);
  expect(admitted(3, { callsPerSecond: 2 })).toBe(2);
});

test("of more partners than are kept, the longest known begins anew, the others go on", () => {
  const { admitted } = limits();
  const one = { callsPerSecond: 1 };
  let all = 0;
  for (let partner = 0; partner < 10_001; partner += 1)
    all += admitted(1, one, "calls", `partner-${partner}`);
  expect(all).toBe(10_001);
  expect(admitted(1, one, "calls", "partner-10000")).toBe(0);
  expect(admitted(1, one, "calls", "partner-5000")).toBe(0);
  expect(admitted(1, one, "calls", "partner-0")).toBe(1);
});

const limited = endpointsOf("development").filter(({ route }) => limitedKind(route) !== null);

test.each(limited.map((endpoint) => [endpoint.route.id, endpoint] as const))(
  "%s is refused beyond the limit, before its body and the database are touched",
  async (_id, endpoint) => {
    const { route } = endpoint;
    const partner = partnerNamed(callerOf(route));
    const salt = Buffer.from("salt");
    const proven = { authKeySalt: salt, authKeyHash: hashSecret(partner.authKey, salt) };
    // All that it may touch; a handler, a body's reader or a look at the partner that is named would need more.
    const services = {
      logger: createLogger("error", () => undefined),
      tokens: { verify: async () => ({ clientId: partner.clientId, roles: [] }) },
      partners: { byClient: async () => ({ ...partner, ...proven }) },
      rateLimits: { take: () => ({ isExceeded: true, limit: 5, remaining: 0 }) },
    } as unknown as Services;
    const answer = await callEndpoint(services, endpoint, {
      method: route.method,
      path: addressOf(route),
      headers: headersOf(route, "token"),
      ...(route.method === "GET" ? {} : { body: "{no json" }),
    });
    expect(answer).toMatchObject({ status: 429, headers: { "Retry-After": "1" } });
    expect(answer.body).toMatch(/The limit for .+ is 5 a second: wait a second and repeat\./);
  },
);

test("what asks for pages is a list, what the sandbox and everybody may call is not counted", () => {
  const kinds = new Map(
    endpointsOf("development").map(({ route }) => [route.id, limitedKind(route)]),
  );
  const of = (kind: LimitedKind | null) =>
    [...kinds].flatMap(([id, known]) => (known === kind ? [id] : []));
  expect(of("cards").sort()).toEqual([
    "executeO2iPayment",
    ...["pushO2iAdvice", "pushO2iInquiry", "pushO2iRequest", "pushO2iReversal"],
    ...["simulateO2iRequest", "simulateO2iReversal"],
  ]);
  expect(of("lists")).toEqual(
    expect.arrayContaining(["searchWallet", "listOperations", "getPartnerTickets"]),
  );
  expect(kinds.get("confirmPayment")).toBe("calls");
  expect(of(null)).toEqual(expect.arrayContaining(["getHealth", "moveClock"]));
});
