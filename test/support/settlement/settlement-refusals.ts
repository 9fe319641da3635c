/** The refusals of settlement's routes, and of the bank notifications that it reads. */
import { listBankNotificationsRoute } from "../../../shared/contracts/accounting/bank-notifications.js";
import {
  getBankStatementRoute,
  listBankStatementsRoute,
} from "../../../shared/contracts/accounting/bank-statements.js";
import * as flows from "../../../shared/contracts/settlement/flows.js";
import * as harvestings from "../../../shared/contracts/settlement/harvestings.js";
import { listPendingReconciliationsRoute } from "../../../shared/contracts/settlement/reconciliations.js";
import type { Database } from "../../../shared/database/platform/database.js";
import { pageRefusals, type RefusalCase } from "../platform/refusal-cases.js";
import { openStore } from "../stores/store-fixtures.js";
import { globex } from "../wallet/wallet-fixtures.js";
import type { Given } from "../wallet/wallet-states.js";

const unknown = "01890a5d-ac96-774b-bcce-b302099a8057";
const reversed = "fromDate=2026-02-01T00:00:00Z&toDate=2026-01-01T00:00:00Z";

/** `read` is called when a state is asked for: the database may open later. */
export const settlementCases = (read: () => Database): readonly RefusalCase[] => {
  const nowhere: Given = async () => unknown;
  const ofGlobex: Given = async () => (await openStore(read(), {}, globex, "dealer-turin")).storeId;
  const { triggerHarvestingsRoute, triggerAccountingOperationsRoute, getFlowRunRoute } = flows;
  const dated: readonly RefusalCase["route"][] = [
    harvestings.listHarvestingsRoute,
    harvestings.countHarvestingsRoute,
    listBankNotificationsRoute,
    listBankStatementsRoute,
  ];
  const trigger = { route: triggerHarvestingsRoute, given: nowhere } as const;
  return [
    { ...trigger, code: "FlowTypeInvalid" },
    { ...trigger, code: "FlowTypeInvalid", query: "type=Cash" },
    {
      ...trigger,
      code: "HarvestingNotFound",
      query: `type=Payment&harvestingId=${unknown}`,
      says: { harvestingId: unknown, type: "Payment" },
    },
    {
      route: triggerAccountingOperationsRoute,
      code: "OperationNotFound",
      given: nowhere,
      query: `operationId=${unknown}`,
      says: { operationId: unknown },
    },
    {
      route: flows.triggerStoreMandatesRoute,
      code: "StoreMandateNotFound",
      given: nowhere,
      query: `storeMandateId=${unknown}`,
      says: { storeMandateId: unknown },
    },
    {
      route: getFlowRunRoute,
      code: "RunNotFound",
      given: nowhere,
      params: { runId: unknown },
      says: { runId: unknown },
    },
    {
      route: getBankStatementRoute,
      code: "BankStatementNotFound",
      given: nowhere,
      params: { statementId: unknown },
      says: { statementId: unknown },
    },
    ...pageRefusals(listBankStatementsRoute, nowhere),
    ...pageRefusals(harvestings.listHarvestingsRoute, nowhere),
    ...pageRefusals(listBankNotificationsRoute, nowhere),
    ...dated.map((route): RefusalCase => ({
      ...{ route, code: "DateRangeInvalid", given: nowhere, query: reversed },
    })),
    { route: listPendingReconciliationsRoute, code: "StoreNotFound", given: nowhere },
    { route: listPendingReconciliationsRoute, code: "DealerOfAnotherPartner", given: ofGlobex },
  ];
};
