/** The O2I routes and a card's transactions through HTTP: answers as documented, refusals, each word of 2.7. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import {
  o2iRoutes,
  o2iSimulationRoutes,
  type O2iRequest,
} from "../../shared/contracts/authorisations/o2i.js";
import {
  countCardTransactionsRoute,
  listCardTransactionsRoute,
} from "../../shared/contracts/authorisations/transactions.js";
import { setO2iTargetRoute, type O2iTargetBody } from "../../shared/contracts/sandbox/card-o2i.js";
import type { Database } from "../../shared/database/platform/database.js";
import { effectOf, transactionTypes } from "../../shared/domain/authorisations/types.js";
import {
  after,
  answerOf,
  approving,
  startFakeAffiliate,
} from "../support/affiliates/fake-affiliate.js";
import { o2iRequest, paidCard, type PaidCard } from "../support/authorisations/requests.js";
import { nowhere } from "../support/card/card-cases.js";
import { openCardDesk, type Call, type CardDesk } from "../support/card/card-desk.js";
import { issueCard, openAccount } from "../support/card/cards.js";
import { clientOf, valueOf } from "../support/platform/api.js";

let desk: CardDesk;
let database: Database;
let card: PaidCard;

beforeAll(async () => {
  desk = await openCardDesk();
  ({ database } = desk);
  card = await paidCard(database, 1_000_00n);
});
afterAll(() => desk.stop());

const every = [...Object.values(o2iRoutes), ...Object.values(o2iSimulationRoutes)];

test("each route answers, and what a holder sees of it is listed and counted", async () => {
  const { panToken, cardId } = card;
  const bought = o2iRequest(panToken, { billingAmount: 12.34 });
  expect(await desk.ok(o2iRoutes.request, { body: bought })).toEqual({
    ...{ transactionId: bought.transactionId, responseCode: "00" },
    ...{ availableBalance: 987.66, accountCurrency: 978 },
  });
  expect(
    await desk.ok(o2iRoutes.inquiry, { body: { ...o2iRequest(panToken), type: 30 } }),
  ).toMatchObject({ responseCode: "00", availableBalance: 987.66 });
  const advice = o2iRequest(panToken, { billingAmount: 0.66 });
  expect(await desk.ok(o2iRoutes.advice, { body: advice })).toMatchObject({
    availableBalance: 987,
  });
  const { transactionId: refTransactionId } = bought;
  const reversal = o2iRequest(panToken, { refTransactionId, billingAmount: null });
  expect(
    await desk.ok(o2iRoutes.reversal, { body: { ...reversal, transactionAmount: null } }),
  ).toMatchObject({
    availableBalance: 999.34,
  });
  // The fields that the seed does not call required may be left out.
  const least = {
    transactionId: "least",
    cardToken: panToken,
    cardScheme: 1,
    type: 0,
    billingAmount: 600,
  };
  expect(await desk.ok(o2iSimulationRoutes.request, { body: least })).toMatchObject({
    responseCode: "61",
  });
  expect(
    await desk.ok(o2iSimulationRoutes.reversal, {
      body: { ...least, transactionId: "reversal", refTransactionId: "least" },
    }),
  ).toMatchObject({ responseCode: "00" });

  const listed = await desk.ok(listCardTransactionsRoute, {
    params: { cardId },
    query: "pageSize=2",
  });
  expect(listed).toMatchObject({
    ...{ totalCount: 3, limitCount: 2 },
    items: [
      {
        ...{
          transactionId: bought.transactionId,
          affiliateKey: "acme",
          cardId,
          status: "Reversed",
        },
        ...{ billingAmount: 12.34, feeAmount: 0, billingCurrency: "EUR" },
        metadata: {
          responseCode: "00",
          merchantName: "Bottega",
          reversedBy: reversal.transactionId,
        },
      },
      { transactionId: advice.transactionId, status: "Authorised" },
    ],
  });
  expect(JSON.stringify(listed)).not.toContain(panToken);
  expect(await desk.ok(countCardTransactionsRoute, { params: { cardId } })).toEqual({ value: 3 });
  const before = { params: { cardId }, query: "toDate=2020-01-01T00:00:00Z" };
  expect(await desk.ok(countCardTransactionsRoute, before)).toEqual({ value: 0 });
  const old = o2iRequest(panToken, { transactionDateTime: "2020-01-01T00:00:00Z", type: 1 });
  await desk.ok(o2iRoutes.request, { body: old });
  expect(await desk.ok(countCardTransactionsRoute, before)).toEqual({ value: 1 });
  expect(await desk.ok(countCardTransactionsRoute, { params: { cardId } })).toEqual({ value: 3 });
});

describe("each route refuses", () => {
  test.each(every.map((route) => [route.id, route] as const))("%s", async (_id, route) => {
    const { accountId } = await openAccount(database, { partnerKey: "globex" });
    const ofGlobex = await issueCard(database, accountId);
    const rows: readonly [string, unknown, number][] = [
      ["CardTokenInvalid", o2iRequest("nobody's"), 400],
      ["CardTokenInvalid", o2iRequest(ofGlobex.panToken), 400],
      ["CurrencyNotSupported", o2iRequest(card.panToken, { billingCurrency: 840 }), 400],
      ["AmountScaleInvalid", o2iRequest(card.panToken, { billingAmount: 1.001 }), 422],
      ["ValidationFailed", { ...o2iRequest(card.panToken), transactionId: "" }, 422],
      ["ValidationFailed", { ...o2iRequest(card.panToken), cardNumber: "1" }, 422],
    ];
    for (const [errorCode, body, status] of rows)
      expect(await desk.ask(route, { body })).toMatchObject({ status, body: { errorCode } });
  });

  test("transactions of other affiliates' cards, of none, of no range", async () => {
    for (const route of [listCardTransactionsRoute, countCardTransactionsRoute]) {
      const { cardId } = card;
      const backwards = "fromDate=2026-01-02T00:00:00Z&toDate=2026-01-01T00:00:00Z";
      const rows: readonly [string, Call, number][] = [
        ["AccountOfAnotherAffiliate", { params: { cardId }, as: "globex" }, 403],
        ["CardNotFound", { params: { cardId: nowhere } }, 404],
        ["DateRangeInvalid", { params: { cardId }, query: backwards }, 400],
      ];
      for (const [errorCode, given, status] of rows)
        expect(await desk.ask(route, given)).toMatchObject({ status, body: { errorCode } });
    }
    for (const [query, errorCode] of [
      ["pageSize=201", "PageSizeOutOfRange"],
      ["pageNumber=-1", "PageNumberOutOfRange"],
    ] as const)
      expect(
        await desk.ask(listCardTransactionsRoute, { params: { cardId: card.cardId }, query }),
      ).toMatchObject({
        ...{ status: 400, body: { errorCode } },
      });
  });
});

describe("each word of the request is taken, and no other", () => {
  const words: Readonly<Record<string, readonly (string | number | null)[]>> = {
    cardScheme: [1, 2, 3, 4],
    source: ["M", "P", "A", "I", null],
    entryMode: [0, 1, 2, 3, 5, 6, 7, 9, 10, null],
    authentication: [0, 1, 2, null],
    authenticationProtocol: [0, 1, 2, null],
    scaExemption: [0, 1, 2, 3, 4, 5, 6, null],
    wallet: [0, 1, 2, 3, 4, 5, 10, null],
    pin: [1, 2, 3, null],
    authorizationCode: ["000000", null],
  };
  test.each(Object.entries(words))("%s", async (field, values) => {
    const body = { ...o2iRequest(card.panToken), type: 30 };
    await Promise.all(
      values.map((value) =>
        desk.ok(o2iRoutes.inquiry, {
          body: { ...body, transactionId: `${field} ${value ?? "null"}`, [field]: value },
        }),
      ),
    );
    const answer = await desk.ask(o2iRoutes.inquiry, { body: { ...body, [field]: "8" } });
    expect(answer).toMatchObject({ status: 422, body: { errorCode: "ValidationFailed" } });
    expect(JSON.stringify(answer.body)).toContain(`/${field}`);
  });

  test("moments of any offset, within years that calendars show", async () => {
    for (const [transactionDateTime, status] of [
      ["2026-11-22T10:00:00+23:00", 200],
      ["1900-01-01T00:00:00Z", 200],
      ["0000-01-01T00:00:00Z", 422],
      ["9999-12-31T23:59:59-23:59", 422],
    ] as const) {
      const { panToken, cardId } = await paidCard(database, 10_000n);
      const body = o2iRequest(panToken);
      expect(
        await desk.ask(o2iRoutes.request, { body: { ...body, transactionDateTime } }),
      ).toMatchObject({ status });
      const query = new URLSearchParams({ toDate: "2026-11-22T00:00:00Z" }).toString();
      await desk.ok(listCardTransactionsRoute, { params: { cardId }, query });
    }
  });

  test("type", async () => {
    const Code = z.object({ responseCode: z.string() });
    const { panToken } = await paidCard(database, 10_000n);
    const codes = await Promise.all(
      transactionTypes.map(async (type) => {
        const body = o2iRequest(panToken, { type, billingAmount: 1 });
        return [type, Code.parse(await desk.ok(o2iRoutes.request, { body })).responseCode] as const;
      }),
    );
    // A wallet pays at once: it takes back and holds nothing for the network.
    const paid = [0, 1, 17];
    for (const [type, code] of codes)
      expect([type, code]).toEqual([
        type,
        paid.includes(type) || effectOf(type) === "inquiry" ? "00" : "12",
      ]);
    expect(
      await desk.ask(o2iRoutes.request, { body: { ...o2iRequest(panToken), type: 2 } }),
    ).toMatchObject({ status: 422 });
  });
});

const set = async (target: z.output<typeof O2iTargetBody>): Promise<void> => {
  const answer = await clientOf(desk.stack, "acme").call(setO2iTargetRoute, { body: target });
  expect(valueOf(answer)).toEqual(target);
};

test("an affiliate that nobody can ask: 503 and nothing kept, or the stand-in's answer", async () => {
  const { panToken } = await paidCard(database, 10_000n);
  const body = o2iRequest(panToken);
  await set({ endpoint: null, standIn: null });
  expect(await desk.ask(o2iRoutes.request, { body })).toMatchObject({
    ...{ status: 503, body: { errorCode: "DependencyUnavailable" } },
  });
  await set({ endpoint: null, standIn: "05" });
  const stoodIn = o2iRequest(panToken);
  expect(await desk.ok(o2iRoutes.request, { body: stoodIn })).toMatchObject({ responseCode: "05" });
  await set({ endpoint: "wallet", standIn: null });
  expect(await desk.ok(o2iRoutes.request, { body })).toMatchObject({
    ...{ responseCode: "00", availableBalance: 70 },
  });
  expect(await desk.ok(o2iRoutes.request, { body: stoodIn })).toMatchObject({ responseCode: "05" });
});

test("an affiliate with an endpoint of its own is asked there, and what it approves too late is reversed", async () => {
  const affiliate = await startFakeAffiliate();
  try {
    const { panToken } = await paidCard(database, 0n);
    await set({ endpoint: affiliate.url, standIn: null });
    const body = o2iRequest(panToken);
    expect(await desk.ok(o2iRoutes.request, { body })).toEqual(answerOf(body.transactionId));
    expect(affiliate.asked.map((one) => one.body)).toEqual([body]);

    const about = ({ transactionId }: O2iRequest) =>
      affiliate.asked.filter((one) => one.body.transactionId === transactionId);
    const reversalsOf = ({ transactionId }: O2iRequest) =>
      affiliate.asked.filter((one) => one.body.refTransactionId === transactionId);
    const late = o2iRequest(panToken);
    affiliate.behave((response, asked) => {
      if (asked.body.transactionId !== late.transactionId) void approving(response, asked);
      else if (about(late).length === 1) response.destroy();
      else void after(2_400)(response, asked);
    });
    expect(await desk.ask(o2iRoutes.request, { body: late })).toMatchObject({ status: 503 });
    await expect.poll(() => reversalsOf(late)).toHaveLength(1);
    expect(reversalsOf(late)[0]).toMatchObject({
      headers: { "x-o2i-operation": "reversal" },
      body: { cardToken: panToken, billingAmount: late.billingAmount, type: late.type },
    });
    // What was reversed is not asked for again: the affiliate might answer as it did before.
    expect(await desk.ok(o2iRoutes.request, { body: late })).toMatchObject({ responseCode: "91" });
    expect(about(late)).toHaveLength(2);
  } finally {
    await set({ endpoint: "wallet", standIn: null });
    await affiliate.stop();
  }
});
