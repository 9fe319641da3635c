/** Flows asked for at once, and how far they are. */
import { z } from "zod";
import {
  getFlowRunRoute,
  triggerAccountingOperationsRoute,
  triggerBankNotificationsRoute,
  triggerHarvestingsRoute,
  triggerStoresCompensationRoute,
  triggerStoreMandatesRoute,
  type RequestedRun,
} from "../../shared/contracts/settlement/flows.js";
import { bankNotificationTypes } from "../../shared/contracts/platform/bank-messages.js";
import { isNotification } from "../../shared/database/bank/notification-flow.js";
import { isHarvesting } from "../../shared/database/settlement/harvestings.js";
import { findOperation } from "../../shared/database/settlement/operations.js";
import { findRun, requestRun, type RunRequest } from "../../shared/database/settlement/runs.js";
import { findStoreMandateById } from "../../shared/database/stores/store-mandates.js";
import { operationTypes } from "../../shared/domain/operations/families.js";
import { refusal } from "../../shared/domain/outcome.js";
import type { Caller } from "../kit/authorize.js";
import { endpoint } from "../kit/endpoint.js";
import type { Services } from "../kit/services.js";

type Asked = Pick<RunRequest, "flow" | "type" | "subjectId" | "isIgnored">;

const request = async (
  { database }: Services,
  { partnerKey, clientId }: Caller,
  asked: Asked,
): Promise<RequestedRun> => {
  const by = { partnerKey, actor: clientId, upTo: "now", isScheduled: false } as const;
  const run = await requestRun(database, { ...by, ...asked });
  if (run === undefined) throw new Error("A run that was asked for was not written.");
  return run;
};

const OperationTypeName = z.enum(operationTypes);

const triggerHarvestings = endpoint(
  triggerHarvestingsRoute,
  async (services, { query, caller, ok, refuse }) => {
    const type = OperationTypeName.safeParse(query.type);
    if (!type.success)
      return refuse(
        refusal("FlowTypeInvalid", { type: `must be one of ${operationTypes.join(", ")}.` }),
      );
    const { harvestingId = null } = query;
    const { partnerKey, settings } = caller;
    if (
      harvestingId !== null &&
      !(await isHarvesting(services.database, partnerKey, harvestingId, type.data))
    )
      return refuse(refusal("HarvestingNotFound", { harvestingId, type: type.data }));
    const isHarvested = settings.settlement.harvestedTypes.includes(type.data);
    return ok(
      await request(services, caller, {
        flow: "Harvestings",
        type: type.data,
        subjectId: harvestingId,
        isIgnored: harvestingId === null && !isHarvested,
      }),
    );
  },
);

const triggerAccountingOperations = endpoint(
  triggerAccountingOperationsRoute,
  async (services, { query, caller, ok, refuse }) => {
    const { operationId = null } = query;
    const found =
      operationId === null
        ? undefined
        : await findOperation(services.database, caller.partnerKey, operationId);
    if (operationId !== null && (found === undefined || found.walletId === null))
      return refuse(refusal("OperationNotFound", { operationId }));
    return ok(
      await request(services, caller, {
        flow: "AccountingOperations",
        type: null,
        subjectId: operationId,
        isIgnored: false,
      }),
    );
  },
);

const triggerStoresCompensation = endpoint(
  triggerStoresCompensationRoute,
  async (services, { caller, ok }) =>
    ok(
      await request(services, caller, {
        flow: "SddStoresCompensation",
        type: null,
        subjectId: null,
        isIgnored: false,
      }),
    ),
);

const triggerStoreMandates = endpoint(
  triggerStoreMandatesRoute,
  async (services, { query, caller, ok, refuse }) => {
    const { storeMandateId = null } = query;
    const own = { partnerKey: caller.partnerKey, isOperator: false };
    if (storeMandateId !== null) {
      const found = await findStoreMandateById(services.database, own, storeMandateId);
      if (!found.ok) return refuse(found);
    }
    return ok(
      await request(services, caller, {
        flow: "StoreMandates",
        type: null,
        subjectId: storeMandateId,
        isIgnored: false,
      }),
    );
  },
);

const BankNotificationTypeName = z.enum(bankNotificationTypes);

const triggerBankNotifications = endpoint(
  triggerBankNotificationsRoute,
  async (services, { query, caller, ok, refuse }) => {
    const type = BankNotificationTypeName.safeParse(query.type);
    if (!type.success)
      return refuse(
        refusal("FlowTypeInvalid", { type: `must be one of ${bankNotificationTypes.join(", ")}.` }),
      );
    const { bankNotificationId = null } = query;
    const { database } = services;
    if (
      bankNotificationId !== null &&
      !(await isNotification(database, caller.partnerKey, bankNotificationId, type.data))
    )
      return refuse(refusal("BankNotificationNotFound", { bankNotificationId, type: type.data }));
    return ok(
      await request(services, caller, {
        flow: "BankNotifications",
        type: type.data,
        subjectId: bankNotificationId,
        isIgnored: false,
      }),
    );
  },
);

const getRun = endpoint(getFlowRunRoute, async ({ database }, { params, caller, ok, refuse }) => {
  const { runId } = params;
  const run = await findRun(database, caller.partnerKey, runId);
  return run === undefined ? refuse(refusal("RunNotFound", { runId })) : ok(run);
});

export const flowEndpoints = [
  triggerHarvestings,
  triggerAccountingOperations,
  triggerStoresCompensation,
  triggerStoreMandates,
  triggerBankNotifications,
  getRun,
] as const;
