/** A call for each success and each refusal of a card's limits, PIN, authorisations, transactions and 3-D Secure. */
import { randomUUID } from "node:crypto";
import { o2iRoutes, o2iSimulationRoutes } from "../../../shared/contracts/authorisations/o2i.js";
import {
  countCardTransactionsRoute,
  listCardTransactionsRoute,
} from "../../../shared/contracts/authorisations/transactions.js";
import { setCardLimitsRoute } from "../../../shared/contracts/card/limits.js";
import { changePinRoute, getPinKeyRoute, PinKey } from "../../../shared/contracts/card/pins.js";
import type { ErrorCode } from "../../../shared/contracts/errors.js";
import type { Route } from "../../../shared/contracts/route.js";
import * as challenges from "../../../shared/contracts/threeds/challenges.js";
import { triggerThreeDsCleanupRoute } from "../../../shared/contracts/threeds/cleanup.js";
import { assessRiskRoute, threeRiIndicators } from "../../../shared/contracts/threeds/risk.js";
import { makePinToken } from "../../../shared/database/card/pins.js";
import type { Database } from "../../../shared/database/platform/database.js";
import { setDevices } from "../../../shared/database/threeds/devices.js";
import { cardLimitTypes } from "../../../shared/domain/card/limit-types.js";
import type { CardStatus } from "../../../shared/domain/card/statuses.js";
import { authenticationTypes } from "../../../shared/domain/threeds/devices.js";
import { authMethods } from "../../../shared/domain/threeds/statuses.js";
import { o2iRequest, paidCard } from "../authorisations/requests.js";
import type { Answer } from "../platform/api.js";
import { riskBody, threeDsOf } from "../threeds/challenges.js";
import { acme, made } from "../wallet/wallet-fixtures.js";
import { nowhere } from "./card-cases.js";
import type { Call } from "./card-desk.js";
import { issueCard, openAccount } from "./cards.js";
import { cypherOf } from "./pin-cyphers.js";

/** One call of a route, and what comes of it. */
export interface UseCase {
  readonly route: Route;
  readonly code: ErrorCode | "ok";
  /** Which of several, where a route has a row for each word of an enumeration. */
  readonly what?: string;
  readonly given: () => Promise<Call>;
}

export interface UseMeans {
  readonly database: () => Database;
  readonly ask: (route: Route, call: Call) => Promise<Answer>;
}

const range = "fromDate=2026-02-01T00:00:00Z&toDate=2026-01-01T00:00:00Z";

/** What a list of something refuses. */
export const listCases = (route: Route, given: () => Promise<Call>): readonly UseCase[] => [
  {
    route,
    code: "PageSizeOutOfRange",
    given: async () => ({ ...(await given()), query: "pageSize=0" }),
  },
  {
    ...{ route, code: "PageNumberOutOfRange" },
    given: async () => ({ ...(await given()), query: "pageNumber=-1" }),
  },
];

const aCard = async (database: Database, partnerKey = "acme", status: CardStatus = "Active") =>
  issueCard(database, (await openAccount(database, { partnerKey })).accountId, { status });

const limitCases = ({ database }: UseMeans): readonly UseCase[] => {
  const route = setCardLimitsRoute;
  const setting =
    (limits: readonly object[], of: { partnerKey?: string; status?: CardStatus } = {}) =>
    async (): Promise<Call> => {
      const { cardId } = await aCard(database(), of.partnerKey, of.status);
      return { params: { cardId }, body: { limits } };
    };
  const limit = (type: string, amount = 5) => ({ type, limit: amount, isDisabled: false });
  const few = [limit("dailyAtm")];
  return [
    ...cardLimitTypes.map((type): UseCase => ({
      route,
      code: "ok",
      what: type,
      given: setting([limit(type)]),
    })),
    { route, code: "CardNotFound", given: async () => ({ body: { limits: few } }) },
    { route, code: "AccountOfAnotherAffiliate", given: setting(few, { partnerKey: "globex" }) },
    { route, code: "CardLimitTypeUnknown", given: setting([limit("hourly")]) },
    { route, code: "CardStatusInvalid", given: setting(few, { status: "Blocked" }) },
    { route, code: "AmountScaleInvalid", given: setting([limit("dailyAtm", 5.001)]) },
  ];
};

const pinCases = ({ database, ask }: UseMeans): readonly UseCase[] => {
  const changing =
    (pin: string, status: CardStatus = "Active", token?: string) =>
    async (): Promise<Call> => {
      const key = PinKey.parse((await ask(getPinKeyRoute, {})).body);
      const { cardId } = await aCard(database(), "acme", status);
      const own = made(await makePinToken(database(), acme, cardId));
      return { body: { cypher: cypherOf(pin, key), token: token ?? own } };
    };
  const route = changePinRoute;
  return [
    { route: getPinKeyRoute, code: "ok", given: async () => ({}) },
    { route, code: "ok", given: changing("1234") },
    { route, code: "PinTokenInvalid", given: changing("1234", "Active", "nobody's") },
    { route, code: "PinCypherInvalid", given: changing("123") },
    { route, code: "CardStatusInvalid", given: changing("1234", "Deleted") },
  ];
};

const authorisationCases = ({ database }: UseMeans): readonly UseCase[] => {
  const asking =
    (change: Parameters<typeof o2iRequest>[1] = {}) =>
    async (): Promise<Call> => {
      const { panToken } = await paidCard(database(), 10_000n);
      const transactionId = randomUUID();
      return { body: o2iRequest(panToken, { transactionId, refTransactionId: "none", ...change }) };
    };
  const ofRoute = (route: Route): readonly UseCase[] => [
    { route, code: "ok", given: asking(route === o2iRoutes.inquiry ? { type: 30 } : {}) },
    { route, code: "CardTokenInvalid", given: asking({ cardToken: "nobody's" }) },
    { route, code: "CurrencyNotSupported", given: asking({ billingCurrency: 840 }) },
    { route, code: "AmountScaleInvalid", given: asking({ billingAmount: 1.001 }) },
  ];
  const ofCard =
    (partnerKey: string, query = "") =>
    async (): Promise<Call> => {
      const { cardId } = await aCard(database(), partnerKey);
      return { params: { cardId }, query };
    };
  const read = (route: Route): readonly UseCase[] => [
    { route, code: "ok", given: ofCard("acme") },
    { route, code: "DateRangeInvalid", given: ofCard("acme", range) },
    { route, code: "AccountOfAnotherAffiliate", given: ofCard("globex") },
    { route, code: "CardNotFound", given: async () => ({}) },
  ];
  return [
    ...[...Object.values(o2iRoutes), ...Object.values(o2iSimulationRoutes)].flatMap(ofRoute),
    ...read(listCardTransactionsRoute),
    ...listCases(listCardTransactionsRoute, ofCard("acme")),
    ...read(countCardTransactionsRoute),
  ];
};

const acsVersion = "2.2.0";

const threeDsCases = ({ database }: UseMeans): readonly UseCase[] => {
  const threeDs = threeDsOf(database);
  /** A body that is made of a state; asked by its affiliate, or by another one. */
  const of =
    <State>(state: () => Promise<State>, body: (state: State) => object, as: Call["as"] = "acme") =>
    async (): Promise<Call> => ({ body: body(await state()), as });
  type Assessed = Awaited<ReturnType<typeof threeDs.assessed>>;
  type Listed = Awaited<ReturnType<typeof threeDs.listed>>;
  const nobodys = async (): Promise<Listed> => ({
    ...{ transactionId: randomUUID(), panToken: "1", deviceId: "1" },
    ...{ cardId: nowhere, customerId: nowhere },
  });
  const risk = assessRiskRoute;
  const assess = (change: object) => of(threeDs.card, ({ panToken }) => riskBody(panToken, change));
  const again = (change: object) =>
    of(
      async () => {
        const body = riskBody((await threeDs.card()).panToken);
        made(await threeDs.risk(body));
        return body;
      },
      (body) => ({ ...body, ...change }),
    );

  const list = challenges.listDevicesRoute;
  const listing =
    (change: object = {}) =>
    ({ transactionId, panToken }: Pick<Assessed, "transactionId" | "panToken">) => ({
      ...{ transactionId, acsVersion, panToken, authenticationType: "OobPush", ...change },
    });
  const withoutDevice = async (): Promise<Assessed> => {
    const state = await threeDs.assessed();
    await setDevices(database(), state.cardId, []);
    return state;
  };
  const raise = challenges.raiseChallengeRoute;
  const raising = ({ transactionId, deviceId }: Listed) => ({
    ...{ transactionId, acsVersion, deviceId },
  });
  const push = challenges.pushResultRoute;
  const pushing =
    (authMethod: string, authenticated = true) =>
    ({ transactionId }: Pick<Assessed, "transactionId">) => ({
      ...{ transactionId, authenticated, authMethod },
    });
  const resolved = async (): Promise<Listed> => {
    const state = await threeDs.raised();
    made(await threeDs.result(state));
    return state;
  };
  return [
    ...threeRiIndicators.map((word): UseCase => ({
      ...{ route: risk, code: "ok", what: `threeRiIndicator ${word}` },
      given: assess({ threeRiIndicator: word }),
    })),
    ...["Y", "N"].map((word): UseCase => ({
      ...{ route: risk, code: "ok", what: `whitelistStatus ${word}` },
      given: assess({ whitelistStatus: word }),
    })),
    { route: risk, code: "CardTokenInvalid", given: assess({ panToken: "9999990000" }) },
    { route: risk, code: "ValidationFailed", given: again({ purchaseAmount: "1" }) },
    {
      ...{ route: risk, code: "AccountOfAnotherAffiliate" },
      given: async () => ({ ...(await again({})()), as: "globex" }),
    },

    ...authenticationTypes.map((authenticationType): UseCase => ({
      ...{ route: list, code: "ok", what: authenticationType },
      given: of(threeDs.assessed, listing({ authenticationType })),
    })),
    { route: list, code: "ThreeDsTransactionNotFound", given: of(nobodys, listing()) },
    {
      ...{ route: list, code: "AccountOfAnotherAffiliate" },
      given: of(threeDs.assessed, listing(), "globex"),
    },
    { route: list, code: "DeviceNotUnique", given: of(withoutDevice, listing()) },
    {
      ...{ route: list, code: "CardTokenInvalid" },
      given: of(threeDs.assessed, listing({ panToken: "9999990000" })),
    },

    { route: raise, code: "ok", given: of(threeDs.listed, raising) },
    { route: raise, code: "ThreeDsTransactionNotFound", given: of(nobodys, raising) },
    {
      ...{ route: raise, code: "AccountOfAnotherAffiliate" },
      given: of(threeDs.listed, raising, "globex"),
    },

    ...authMethods.flatMap((method) =>
      [true, false].map((authenticated): UseCase => ({
        ...{ route: push, code: "ok", what: `${method} ${String(authenticated)}` },
        given: of(threeDs.raised, pushing(method, authenticated)),
      })),
    ),
    { route: push, code: "ThreeDsTransactionNotFound", given: of(nobodys, pushing("07")) },
    {
      ...{ route: push, code: "AccountOfAnotherAffiliate" },
      given: of(threeDs.raised, pushing("07"), "globex"),
    },
    { route: push, code: "OobAlreadyResolved", given: of(resolved, pushing("07", false)) },

    { route: triggerThreeDsCleanupRoute, code: "ok", given: async () => ({ body: {} }) },
  ];
};

export const useCases = (means: UseMeans): readonly UseCase[] => [
  ...limitCases(means),
  ...pinCases(means),
  ...authorisationCases(means),
  ...threeDsCases(means),
];
