/** Refusals about money: operations, groups, buckets and what came from the bank. */
import type { ErrorEntries } from "./entry.js";

export const moneyErrors = {
  BankNotificationStatusInvalid: {
    status: 400,
    description: "The bank notification's status does not allow this: read the notification.",
    mayHave: ["status", "reconciliation", "debtorIban", "request", "walletId", "walletStatus"],
  },
  BankNotificationConsumed: {
    status: 400,
    description: "All of the bank notification has been used already: nothing is left to decide.",
    properties: { status: "Consumed" },
  },
  InsufficientBalance: {
    status: 400,
    description: "The wallet's available funds do not cover the operation: lower the amount.",
    mayHave: ["availableBalance", "finalAmount", "operationId"],
  },
  LimitExceeded: {
    status: 400,
    description:
      "The operation exceeds a limit of the wallet: errorProperties say which and by how much.",
    properties: {
      limitName: "maximum",
      limit: "1000",
      current: "1200",
      remainingAmountToLimit: "0",
      exceedAmountFromLimit: "200",
      violationMessage: "The amount is above the maximum of one operation.",
    },
    mayHave: ["operationId"],
  },
  FeesExceedAmount: {
    status: 400,
    description: "The fees are higher than the amount: raise the amount.",
    properties: { feesAmount: "1" },
  },
  BucketNotMatching: {
    status: 400,
    description: "The bucket holds funds of another type: name a bucket of this fundsType.",
    properties: { bucketId: "01980d44-0b7f-7d31-a1c8-9e5b3f6d7a20", fundsType: "Welfare" },
  },
  BucketAmbiguous: {
    status: 400,
    description: "Several buckets match and none of them covers the amount alone: name a bucketId.",
    properties: {
      bucketId: "no single bucket covers the amount: name buckets and split the operation.",
    },
  },
  BucketNotWithdrawable: {
    status: 400,
    description:
      "The wallet has the funds, but they may only be spent, not withdrawn: lower the amount.",
    properties: { availableBalance: "80" },
  },
  FundsExpired: {
    status: 400,
    description: "The funds have expired: choose another bucket.",
    mayHave: ["bucketId", "fundsExpiryDate", "fundsType"],
  },
  FundsExpiryDateInvalid: {
    status: 400,
    description: "The date on which the funds expire lies in the past: send a later one.",
    properties: { fundsExpiryDate: "must not lie in the past." },
  },
  OperationStatusInvalid: {
    status: 400,
    description: "The operation's status does not allow this: read the operation.",
    properties: { status: "Cancelled" },
    mayHave: ["type", "operationId"],
  },
  OperationExpired: {
    status: 400,
    description: "The operation was not confirmed in time: initialise another one.",
    properties: { expiryDate: "2026-03-02T09:30:00.000Z" },
    mayHave: ["operationId"],
  },
  OperationInGroup: {
    status: 400,
    description: "The operation belongs to a group: confirm the group.",
    properties: { operationGroupId: "01980d44-0b7f-7d31-a1c8-9e5b3f6d7a20" },
  },
  OperationGroupStatusInvalid: {
    status: 400,
    description: "The group's status does not allow this: read the group.",
    mayHave: ["status", "groupOperations", "operationGroupId"],
  },
  OperationGroupAlreadyPending: {
    status: 400,
    description: "The wallet has a pending group: confirm or cancel that one first.",
    properties: { operationGroupId: "01980d44-0b7f-7d31-a1c8-9e5b3f6d7a20" },
  },
  OperationGroupNotOfWallet: {
    status: 400,
    description: "The group belongs to another wallet: name one of this wallet's.",
    properties: { operationGroupId: "01980d44-0b7f-7d31-a1c8-9e5b3f6d7a20" },
  },
  OperationNotFound: {
    status: 404,
    description: "The wallet has no operation of this family with this identifier: check both.",
    properties: { operationId: "01980d41-6c1e-7b02-9d55-1c0f6a7e2d84" },
  },
  HarvestingNotFound: {
    status: 404,
    description: "The partner has no harvesting of this type with this identifier: check both.",
    properties: { harvestingId: "01980d44-0b7f-7d31-a1c8-9e5b3f6d7a20", type: "Payment" },
  },
  BankNotificationNotFound: {
    status: 404,
    description: "The partner has no bank notification with this id: list them.",
    properties: { bankNotificationId: "01980d44-0b7f-7d31-a1c8-9e5b3f6d7a20" },
    mayHave: ["type"],
  },
  BankStatementNotFound: {
    status: 404,
    description: "The partner has no bank statement with this identifier: check it in the list.",
    properties: { statementId: "01980d44-0b7f-7d31-a1c8-9e5b3f6d7a20" },
  },
  OperationGroupNotFound: {
    status: 404,
    description: "The wallet has no such group: check its identifier.",
    properties: { operationGroupId: "01980d44-0b7f-7d31-a1c8-9e5b3f6d7a20" },
  },
  BucketNotFound: {
    status: 404,
    description: "The wallet has no bucket with this identifier: check it.",
    properties: { bucketId: "01980d44-0b7f-7d31-a1c8-9e5b3f6d7a20" },
  },
} as const satisfies ErrorEntries;
