/** 3-D Secure on the whole platform: a challenge answered, one that nobody answers, devices, the end of records. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { setDevices } from "../../functions/sandbox/devices.js";
import { threeDsEndpoints } from "../../functions/threeds/endpoints.js";
import type { Route } from "../../shared/contracts/route.js";
import { setDevicesRoute } from "../../shared/contracts/sandbox/devices.js";
import { moveClockRoute } from "../../shared/contracts/sandbox/clock.js";
import { getFlowRunRoute } from "../../shared/contracts/settlement/flows.js";
import {
  listDevicesRoute,
  pushResultRoute,
  raiseChallengeRoute,
} from "../../shared/contracts/threeds/challenges.js";
import { triggerThreeDsCleanupRoute } from "../../shared/contracts/threeds/cleanup.js";
import { assessRiskRoute, threeRiIndicators } from "../../shared/contracts/threeds/risk.js";
import type { Database } from "../../shared/database/platform/database.js";
import { client, type Client } from "../../shared/http/client.js";
import { openStackDatabase, partnerNamed, valueOf } from "../support/platform/api.js";
import { readOpenApi, type Misfits } from "../support/platform/openapi-check.js";
import { instanceOf } from "../support/platform/partner.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";
import { fullPath } from "../../shared/http/paths.js";
import { authenticationTypes } from "../../shared/domain/threeds/devices.js";
import { pansInDatabase } from "../support/card/no-pan.js";
import { riskBody, threeDsOf, type ThreeDs } from "../support/threeds/challenges.js";

let stack: TestStack;
let database: Database;
let misfits: Misfits;
let acme: Client;
let globex: Client;
let threeDs: ThreeDs;

const routes = [...threeDsEndpoints, setDevices].map(({ route }): Route => route);
const answered = new Set<string>();
const ErrorCode = z.object({ errorCode: z.string() });

/** Notes each answer of these routes, and holds it to the document. */
const noting: typeof fetch = async (input, init) => {
  const answer = await fetch(input, init);
  const address = input instanceof Request ? input.url : String(input);
  const route = routes.find((some) => `/${fullPath(some)}` === new URL(address).pathname);
  if (route === undefined) return answer;
  const { status, headers, ok } = answer;
  const body: unknown = await answer.clone().json();
  if (route.api === "card") expect(misfits(route, { status, headers, body })).toEqual([]);
  answered.add(`${route.id}: ${ok ? "success" : ErrorCode.parse(body).errorCode}`);
  return answer;
};

beforeAll(async () => {
  stack = await startTestStack();
  database = openStackDatabase(stack);
  misfits = await readOpenApi(stack, "card");
  acme = client(stack.url, partnerNamed("acme"), noting);
  globex = client(stack.url, partnerNamed("globex"), noting);
  threeDs = threeDsOf(() => database);
});
afterAll(async () => {
  await database.close();
  await stack.stop();
});

const acsVersion = "2.2.0";

/** A purchase whose challenge waits on the card holder's app. */
const challenge = async () => {
  const { panToken, cardId } = await threeDs.card();
  const body = riskBody(panToken);
  const { transactionId } = body;
  expect(valueOf(await acme.call(assessRiskRoute, { body }))).toEqual({
    ...{ riskLevel: "MEDIUM", whitelistStatus: "N" },
  });
  const list = { transactionId, acsVersion, panToken, authenticationType: "OobPush" } as const;
  const [device] = valueOf(await acme.call(listDevicesRoute, { body: list }));
  const deviceId = device?.deviceId ?? "";
  const transactionData = { merchantName: "Bottega", maskedPan: "999999******0001" };
  const raise = { transactionId, acsVersion, deviceId, transactionData };
  const raised = valueOf(await acme.call(raiseChallengeRoute, { body: raise }));
  expect(raised).toEqual({
    status: 0,
    oobAppUrl: `borsello://oob?transactionId=${transactionId}`,
  });
  const { threeDsId, expiresAt } = await threeDs.row({ transactionId });
  return { body, list, raise, transactionId, cardId, threeDsId, expiresAt: expiresAt ?? "" };
};

const flowSays = async (threeDsId: string, words: string): Promise<void> => {
  const status = async () =>
    (await instanceOf(stack, `challenge-${threeDsId}`))?.customStatus ?? "";
  await expect.poll(status, { interval: 50 }).toContain(words);
};

const moveClock = async (now: number): Promise<void> => {
  valueOf(await acme.call(moveClockRoute, { body: { now: new Date(now).toISOString() } }));
};

const unknown = { status: 404, error: { errorCode: "ThreeDsTransactionNotFound" } };

test("a challenge that the card holder answers ends its flow, one that nobody answers times out", async () => {
  const [answered, forgotten] = [await challenge(), await challenge()];
  for (const { threeDsId } of [answered, forgotten])
    await flowSays(threeDsId, "Waiting for the card holder until");
  const body = {
    transactionId: answered.transactionId,
    authenticated: true,
    authMethod: "07",
  } as const;
  expect(valueOf(await acme.call(pushResultRoute, { body }))).toMatchObject({
    ...{ status: "Authenticated", authMethod: "07" },
  });
  await flowSays(answered.threeDsId, "The challenge is over: Authenticated");
  await moveClock(Date.parse(forgotten.expiresAt) - 1_000);
  expect(await threeDs.row(forgotten)).toMatchObject({ status: "OobRaised" });
  await moveClock(Date.parse(forgotten.expiresAt) + 1_000);
  await flowSays(forgotten.threeDsId, "The challenge is over: TimedOut");
  expect(await threeDs.told(forgotten)).toMatchObject([
    { subject: "ThreeDsResolved", body: { status: "TimedOut", authMethod: null } },
  ]);
  const late = { ...body, transactionId: forgotten.transactionId };
  for (const over of [late, body])
    expect(await acme.call(pushResultRoute, { body: over })).toMatchObject({
      ...{ status: 400, error: { errorCode: "OobAlreadyResolved" } },
    });
});

test("every refusal of 3-D Secure is answered as its document says", async () => {
  const { body, list, raise, cardId, transactionId } = await challenge();
  const result = { transactionId, authenticated: true, authMethod: "08" } as const;
  const devices = { cardId, devices: [] };
  const others = { status: 403, error: { errorCode: "AccountOfAnotherAffiliate" } };
  expect(await globex.call(assessRiskRoute, { body })).toMatchObject(others);
  expect(await globex.call(listDevicesRoute, { body: list })).toMatchObject(others);
  expect(await globex.call(raiseChallengeRoute, { body: raise })).toMatchObject(others);
  expect(await globex.call(pushResultRoute, { body: result })).toMatchObject(others);
  expect(await globex.call(setDevicesRoute, { body: devices })).toMatchObject(others);
  const nowhere = { transactionId: "nowhere" };
  expect(await acme.call(listDevicesRoute, { body: { ...list, ...nowhere } })).toMatchObject(
    unknown,
  );
  expect(await acme.call(raiseChallengeRoute, { body: { ...raise, ...nowhere } })).toMatchObject(
    unknown,
  );
  expect(await acme.call(pushResultRoute, { body: { ...result, ...nowhere } })).toMatchObject(
    unknown,
  );
  const noToken = { status: 400, error: { errorCode: "CardTokenInvalid" } };
  const risk = riskBody("9999990000");
  expect(await acme.call(assessRiskRoute, { body: risk })).toMatchObject(noToken);
  expect(
    await acme.call(listDevicesRoute, { body: { ...list, panToken: "9999990000" } }),
  ).toMatchObject(noToken);
  expect(
    await acme.call(assessRiskRoute, { body: { ...body, purchaseAmount: "1" } }),
  ).toMatchObject({ status: 422, error: { errorCode: "ValidationFailed" } });
  valueOf(await acme.call(setDevicesRoute, { body: devices }));
  expect(await acme.call(listDevicesRoute, { body: list })).toMatchObject({
    ...{ status: 400, error: { errorCode: "DeviceNotUnique" } },
  });
  const noCard = { ...devices, cardId: "01890a5d-ac96-774b-bcce-b302099a8057" };
  expect(await acme.call(setDevicesRoute, { body: noCard })).toMatchObject({
    ...{ status: 404, error: { errorCode: "CardNotFound" } },
  });
});

test.each([
  [{ purchaseAmount: "12.50" }, "/purchaseAmount"],
  [{ purchaseAmount: "" }, "/purchaseAmount"],
  [{ purchaseCurrency: "EUR" }, "/purchaseCurrency"],
  [{ purchaseExponent: 1.5 }, "/purchaseExponent"],
  [{ merchantFraudRate: -1 }, "/merchantFraudRate"],
  [{ merchantFraudRate: 2 ** 31 }, "/merchantFraudRate"],
  [{ threeRiIndicator: "12" }, "/threeRiIndicator"],
  [{ whitelistStatus: "y" }, "/whitelistStatus"],
  [{ messageCategory: "1" }, "/messageCategory"],
  [{ merchantName: "" }, "/merchantName"],
  [{ transactionId: "" }, "/transactionId"],
])("a risk of %o is refused and names it", async (change, pointer) => {
  const body = { ...riskBody("9999990000"), ...change };
  const refused = await acme.call(assessRiskRoute, { body: body as ReturnType<typeof riskBody> });
  expect(refused).toMatchObject({ status: 422, error: { errorCode: "ValidationFailed" } });
  expect(JSON.stringify(refused)).toContain(`"${pointer}"`);
});

test("the number of a card is refused where a masked one is asked for, and is kept nowhere", async () => {
  const { raise } = await challenge();
  const maskedPan = "4111111111111111";
  const body = { ...raise, transactionData: { maskedPan } };
  expect(await acme.call(raiseChallengeRoute, { body })).toMatchObject({
    ...{ status: 422, error: { errorCode: "ValidationFailed" } },
  });
  expect(await pansInDatabase(database)).toEqual([]);
  expect(stack.output()).not.toContain(maskedPan);
});

test("records that are past their retention are removed by a run that somebody asks for", async () => {
  const { transactionId, body, expiresAt } = await challenge();
  const result = { transactionId, authenticated: false, authMethod: "07" } as const;
  valueOf(await acme.call(pushResultRoute, { body: result }));
  const run = async (given: { readonly retentionDays: number | null } | undefined) => {
    const asked = valueOf(await acme.call(triggerThreeDsCleanupRoute, { body: given }));
    expect(asked).toMatchObject({ flow: "ThreeDsCleanup", status: "Queued" });
    const params = { runId: asked.runId };
    const seen = async () => valueOf(await acme.call(getFlowRunRoute, { params }));
    await expect.poll(async () => (await seen()).status, { interval: 50 }).toBe("Completed");
    return (await seen()).items;
  };
  await moveClock(Date.parse(expiresAt) + 2 * 86_400_000);
  expect(await run({ retentionDays: null })).toBe(0);
  expect(await run(undefined)).toBe(0);
  expect(await run({ retentionDays: 1 })).toBeGreaterThan(0);
  expect(await acme.call(pushResultRoute, { body: result })).toMatchObject(unknown);
  expect(valueOf(await acme.call(assessRiskRoute, { body })).riskLevel).toBe("MEDIUM");
});

test("every word of the enumerations is taken", async () => {
  const { list, body } = await challenge();
  const risks = [
    ...threeRiIndicators.map((threeRiIndicator) => ({ threeRiIndicator })),
    ...(["Y", "N", null] as const).map((whitelistStatus) => ({ whitelistStatus })),
  ];
  for (const change of risks) {
    const risk = riskBody(body.panToken, change);
    const { riskLevel, whitelistStatus } = valueOf(
      await acme.call(assessRiskRoute, { body: risk }),
    );
    expect([riskLevel, whitelistStatus]).toEqual(
      risk.whitelistStatus === "Y" ? ["LOW", "Y"] : ["MEDIUM", "N"],
    );
  }
  for (const authenticationType of authenticationTypes)
    valueOf(await acme.call(listDevicesRoute, { body: { ...list, authenticationType } }));
});

test("each of these routes has answered with success, and with each refusal that it declares", () => {
  const declared = routes.flatMap(({ id, errors }) =>
    ["success", ...errors].map((code) => `${id}: ${code}`),
  );
  expect(declared.filter((each) => !answered.has(each))).toEqual([]);
});
