/** The card pays in shops and on the Internet, and what was presented is cleared into the affiliate's file. */
import { o2iRoutes, o2iSimulationRoutes } from "../../../shared/contracts/authorisations/o2i.js";
import {
  countCardTransactionsRoute,
  listCardTransactionsRoute,
} from "../../../shared/contracts/authorisations/transactions.js";
import * as clearings from "../../../shared/contracts/clearing/clearings.js";
import { getClearingFileRoute } from "../../../shared/contracts/clearing/files.js";
import * as flows from "../../../shared/contracts/clearing/flows.js";
import * as structures from "../../../shared/contracts/clearing/structures.js";
import { setO2iTargetRoute } from "../../../shared/contracts/sandbox/card-o2i.js";
import { chargeFeeRoute, presentRoute } from "../../../shared/contracts/sandbox/card-processor.js";
import { setDevicesRoute } from "../../../shared/contracts/sandbox/devices.js";
import { getFlowRunRoute } from "../../../shared/contracts/settlement/flows.js";
import * as told from "../../../shared/contracts/story/story.js";
import * as challenges from "../../../shared/contracts/threeds/challenges.js";
import { triggerThreeDsCleanupRoute } from "../../../shared/contracts/threeds/cleanup.js";
import { assessRiskRoute } from "../../../shared/contracts/threeds/risk.js";
import type { IssuedCard } from "./cards.js";
import type { Story } from "./teller.js";

const euro = 978;
const italy = 380;

const shop = {
  ...{ mcc: 5411, merchantId: "BOTTEGA-1", merchantName: "Bottega Appia" },
  ...{ merchantCity: "Roma", merchantCountry: italy },
} as const;

const inShop = { cardScheme: 1, type: 0, source: "P", billingCurrency: euro } as const;

export const pay = async ({ at, tell }: Story, { cardId, panToken }: IssuedCard): Promise<void> => {
  const cardToken = panToken;
  await at("2025-03-17T10:00");
  await tell(setO2iTargetRoute, { body: { endpoint: "wallet", standIn: "91" } });
  await tell(o2iRoutes.inquiry, {
    body: { ...inShop, ...shop, type: 30, transactionId: told.inquiryId, cardToken },
  });
  await at("2025-03-17T10:05");
  await tell(o2iRoutes.request, {
    body: {
      ...{ ...inShop, ...shop, transactionId: told.purchaseId, cardToken },
      ...{ transactionAmount: 18.4, transactionCurrency: euro, billingAmount: 18.4 },
      ...{ transactionDateTime: "2025-03-17T10:05:00.000Z", pin: 2 },
    },
  });
  await at("2025-03-17T11:00");
  await tell(o2iRoutes.advice, {
    body: { ...inShop, ...shop, transactionId: told.adviceId, cardToken, billingAmount: 4.5 },
  });
  await tell(o2iRoutes.reversal, {
    body: {
      ...{ ...inShop, ...shop, transactionId: told.adviceReversalId, cardToken },
      ...{ refTransactionId: told.adviceId, billingAmount: 4.5 },
    },
  });
  await at("2025-03-17T12:00");
  await tell(o2iSimulationRoutes.request, {
    body: { ...inShop, ...shop, transactionId: told.fuelId, cardToken, billingAmount: 9.9 },
  });
  await tell(o2iSimulationRoutes.reversal, {
    body: {
      ...{ ...inShop, ...shop, transactionId: told.fuelReversalId, cardToken },
      ...{ refTransactionId: told.fuelId, billingAmount: 9.9 },
    },
  });
  await tell(listCardTransactionsRoute, { params: { cardId } });
  await tell(countCardTransactionsRoute, { params: { cardId } });
};

export const confirmOnPhone = async (
  { at, tell }: Story,
  { cardId, panToken }: IssuedCard,
): Promise<void> => {
  const which = { transactionId: told.acsTransactionId, acsVersion: "2.2.0" };
  await at("2025-03-17T18:30");
  const { devices } = await tell(setDevicesRoute, {
    body: {
      cardId,
      devices: [
        { deviceId: "phone-1", displayVal: "Mario's phone", authenticationType: "OobPush" },
      ],
    },
  });
  await tell(assessRiskRoute, {
    body: {
      ...{ ...which, panToken, merchantName: "Libreria Online", merchantFraudRate: 9 },
      ...{ purchaseAmount: "12900", purchaseExponent: 2, purchaseCurrency: "978" },
      acquirerMerchantId: "LIBRERIA-1",
    },
  });
  await tell(challenges.listDevicesRoute, {
    body: { ...which, panToken, authenticationType: "OobPush" },
  });
  await tell(challenges.raiseChallengeRoute, {
    body: {
      ...{ ...which, deviceId: devices[0]?.deviceId ?? "" },
      transactionData: {
        ...{ merchantName: "Libreria Online", purchaseAmount: "12900", purchaseExponent: "2" },
        ...{ purchaseCurrency: "978", maskedPan: told.maskedPan },
      },
    },
  });
  await tell(challenges.pushResultRoute, {
    body: { transactionId: told.acsTransactionId, authenticated: true, authMethod: "07" },
  });
  await tell(triggerThreeDsCleanupRoute, { body: { retentionDays: 400 } });
};

const isPresented = async ({ at, tell, call, until }: Story, cardId: string): Promise<void> => {
  await at("2025-03-18T07:00");
  await tell(presentRoute, {
    body: {
      ...{ cardId, amount: 18.4, currency: "EUR", mcc: 5411, feeAmount: 0.09 },
      ...{ merchantName: shop.merchantName, merchantCountry: "ITA" },
    },
  });
  await tell(chargeFeeRoute, {
    body: {
      ...{ cardId, amount: 1, currency: "EUR", feeType: "Membership", feeCode: "M01" },
      feeDescription: "Monthly fee of the card",
    },
  });
  await until(
    () => call(listCardTransactionsRoute, { params: { cardId } }),
    ({ items }) => items.some(({ status }) => status === "Presented"),
  );
};

const day = "2025-03-18";

/** Files are named and counted, and what was given back is imported once more. */
export const clear = async (story: Story, { cardId }: IssuedCard): Promise<void> => {
  const { at, tell, call, until, name } = story;
  await isPresented(story, cardId);
  const ends = ({ runId }: { readonly runId: string }) =>
    until(
      () => call(getFlowRunRoute, { params: { runId } }),
      ({ status }) => status === "Completed",
    );
  await at("2025-03-18T08:00");
  const imported = { clearingDate: day, mode: "ImportOnly" } as const;
  await ends(await tell(flows.triggerClearingRoute, { body: imported }));
  const { items } = await call(clearings.listClearingBookmarksRoute, {
    query: { fromDate: day, toDate: day },
  });
  const bookmarkId = items[0]?.clearingBookmarkId ?? "";
  name(bookmarkId, told.clearingBookmarkId);
  const params = { bookmarkId };
  const [incoming] = await tell(clearings.listIncomingClearingsRoute, { params });
  const incomingClearingId = incoming?.incomingClearingId ?? "";
  name(incomingClearingId, told.incomingClearingId);
  await at("2025-03-18T09:00");
  await tell(clearings.deleteIncomingClearingRoute, { params: { ...params, incomingClearingId } });
  await ends(await call(flows.triggerClearingRoute, { body: imported }));
  const [made] = await call(clearings.listOutgoingClearingsRoute, { params });
  await tell(clearings.deleteOutgoingClearingRoute, {
    params: { ...params, outgoingClearingId: made?.outgoingClearingId ?? "" },
  });
  await at("2025-03-18T10:00");
  await ends(
    await tell(flows.triggerClearingExportRoute, { body: { clearingBookmarkId: bookmarkId } }),
  );
  await tell(clearings.listClearingBookmarksRoute, { query: { fromDate: day, toDate: day } });
  const [outgoing] = await tell(clearings.listOutgoingClearingsRoute, { params });
  const outgoingClearingId = outgoing?.outgoingClearingId ?? "";
  name(outgoingClearingId, told.outgoingClearingId);
  await tell(getClearingFileRoute, { params: { ...params, outgoingClearingId } });
  await tell(structures.getClearingHeaderStructureRoute, {});
  await tell(structures.getClearingRecordStructureRoute, {});
  await tell(structures.getFeeHeaderStructureRoute, {});
  await tell(structures.getFeeRecordStructureRoute, {});
};
