/** Operation groups: initialise, read, confirm, cancel, terminate (wallet seed, 2.5, 4.3; contract 4.2). */
import { z } from "zod";
import { dateRangeQuery } from "../date-range.js";
import type { ErrorCode } from "../errors.js";
import { Identifier } from "../identifier.js";
import { pageErrors, pageQuery, paginated } from "../pages.js";
import { route } from "../route.js";
import { DateTime, NullableDateTime, walletParams } from "../wallet/fields.js";
import { IdempotencyKey, Operation, OperationLimits } from "./operations.js";

export const operationGroupStatuses = [
  "Initialized",
  "Confirmed",
  "Cancelled",
  "Expired",
  "Terminated",
] as const;

export const OperationGroup = z
  .object({
    operationGroupId: z.uuid(),
    walletId: z.uuid(),
    walletAvailableBalance: z.number(),
    partnerKey: z.string(),
    creationDate: DateTime,
    confirmationDate: NullableDateTime,
    expiryDate: DateTime,
    cancellationDate: NullableDateTime,
    status: z.enum(operationGroupStatuses),
    groupOperations: z.array(Operation),
    limits: OperationLimits,
  })
  .meta({ id: "OperationGroup" });

const record = { status: 200, schema: OperationGroup } as const;
const ofWallet: readonly ErrorCode[] = ["WalletOfAnotherPartner", "WalletNotFound"];
const groupParams = { ...walletParams, operationGroupId: Identifier } as const;

export const initialiseGroupRoute = route({
  id: "initialiseOperationGroup",
  api: "wallet",
  method: "POST",
  path: "wallets/{walletId}/groups",
  params: walletParams,
  body: z.strictObject({ idempotencyKey: IdempotencyKey }),
  role: "Operation.Write",
  ok: record,
  errors: [
    ...ofWallet,
    "WalletNotActive",
    "OperationGroupAlreadyPending",
    "IdempotencyKeyInUse",
    "IdempotencyKeyReused",
  ],
  summary: "Initialise an operation group",
  result: "The new group, Pending: operations may join it.",
  description:
    "A wallet has at most one pending group. Operations join it by `operationGroupId` and are " +
    "confirmed with it, all or none.",
});

export const listGroupsRoute = route({
  id: "listOperationGroups",
  api: "wallet",
  method: "GET",
  path: "wallets/{walletId}/groups",
  params: walletParams,
  query: { ...dateRangeQuery, ...pageQuery },
  role: "Operation.Read",
  ok: { status: 200, schema: paginated(OperationGroup) },
  errors: [...pageErrors, "DateRangeInvalid", ...ofWallet],
  summary: "List the operation groups of a wallet",
  result: "A page of the groups, and how many there are in all.",
});

export const getPendingGroupRoute = route({
  id: "getPendingOperationGroup",
  api: "wallet",
  method: "GET",
  path: "wallets/{walletId}/groups/pending",
  params: walletParams,
  role: "Operation.Read",
  ok: record,
  errors: [...ofWallet, "OperationGroupNotFound"],
  summary: "Get the wallet's pending operation group",
  result: "The group that is Pending.",
});

export const getGroupRoute = route({
  id: "getOperationGroup",
  api: "wallet",
  method: "GET",
  path: "wallets/{walletId}/groups/{operationGroupId}",
  params: groupParams,
  role: "Operation.Read",
  ok: record,
  errors: [...ofWallet, "OperationGroupNotFound"],
  summary: "Get one operation group",
  result: "The group as it is now.",
});

const change: readonly ErrorCode[] = [
  ...ofWallet,
  "OperationGroupNotFound",
  "OperationGroupStatusInvalid",
];

export const confirmGroupRoute = route({
  id: "confirmOperationGroup",
  api: "wallet",
  method: "PUT",
  path: "wallets/{walletId}/groups/{operationGroupId}/confirm",
  params: groupParams,
  repeatable: true,
  role: "Operation.Write",
  ok: record,
  errors: [...change, "WalletNotActive", "LimitExceeded", "InsufficientBalance"],
  summary: "Confirm an operation group, all of its operations or none",
  result: "The group, with all of its operations confirmed.",
});

export const cancelGroupRoute = route({
  id: "cancelOperationGroup",
  api: "wallet",
  method: "PUT",
  path: "wallets/{walletId}/groups/{operationGroupId}/cancel",
  params: groupParams,
  repeatable: true,
  role: "Operation.Write",
  ok: record,
  errors: change,
  summary: "Cancel a pending operation group and its operations",
  result: "The group, with all of its operations cancelled.",
});

export const terminateGroupRoute = route({
  id: "terminateOperationGroup",
  api: "wallet",
  method: "PUT",
  path: "wallets/{walletId}/groups/{operationGroupId}/terminate",
  params: groupParams,
  repeatable: true,
  role: "Operation.Write",
  ok: record,
  errors: change,
  summary: "Terminate a pending operation group and its operations",
  result: "The group, with all of its operations terminated.",
});
