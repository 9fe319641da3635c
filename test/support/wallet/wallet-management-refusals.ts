/** The refusals of wallet management: states, deletion, lists, searches, statistics, buckets, limits. */
import { getAuditRoute } from "../../../shared/contracts/accounting/audit.js";
import { getProofRoute } from "../../../shared/contracts/accounting/proof.js";
import { getStatementRoute } from "../../../shared/contracts/accounting/statement.js";
import * as balance from "../../../shared/contracts/ledger/balance.js";
import * as buckets from "../../../shared/contracts/ledger/buckets.js";
import * as limits from "../../../shared/contracts/ledger/limits.js";
import { getOnboarding } from "../../../shared/contracts/onboarding/onboarding.js";
import type { Route } from "../../../shared/contracts/route.js";
import * as search from "../../../shared/contracts/wallet/search.js";
import * as states from "../../../shared/contracts/wallet/states.js";
import * as statistics from "../../../shared/contracts/wallet/statistics.js";
import { ownership, pageRefusals, type RefusalCase } from "../platform/refusal-cases.js";
import type { WalletStates } from "./wallet-states.js";

const stateCases = (given: WalletStates): readonly RefusalCase[] => {
  const { anyWallet, inStatus, fundedOfGlobex } = given;
  return [
    ...[
      states.suspendWalletRoute,
      states.reactivateWalletRoute,
      states.closeWalletRoute,
      states.reopenWalletRoute,
      states.destroyWalletRoute,
    ].flatMap((route: Route) => ownership(given, route)),
    {
      route: states.suspendWalletRoute,
      code: "WalletNotActive",
      given: inStatus("Suspended"),
      says: { status: "Suspended" },
    },
    ...[states.reactivateWalletRoute, states.closeWalletRoute].map((route: Route) => ({
      route,
      code: "WalletNotSuspended" as const,
      given: anyWallet,
      says: { status: "Active" },
    })),
    {
      route: states.closeWalletRoute,
      code: "WalletBalanceNotZero",
      given: fundedOfGlobex,
      as: "globex",
      says: { availableBalance: "1.5" },
    },
    ...[states.reopenWalletRoute, states.destroyWalletRoute].map((route: Route) => ({
      route,
      code: "WalletNotClosed" as const,
      given: inStatus("Suspended"),
      says: { status: "Suspended" },
    })),
  ];
};

const searchCases = ({ nowhere }: WalletStates): readonly RefusalCase[] => {
  const dates = (query: string, says = {}): RefusalCase => ({
    route: search.getAllWalletsRoute,
    code: "DateRangeInvalid",
    given: nowhere,
    query,
    says,
  });
  return [
    ...pageRefusals(search.getAllWalletsRoute, nowhere),
    ...pageRefusals(search.searchWalletRoute, nowhere),
    dates("fromDate=yesterday"),
    dates("toDate=2026-02-30T00:00:00Z"),
    dates("fromDate=2026-01-02T00:00:00Z&toDate=2026-01-01T00:00:00Z", {
      toDate: "must not be before fromDate.",
    }),
    dates("fromDate=2025-01-01T00:00:00Z&toDate=2026-01-03T00:00:00Z", {
      toDate: "must be within 366 days of fromDate.",
    }),
    {
      route: search.searchWalletRoute,
      code: "SearchParameterInvalid",
      given: nowhere,
      body: { isSuspended: false, isClosed: true },
      says: { isSuspended: "must not be false where isClosed is true." },
    },
  ];
};

const statisticsCases = ({ nowhere }: WalletStates): readonly RefusalCase[] => {
  const ofDealer = (code: RefusalCase["code"], dealerKey: string): RefusalCase => ({
    route: statistics.getDealerStatisticsRoute,
    code,
    given: nowhere,
    params: { dealerKey },
    says: { dealerKey },
  });
  return [
    {
      route: statistics.getPartnerStatisticsRoute,
      code: "StatisticsNotFound",
      given: nowhere,
      as: "initech",
      says: { partnerKey: "initech" },
    },
    ofDealer("StatisticsNotFound", "dealer-milan"),
    ofDealer("DealerOfAnotherPartner", "dealer-turin"),
    ofDealer("DealerNotFound", "nobody"),
  ];
};

/** Moments that are none, or that have not come. */
const momentCases = ({ anyWallet }: WalletStates): readonly RefusalCase[] =>
  [balance.getWalletBalanceRoute, getProofRoute].flatMap((route: Route) =>
    ["yesterday", "2026-02-30T00:00:00Z", "", "2999-01-01T00:00:00Z", `${"9".repeat(60)}Z`].map(
      (at) => ({
        route,
        code: "QueryParameterInvalid" as const,
        given: anyWallet,
        query: `at=${at}`,
      }),
    ),
  );

/** What nobody has, and what is another partner's. */
const auditCases = ({ ofGlobex, nowhere }: WalletStates): readonly RefusalCase[] => [
  ...pageRefusals(getAuditRoute, nowhere, { entity: "Wallet", id: "somebody" }),
  ...[ofGlobex, nowhere].map((given): RefusalCase => ({
    route: getAuditRoute,
    code: "AuditNotFound",
    given,
    prepare: (id) => Promise.resolve({ params: { entity: "Wallet", id } }),
  })),
  ...[
    ["Wallet", "a'--"],
    ["Ticket", "nobody"],
  ].map(([entity = "", id = ""]): RefusalCase => ({
    route: getAuditRoute,
    code: "AuditNotFound",
    given: nowhere,
    params: { entity, id },
    says: { entity, id },
  })),
];

export const managementCases = (given: WalletStates): readonly RefusalCase[] => [
  ...momentCases(given),
  ...auditCases(given),
  {
    route: getStatementRoute,
    code: "DateRangeInvalid",
    given: given.anyWallet,
    query: "toDate=tomorrow",
  },
  ...stateCases(given),
  ...searchCases(given),
  ...statisticsCases(given),
  ...[
    buckets.getWalletBucketsRoute,
    buckets.resyncBucketsRoute,
    limits.getWalletLimitsRoute,
    balance.getWalletBalanceRoute,
    getStatementRoute,
    getOnboarding,
  ].flatMap((route: Route) => ownership(given, route)),
];
