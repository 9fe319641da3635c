/** An affiliate over HTTP: everything but its answer in time counts as none, and its late word is heard. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { httpAffiliates } from "../../../shared/affiliates/http-affiliates.js";
import type { AskTimes } from "../../../shared/affiliates/http-affiliate.js";
import type { LateAnswer } from "../../../shared/contracts/authorisations/affiliate.js";
import type { O2iKind } from "../../../shared/contracts/authorisations/o2i.js";
import type { O2iAuth } from "../../../shared/contracts/platform/o2i-settings.js";
import { createLogger } from "../../../shared/platform/logger.js";
import {
  after,
  answerJson,
  answerOf,
  approving,
  someRequest,
  startFakeAffiliate,
  type Behaviour,
  type FakeAffiliate,
} from "../../support/affiliates/fake-affiliate.js";

/** For what is to be waited for; where an answer is to come, a busy machine has the usual time for it. */
const quick: AskTimes = { attemptMs: 250, lateMs: 2_000 };

let server: FakeAffiliate;
let other: FakeAffiliate;
beforeAll(async () => {
  [server, other] = await Promise.all([startFakeAffiliate(), startFakeAffiliate()]);
});
afterAll(async () => {
  await Promise.all([server.stop(), other.stop()]);
});
beforeEach(() => {
  server.behave(approving);
});

interface Given {
  readonly times?: AskTimes;
  readonly secrets?: Readonly<Record<string, string>>;
}

const opened = ({ times, secrets = {} }: Given = {}) => {
  const late: LateAnswer[] = [];
  const lines: string[] = [];
  const port = httpAffiliates({
    isProduction: false,
    secrets: new Map(Object.entries(secrets)),
    logger: createLogger("info", (_level, line) => lines.push(line)),
    note: (work, error) => {
      throw new Error(work, { cause: error });
    },
    onLate: async (answer) => void late.push(answer),
    ...(times === undefined ? {} : { times }),
  });
  return { port, late, lines };
};

const affiliate = (endpoint: string, auth: O2iAuth = { kind: "none" }, partnerKey = "acme") => ({
  partnerKey,
  endpoint,
  auth,
  standIn: null,
});

const ask = (
  given: ReturnType<typeof opened>,
  request = someRequest(),
  kind: O2iKind = "request",
  auth?: O2iAuth,
) => given.port.ask(affiliate(server.url, auth), kind, request);

const askedAbout = (transactionId: string) =>
  server.asked.filter(({ body }) => body.transactionId === transactionId);

test("the affiliate gets the request as it is, with its kind, and its answer is the answer", async () => {
  const given = opened();
  for (const kind of ["request", "advice", "inquiry", "reversal"] as const) {
    const request = someRequest();
    expect(await ask(given, request, kind)).toEqual({
      reached: true,
      answer: answerOf(request.transactionId),
    });
    const [one, ...more] = askedAbout(request.transactionId);
    expect(more).toEqual([]);
    expect(one).toMatchObject({ path: "/o2i", body: request });
    expect(one?.headers).toMatchObject({
      "content-type": "application/json",
      "x-o2i-operation": kind,
    });
  }
  given.port.close();
});

test("one connection carries requests one after the other", async () => {
  const given = opened();
  const before = server.connections();
  for (let n = 0; n < 5; n += 1) await ask(given);
  expect(server.connections() - before).toBe(1);
  given.port.close();
});

const as = (answer: object, status?: number): Behaviour => {
  return (response, { body }) => {
    answerJson(response, { ...answerOf(body.transactionId), ...answer }, status);
  };
};

const failures: readonly [what: string, behaviour: Behaviour, reason: string, inDoubt: boolean][] =
  [
    ["status 500", as({}, 500), "it answered 500", true],
    ["status 201", as({}, 201), "it answered 201", true],
    ["status 404", as({}, 404), "it answered 404", false],
    [
      "a redirect, which is not followed",
      (response) => void response.writeHead(307, { Location: other.url }).end(),
      "it answered 307",
      true,
    ],
    [
      "another transaction",
      as({ transactionId: "another" }),
      "its answer is about another transaction",
      true,
    ],
    ["a code of three characters", as({ responseCode: "000" }), "its answer is not one of", true],
    ["a balance as text", as({ availableBalance: "70.25" }), "its answer is not one of", true],
    ["no currency", as({ accountCurrency: null }), "its answer is not one of", true],
    [
      "what is not JSON",
      (response) => void response.end("<html>approved</html>"),
      "its answer is not one of",
      true,
    ],
    ["more than 64 KiB", as({ padding: "x".repeat(65_536) }), "it was not reached", true],
    [
      "an answer that breaks off",
      (response) => {
        response.writeHead(200, { "Content-Length": "200" });
        response.write('{"transactionId":');
        setTimeout(() => response.destroy(), 10);
      },
      "it was not reached",
      true,
    ],
    [
      "a connection that is closed without an answer",
      (response) => void response.destroy(),
      "it was not reached (ECONNRESET)",
      true,
    ],
    ["no answer in time", after(900), "it did not answer in time", true],
    [
      "an answer that trickles",
      (response) => {
        const trickle = setInterval(() => response.write(" "), 50);
        response.on("close", () => {
          clearInterval(trickle);
        });
      },
      "it did not answer in time",
      true,
    ],
  ];

test.each(failures)("%s counts as no answer, at the second try too", async (...row) => {
  const [, behaviour, reason, inDoubt] = row;
  server.behave(behaviour);
  const given = opened({ times: quick });
  const request = someRequest();
  expect(await ask(given, request)).toEqual({
    reached: false,
    reason: expect.stringContaining(reason) as unknown,
    inDoubt,
  });
  const [first, second, ...more] = askedAbout(request.transactionId);
  expect(more).toEqual([]);
  expect(second?.text).toBe(first?.text);
  expect(other.asked).toEqual([]);
  given.port.close();
});

test("an affiliate to which there is no connection has not got the request", async () => {
  const given = opened();
  const gone = affiliate("http://127.0.0.1:1/");
  expect(await given.port.ask(gone, "request", someRequest())).toEqual({
    ...{ reached: false, reason: "it was not reached (ECONNREFUSED)", inDoubt: false },
  });
  given.port.close();
});

test("a second try that is answered is the answer", async () => {
  const given = opened();
  const request = someRequest();
  server.behave((response, asked) => {
    if (askedAbout(request.transactionId).length === 1) response.destroy();
    else void approving(response, asked);
  });
  expect(await ask(given, request)).toMatchObject({ reached: true });
  expect(given.late).toEqual([]);
  given.port.close();
});

test("answers after their time are told, unless the request ended as approved", async () => {
  const given = opened({ times: { attemptMs: 300, lateMs: 5_000 } });
  server.behave(after(700));
  const request = someRequest();
  expect(await ask(given, request)).toMatchObject({ reached: false, inDoubt: true });
  const late = {
    ...{ partnerKey: "acme", kind: "request", request },
    answer: answerOf(request.transactionId),
  };
  await expect.poll(() => given.late).toEqual([late, late]);

  given.late.length = 0;
  const approved = someRequest();
  const declined = someRequest();
  server.behave((response, asked) => {
    const { transactionId } = asked.body;
    if (askedAbout(transactionId).length === 1) {
      void after(700)(response, asked);
      return;
    }
    const isDeclined = transactionId === declined.transactionId;
    answerJson(response, answerOf(transactionId, isDeclined ? "94" : "00"));
  });
  // Of the second kind is an affiliate that takes the second try for a duplicate, and approves the first one.
  expect(await Promise.all([ask(given, approved), ask(given, declined)])).toMatchObject([
    { answer: { responseCode: "00" } },
    { answer: { responseCode: "94" } },
  ]);
  await expect
    .poll(() => given.late.map(({ request: { transactionId } }) => transactionId))
    .toEqual([declined.transactionId]);
  given.port.close();
});

test("an affiliate that never answers costs little soon, and another one nothing at all", async () => {
  const given = opened({ times: { attemptMs: 400, lateMs: 100 } });
  server.behave(() => undefined);
  const before = server.asked.length;
  const flood = Array.from({ length: 300 }, () => ask(given));
  await expect.poll(() => server.asked.length - before).toBeGreaterThan(100);
  const beside = affiliate(other.url, { kind: "none" }, "globex");
  for (let n = 0; n < 20; n += 1)
    expect(await given.port.ask(beside, "request", someRequest())).toMatchObject({ reached: true });
  const asked = await Promise.all(flood);
  const reasons = asked.map((one) => (one.reached ? "" : one.reason));
  expect(reasons.filter((one) => one === "too many requests wait for it")).toHaveLength(300 - 256);
  expect(reasons.filter((one) => one === "it did not answer in time")).toHaveLength(256);
  expect(server.asked.length - before).toBeLessThanOrEqual(512);

  // One of them may be there to find out whether it is back.
  const spared = await Promise.all(Array.from({ length: 20 }, () => ask(given)));
  expect(spared.filter(({ reached }) => reached)).toEqual([]);
  expect(
    spared.filter((one) => !one.reached && one.reason === "it has not answered lately").length,
  ).toBeGreaterThanOrEqual(19);
  expect(given.lines).toHaveLength(1);
  expect(given.lines[0]).toContain("it did not answer in time");
  server.behave(approving);
  await expect.poll(async () => (await ask(given)).reached).toBe(true);
  expect(given.lines).toHaveLength(2);
  given.port.close();
});

test("an endpoint that is set anew begins anew", async () => {
  const given = opened({ times: quick });
  server.behave((response, asked) => {
    if (asked.path !== "/silent") void approving(response, asked);
  });
  const silent = affiliate(new URL("/silent", server.url).href);
  await Promise.all(
    Array.from({ length: 12 }, () => given.port.ask(silent, "request", someRequest())),
  );
  expect(given.lines).toHaveLength(1);
  const asked = await Promise.all(Array.from({ length: 3 }, () => ask(given)));
  expect(asked.filter(({ reached }) => reached)).toHaveLength(3);
  given.port.close();
});

const secretSetting = "AFFILIATE_SECRET_ACME";
const secrets = { [secretSetting]: "s3cret" };

test("a key goes along in its header; without its setting nobody is asked", async () => {
  const auth = { kind: "key", header: "X-Api-Key", secretSetting } as const;
  const given = opened({ secrets });
  const request = someRequest();
  expect(await ask(given, request, "request", auth)).toMatchObject({ reached: true });
  expect(askedAbout(request.transactionId)[0]?.headers["x-api-key"]).toBe("s3cret");
  const without = opened();
  const unsent = someRequest();
  expect(await ask(without, unsent, "request", auth)).toMatchObject({
    ...{ reached: false, inDoubt: false },
  });
  expect(askedAbout(unsent.transactionId)).toEqual([]);
  given.port.close();
  without.port.close();
});

/** Grants tokens by the OAuth 2.0 client credentials grant, and takes the newest alone. */
const granting = (lifeSeconds: number) => {
  const forms: string[] = [];
  let newest = "";
  const behaviour: Behaviour = (response, asked) => {
    if (asked.path === "/token") {
      forms.push(asked.text);
      newest = `token-${forms.length}`;
      answerJson(response, { access_token: newest, token_type: "Bearer", expires_in: lifeSeconds });
    } else if (asked.headers.authorization === `Bearer ${newest}`) void approving(response, asked);
    else answerJson(response, {}, 401);
  };
  return { forms, behaviour, revoke: () => void (newest = "none") };
};

const clientCredentials = () =>
  ({
    kind: "clientCredentials",
    tokenUrl: new URL("/token", server.url).href,
    clientId: "borsello",
    secretSetting,
    scope: "o2i",
  }) as const;

test("a token is fetched once for all, and anew when it is refused", async () => {
  const tokens = granting(3_600);
  server.behave(tokens.behaviour);
  const given = opened({ secrets });
  const all = () =>
    Promise.all(
      Array.from({ length: 20 }, () => ask(given, someRequest(), "request", clientCredentials())),
    );
  expect((await all()).filter(({ reached }) => reached)).toHaveLength(20);
  expect(tokens.forms).toEqual([
    "grant_type=client_credentials&client_id=borsello&client_secret=s3cret&scope=o2i",
  ]);
  tokens.revoke();
  expect(await ask(given, someRequest(), "request", clientCredentials())).toMatchObject({
    reached: true,
  });
  expect((await all()).filter(({ reached }) => reached)).toHaveLength(20);
  expect(tokens.forms).toHaveLength(2);
  given.port.close();
});

test("a token is used until shortly before its end; one that is not granted leaves nothing in doubt", async () => {
  const tokens = granting(0.1);
  server.behave(tokens.behaviour);
  const given = opened({ secrets });
  const once = () => ask(given, someRequest(), "request", clientCredentials());
  expect(await once()).toMatchObject({ reached: true });
  await expect
    .poll(async () => {
      expect(await once()).toMatchObject({ reached: true });
      return tokens.forms.length;
    })
    .toBe(3);
  server.behave((response) => {
    answerJson(response, { error: "invalid_client" }, 401);
  });
  await expect.poll(once).toEqual({ reached: false, reason: "it was not reached", inDoubt: false });
  given.port.close();
});
