/** What the client sends again: whatever cannot do anything twice, and nothing else. */
import { expect, test } from "vitest";
import { z } from "zod";
import type { AttemptReport } from "../../client/src/attempt-report.js";
import { delayAfter, defaultPolicy } from "../../client/src/repeats.js";
import { NoAnswerError } from "../../client/src/result.js";
import { callRoute, connectionTo, json, lineOf, refused, table } from "../support/client/lines.js";

const walletId = "01980d3c-93a5-7cc4-8a63-5f2a8f0e1b77";
const operationId = walletId;

const routes = [
  { id: "getWallet", input: { walletId }, isSafe: true },
  { id: "searchWallet", input: { lastName: "Rossi" }, isSafe: true },
  { id: "simulatePayment", input: { walletId, amount: 1 }, isSafe: true },
  { id: "createWallet", input: { taxId: "RSSMRA85T10A562S" }, isSafe: true },
  { id: "initialisePayment", input: { walletId, amount: 1 }, isSafe: true },
  { id: "initialiseOperationGroup", input: { walletId }, isSafe: true },
  { id: "confirmPayment", input: { walletId, operationId }, isSafe: true },
  { id: "cancelOperationGroup", input: { walletId, operationGroupId: walletId }, isSafe: true },
  { id: "executeO2iPayment", input: { transactionId: "1" }, isSafe: true },
  { id: "createTicket", input: { title: "Lost" }, isSafe: true },
  { id: "suspendWallet", input: { walletId }, isSafe: false },
  {
    id: "updateWalletIban",
    input: { walletId, iban: "IT60X0542811101000000123456" },
    isSafe: true,
  },
  { id: "scriptBank", input: { kind: "payment", iban: null, outcome: "silent" }, isSafe: true },
  { id: "updateWallet", input: { walletId, taxId: "RSSMRA85T10A562S" }, isSafe: false },
  { id: "setCardLimits", input: { cardId: walletId, limits: [] }, isSafe: false },
  { id: "deleteWalletIban", input: { walletId }, isSafe: false },
  { id: "signWalletContract", input: { walletId }, isSafe: false },
  { id: "replayEvents", input: { after: 0 }, isSafe: false },
  { id: "moveClock", input: { now: "2026-01-01T00:00:00Z" }, isSafe: false },
  { id: "raiseChallenge", input: { transactionId: "1" }, isSafe: false },
] as const;

const soon = { "Retry-After": "0" };
const lost = (): Response => {
  throw new TypeError("fetch failed");
};
const page = (status: number) => (): Response => new Response("<html>", { status });

const failures = [
  { name: "a lost connection", answer: lost, repeated: "where safe" },
  { name: "502 of something between", answer: page(502), repeated: "where safe" },
  { name: "504 of something between", answer: page(504), repeated: "where safe" },
  {
    name: "503",
    answer: () => refused(503, "DependencyUnavailable", soon),
    repeated: "where safe",
  },
  { name: "409 in use", answer: () => refused(409, "IdempotencyKeyInUse"), repeated: "where safe" },
  { name: "429", answer: () => refused(429, "RateLimitExceeded", soon), repeated: "always" },
  { name: "200 without JSON", answer: page(200), repeated: "where safe" },
  {
    name: "409 of a changed record",
    answer: () => refused(409, "ConcurrentUpdate"),
    repeated: "never",
  },
  { name: "400", answer: () => refused(400, "WalletNotActive"), repeated: "never" },
  { name: "422", answer: () => refused(422, "IdempotencyKeyReused"), repeated: "never" },
  { name: "500", answer: () => refused(500, "InternalError"), repeated: "never" },
  {
    name: "429 for an hour",
    answer: () => refused(429, "RateLimitExceeded", { "Retry-After": "3600" }),
    repeated: "never",
  },
] as const;

const cases = routes.flatMap((route) => failures.map((failure) => ({ ...route, ...failure })));

test.each(cases)("$id after $name: repeated $repeated", async (row) => {
  const sent: Request[] = [];
  const send = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    sent.push(request);
    return sent.length === 1 ? row.answer() : json(200, {});
  };
  const result = await callRoute(connectionTo(send), row.id, row.input).catch((error: unknown) => {
    expect(error).toBeInstanceOf(NoAnswerError);
    return { ok: false };
  });
  const isRepeated = row.repeated === "always" || (row.repeated === "where safe" && row.isSafe);
  expect({ times: sent.length, ok: result.ok }).toEqual({
    times: isRepeated ? 2 : 1,
    ok: isRepeated,
  });
  // A repeat is the same call: its key, its id, its body.
  const told = await Promise.all(
    sent.map(async ({ url, method, headers, body }) => ({
      url,
      method,
      key: headers.get("idempotency-key"),
      requestId: headers.get("x-request-id"),
      body: body === null ? null : await new Response(body).text(),
    })),
  );
  for (const one of told) expect(one).toEqual(told[0]);
});

test("every creation has a key: none of them is sent without one, or twice with two", () => {
  const creations = Object.values(table)
    .flatMap(({ routes: lines }) => Object.entries(lines))
    .filter(([id]) => /^(create|initialise)/.test(id));
  expect(creations.length).toBeGreaterThan(10);
  for (const [id, { key, repeatable }] of creations)
    expect({ id, hasKey: key !== undefined, repeatable }).toEqual({
      id,
      hasKey: true,
      repeatable: true,
    });
});

test("what changes something by PUT or DELETE is repeated only where its route says so", () => {
  const repeated = Object.values(table)
    .flatMap(({ routes: lines }) => Object.entries(lines))
    .filter(
      ([, { method, repeatable }]) =>
        (method === "PUT" || method === "DELETE") && repeatable === true,
    );
  const others = repeated.map(([id]) => id).filter((id) => !/^(confirm|cancel|terminate)/.test(id));
  expect(others.sort()).toEqual([
    "declineContract",
    "scriptBank",
    "setDevices",
    "setO2iTarget",
    "updateWalletIban",
  ]);
});

test("a call ends after its attempts, and says how often it was sent", async () => {
  let times = 0;
  const send = async (): Promise<Response> => {
    times += 1;
    throw new TypeError("fetch failed");
  };
  const call = callRoute(connectionTo(send), "getWallet", { walletId }, { requestId: "till-3" });
  await expect(call).rejects.toMatchObject({
    name: "NoAnswerError",
    requestId: "till-3",
    attempts: 4,
  });
  expect(times).toBe(4);
});

test("each attempt is told, by the route and not by whom it is about; a listener that throws ends no call", async () => {
  const reports: AttemptReport[] = [];
  const uncaught = new Promise((resolve) => process.once("uncaughtException", resolve));
  let times = 0;
  const send: typeof fetch = async (_input, init) => {
    expect(new Headers(init?.headers).get("user-agent")).toBe("borsello-client/test");
    times += 1;
    return times === 1 ? refused(503, "DependencyUnavailable", soon) : json(200, {});
  };
  const onAttempt = (report: AttemptReport): void => {
    reports.push(report);
    if (reports.length === 2) throw new Error("the log is full");
  };
  const connection = connectionTo(send, { onAttempt });
  expect(
    await callRoute(connection, "getWallet", { walletId }, { requestId: "till-4" }),
  ).toMatchObject({ ok: true });
  const told = { method: "GET", path: "/wallet/wallets/{walletId}", requestId: "till-4" };
  const durationMs = expect.any(Number) as number;
  expect(reports).toEqual([
    { ...told, attempt: 1, durationMs, status: 503, code: "DependencyUnavailable" },
    { ...told, attempt: 2, durationMs, status: 200 },
  ]);
  expect(await uncaught).toMatchObject({ message: "the log is full" });
});

test("a call may say how often it is repeated", async () => {
  let times = 0;
  const send = async (): Promise<Response> => {
    times += 1;
    return refused(503, "DependencyUnavailable", soon);
  };
  await callRoute(connectionTo(send), "getWallet", { walletId }, { retries: 0 });
  expect(times).toBe(1);
});

test("a refusal that outlives the repeats is the call's result", async () => {
  const send = async (): Promise<Response> => refused(503, "DependencyUnavailable", soon);
  expect(await callRoute(connectionTo(send), "getWallet", { walletId })).toMatchObject({
    ok: false,
    error: { code: "DependencyUnavailable", status: 503, retryAfter: 0 },
  });
});

test("waits double, are shortened by chance, and never come before the platform's own", () => {
  const lostOne = { status: null };
  const waits = [1, 2, 3].map((attempt) => delayAfter(lostOne, true, attempt, defaultPolicy, 0));
  expect(waits).toEqual([250, 500, 1000]);
  expect(delayAfter(lostOne, true, 3, defaultPolicy, 0.999)).toBeGreaterThanOrEqual(500);
  const asked = { status: 503, retryAfterMs: 5_000 };
  expect(delayAfter(asked, true, 1, defaultPolicy, 0.5)).toBe(5_000);
  expect(delayAfter(lostOne, true, 4, defaultPolicy, 0)).toBeNull();
});

test("a signal and a timeout end a call at once, whatever it waits for", async () => {
  const never: typeof fetch = (_input, init) =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener("abort", () => reject(new Error("aborted")));
    });
  const stop = new AbortController();
  const reason = new Error("the customer has left");
  const stopped = callRoute(
    connectionTo(never),
    "getWallet",
    { walletId },
    { signal: stop.signal },
  );
  stop.abort(reason);
  await expect(stopped).rejects.toBe(reason);
  const reports: AttemptReport[] = [];
  const told = connectionTo(never, { onAttempt: (report) => reports.push(report) });
  await expect(callRoute(told, "getWallet", { walletId }, { timeout: 5 })).rejects.toMatchObject({
    ...{ name: "NoAnswerError", message: "No answer within 5 ms", attempts: 1 },
  });
  // The platform may have done what was sent: it counts, and whoever keeps metrics hears of it.
  expect(reports).toMatchObject([{ attempt: 1, status: null, cause: { name: "TimeoutError" } }]);
  const busy = async (): Promise<Response> =>
    refused(429, "RateLimitExceeded", { "Retry-After": "2" });
  await expect(
    callRoute(connectionTo(busy), "getWallet", { walletId }, { timeout: 5 }),
  ).rejects.toMatchObject({ name: "NoAnswerError" });
});

test("a time limit longer than a timer can wait does not end the call at once", async () => {
  const send = async (): Promise<Response> => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return json(200, {});
  };
  for (const timeout of [2 ** 31, Number.POSITIVE_INFINITY])
    expect(
      await callRoute(connectionTo(send), "getWallet", { walletId }, { timeout }),
    ).toMatchObject({ ok: true });
});

test.each([
  { id: "createTicket", sentIn: "Idempotency-Key header" },
  { id: "initialisePayment", sentIn: "body" },
])("whoever has no outcome of $id is told the key that the client made", async ({ id }) => {
  const keys = new Set<unknown>();
  const sentWith = async (input: string | URL | Request, init?: RequestInit): Promise<void> => {
    const { headers, body } = new Request(input, init);
    const { idempotencyKey } = z
      .object({ idempotencyKey: z.string().optional() })
      .parse(await new Response(body).json());
    keys.add(headers.get("idempotency-key") ?? idempotencyKey);
  };
  const silent: typeof fetch = async (input, init) => {
    await sentWith(input, init);
    throw new TypeError("fetch failed");
  };
  const input = { walletId, amount: 1 };
  const unheard = await callRoute(connectionTo(silent), id, input).catch((error: unknown) => error);
  expect(unheard).toBeInstanceOf(NoAnswerError);
  expect([...keys]).toEqual([
    z.object({ idempotencyKey: z.string() }).parse(unheard).idempotencyKey,
  ]);

  keys.clear();
  const working: typeof fetch = async (request, init) => {
    await sentWith(request, init);
    return refused(409, "IdempotencyKeyInUse");
  };
  expect(await callRoute(connectionTo(working), id, input)).toMatchObject({
    ok: false,
    error: { code: "IdempotencyKeyInUse", idempotencyKey: [...keys][0] },
  });
  expect(keys.size).toBe(1);
});

test("an attempt that hangs leaves time for the next", async () => {
  let times = 0;
  const send: typeof fetch = async (_input, init) => {
    times += 1;
    if (times > 1) return json(200, {});
    return new Promise((_resolve, reject) => {
      init?.signal?.addEventListener("abort", () => reject(new Error("aborted")));
    });
  };
  const call = callRoute(connectionTo(send, { attemptMs: 5 }), "getWallet", { walletId });
  expect(await call).toMatchObject({ ok: true });
  expect(times).toBe(2);
});

test("an answer that is too long is neither read to its end nor asked for again", async () => {
  let times = 0;
  const send = async (): Promise<Response> => {
    times += 1;
    return new Response("x".repeat(10_001));
  };
  await expect(callRoute(connectionTo(send), "getWallet", { walletId })).rejects.toMatchObject({
    name: "AnswerTooLargeError",
  });
  expect(times).toBe(1);
});

test.each(["", ".", "..", undefined])(
  "an identifier %j, which would name another address, is not sent",
  async (id) => {
    const send = async (): Promise<Response> => json(200, {});
    await expect(
      callRoute(connectionTo(send), "getWallet", { walletId: id }),
    ).rejects.toBeInstanceOf(TypeError);
  },
);

test("keys and ids that no header may hold are told before anything is sent", async () => {
  const send = async (): Promise<Response> => json(200, {});
  const attempt = (options: object) => callRoute(connectionTo(send), "createWallet", {}, options);
  await expect(attempt({ idempotencyKey: "short" })).rejects.toBeInstanceOf(TypeError);
  await expect(attempt({ requestId: "a\nb" })).rejects.toBeInstanceOf(TypeError);
  await expect(
    callRoute(connectionTo(send), "getWallet", { walletId }, { idempotencyKey: "k".repeat(16) }),
  ).rejects.toBeInstanceOf(TypeError);
  expect(lineOf("createWallet").key).toBe("header");
});
