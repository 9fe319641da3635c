/** Flows that somebody asks for at once, and their runs (wallet seed, 4.6; contract 3.2). */
import { z } from "zod";
import { operationTypes } from "../../domain/operations/families.js";
import { Identifier } from "../identifier.js";
import { bankNotificationTypes } from "../platform/bank-messages.js";
import { route } from "../route.js";
import { DateTime, NullableDateTime } from "../wallet/fields.js";

/** Those that a run works off page by page. */
export const workedFlows = [
  "Harvestings",
  "AccountingOperations",
  "MandateDepositRequest",
  "StoreMandates",
  "BankNotifications",
  "SddStoresCompensation",
  "ThreeDsCleanup",
] as const;
export type WorkedFlow = (typeof workedFlows)[number];

/** A clearing has a flow of its own, and its runs end with it. */
export const flowNames = [...workedFlows, "Clearing", "ClearingExport"] as const;

export const RequestedRun = z
  .object({
    runId: z.uuid(),
    flow: z.enum(flowNames),
    status: z
      .enum(["Queued", "Ignored"])
      .describe("Ignored: nothing of it is due now, or another flow does it."),
    requestedAt: DateTime,
  })
  .meta({ id: "RequestedRun" });
export type RequestedRun = z.infer<typeof RequestedRun>;

export const FlowRun = z
  .object({
    runId: z.uuid(),
    flow: z.enum(flowNames),
    status: z.enum(["Queued", "Running", "Completed", "Failed", "Ignored"]),
    startedAt: NullableDateTime,
    endedAt: NullableDateTime,
    items: z
      .int32()
      .describe(
        "What the run took up: operations, mandates, reconciliation groups, whose own states tell how they go on; records removed.",
      ),
    failures: z.int32().describe("Those that it could not take up."),
  })
  .meta({ id: "FlowRun" });
export type FlowRun = z.infer<typeof FlowRun>;

const queued = { status: 202, schema: RequestedRun } as const;

export const triggerHarvestingsRoute = route({
  id: "triggerHarvestings",
  api: "wallet",
  method: "POST",
  path: "flows/harvestings",
  query: {
    type: z.string().max(64, { abort: true }).optional().describe("Required: which operations."),
    harvestingId: Identifier.optional(),
  },
  role: "Flow.Trigger",
  ok: queued,
  errors: ["FlowTypeInvalid", "HarvestingNotFound"],
  summary: "Harvest now",
  result: "The run is queued.",
  description:
    `One of ${operationTypes.join(", ")}. All that is Confirmed up to now is harvested; the nightly ` +
    "timer takes what was confirmed up to yesterday (Europe/Rome). With harvestingId that one alone: " +
    "if its transfer failed it begins again with its attempts at 0, if it waits for its next attempt " +
    "it does not wait.",
});

export const triggerAccountingOperationsRoute = route({
  id: "triggerAccountingOperations",
  api: "wallet",
  method: "POST",
  path: "flows/accountingoperations",
  query: { operationId: Identifier.optional() },
  role: "Flow.Trigger",
  ok: queued,
  errors: ["OperationNotFound"],
  summary: "Settle operations one by one now",
  result: "The run is queued.",
  description:
    "Those that are Confirmed and not harvested. With operationId that one alone: if its transfer " +
    "failed it begins again with its attempts at 0, if it waits for its next attempt it does not wait.",
});

export const triggerStoresCompensationRoute = route({
  id: "triggerStoresCompensation",
  api: "wallet",
  method: "POST",
  path: "flows/sddstorescompensation",
  role: "Flow.Trigger",
  ok: queued,
  errors: [],
  summary: "Settle what stores owe and are owed now",
  result: "The run is queued.",
  description:
    "A direct debit for each pending reconciliation group that a store with an Active mandate has to " +
    "pay, and a payment to ownerIban for each that a store is owed. The timer does it from " +
    "Monday to Friday at 05:30 UTC for the groups up to yesterday (Europe/Rome). A group without mandate " +
    "or ownerIban waits for its store; one that the bank refused or returned is asked for again by " +
    "the next run.",
});

export const triggerStoreMandatesRoute = route({
  id: "triggerStoreMandates",
  api: "wallet",
  method: "POST",
  path: "flows/storemandates",
  query: { storeMandateId: Identifier.optional() },
  role: "Flow.Trigger",
  ok: queued,
  errors: ["StoreMandateNotFound"],
  summary: "Ask the bank for store mandates now",
  result: "The run is queued.",
  description:
    "Those that are Filled and that it was not asked for yet, or is to be asked for again. With " +
    "storeMandateId that one alone: after a refusal or silence it waits no longer.",
});

export const triggerBankNotificationsRoute = route({
  id: "triggerBankNotifications",
  api: "wallet",
  method: "POST",
  path: "flows/banknotifications",
  query: {
    type: z.string().max(64, { abort: true }).optional().describe("Required: which notifications."),
    bankNotificationId: Identifier.optional(),
  },
  role: "Flow.Trigger",
  ok: queued,
  errors: ["FlowTypeInvalid", "BankNotificationNotFound"],
  summary: "Process bank notifications now",
  result: "The run is queued.",
  description:
    `One of ${bankNotificationTypes.join(", ")}. All of this type that are due are tried. With ` +
    "bankNotificationId that one alone, whatever it waits for: Received it is matched anew, while its " +
    "money is sent back the bank is asked what became of it.",
});

export const getFlowRunRoute = route({
  id: "getFlowRun",
  api: "wallet",
  method: "GET",
  path: "flows/runs/{runId}",
  params: { runId: Identifier },
  role: "Operation.Read",
  ok: { status: 200, schema: FlowRun },
  errors: ["RunNotFound"],
  summary: "Get a run of a flow",
  result: "How far the run has come.",
  description:
    "Completed once everything that was due is on its way. Ignored: nothing was due. Runs are kept 30 days.",
});
