/** Challenges out of band: the device, the raise, the result (card seed, 4.1 and 4.3; contract 3.3 and 4.5). */
import { z } from "zod";
import { authenticationTypes } from "../../domain/threeds/devices.js";
import { authMethods, oobStatus, resolvedStatuses } from "../../domain/threeds/statuses.js";
import { route } from "../route.js";
import {
  AcsVersion,
  asThreeDs,
  DsTransactionId,
  Line,
  NullableAddress,
  NullableLine,
  PanToken,
  TransactionId,
} from "./fields.js";

const first = { abort: true } as const;
const ofTransaction = ["ThreeDsTransactionNotFound", "AccountOfAnotherAffiliate"] as const;

export const DeviceListBody = z.strictObject({
  transactionId: TransactionId,
  dsTransactionId: DsTransactionId,
  acsVersion: AcsVersion,
  panToken: PanToken,
  authenticationType: z.enum(authenticationTypes),
});
export type DeviceListBody = z.output<typeof DeviceListBody>;

export const ListedDevice = z
  .object({ deviceId: z.string(), displayVal: z.string() })
  .meta({ id: "ThreeDsDevice" });
export type ListedDevice = z.output<typeof ListedDevice>;

export const listDevicesRoute = route({
  ...asThreeDs,
  id: "listDevices",
  method: "POST",
  path: "3ds/devices",
  body: DeviceListBody,
  ok: { status: 200, schema: z.array(ListedDevice).length(1) },
  errors: [...ofTransaction, "DeviceNotUnique", "CardTokenInvalid"],
  summary: "List the one device to challenge",
  result: "The one device to challenge.",
  description:
    "The card holder's device for this type: a challenge goes to one device, so the list has exactly one, " +
    "and where there are none or several the call is refused. The token must be that of the transaction's " +
    "card.",
});

const dateDigits = 14;

export const TransactionData = z.strictObject({
  merchantName: NullableLine,
  purchaseAmount: NullableLine,
  purchaseExponent: NullableLine,
  purchaseCurrency: NullableLine,
  purchaseDate: z
    .string()
    .max(dateDigits, first)
    .regex(/^\d{14}$/, "must be fourteen digits, from the year to the seconds")
    .nullish(),
  maskedPan: z
    .string()
    .max(32, first)
    .regex(/^(?:\D*\d){0,10}\D*$/, "must show ten digits at most: the first six and the last four")
    .nullish(),
  acquirerMerchantId: NullableLine,
  messageCategory: NullableLine,
});

export const RaiseBody = z.strictObject({
  transactionId: TransactionId,
  dsTransactionId: DsTransactionId,
  acsVersion: AcsVersion,
  deviceId: Line,
  merchantAppUrl: NullableAddress.describe("Called back by the app when the challenge is over."),
  transactionData: TransactionData.nullish(),
});
export type RaiseBody = z.output<typeof RaiseBody>;

const { raised, deviceUnknown, deliveryFailed, alreadyResolved } = oobStatus;

export const Raised = z
  .object({
    status: z
      .literal([raised, deviceUnknown, deliveryFailed, alreadyResolved])
      .describe("0 raised, 1 device unknown, 2 delivery failed, 3 already resolved."),
    oobAppUrl: z
      .string()
      .nullable()
      .describe("Opens the authentication app at this challenge; null unless it is raised."),
  })
  .meta({ id: "RaisedChallenge" });
export type Raised = z.output<typeof Raised>;

export const raiseChallengeRoute = route({
  ...asThreeDs,
  id: "raiseChallenge",
  method: "POST",
  path: "3ds/oob",
  body: RaiseBody,
  ok: { status: 200, schema: Raised },
  errors: ofTransaction,
  summary: "Raise an out-of-band authentication on a device",
  result: "What became of the challenge: 0 is one that was raised.",
  description:
    "Pushes the challenge to a device of the card holder after one was listed for the transaction; it " +
    "waits five minutes for its result. Raised again on the same device it is the same challenge with the " +
    "same end; on another device it moves there and its time begins anew.",
});

export const ResultBody = z.strictObject({
  transactionId: TransactionId,
  authenticated: z.boolean(),
  authMethod: z.enum(authMethods).describe("07 biometrics, 08 login."),
});
export type ResultBody = z.output<typeof ResultBody>;

export const Resolved = z
  .object({
    transactionId: z.string(),
    status: z.enum(resolvedStatuses),
    authMethod: z.enum(authMethods).nullable(),
    resolvedAt: z.iso.datetime(),
  })
  .meta({ id: "ResolvedChallenge" });
export type Resolved = z.output<typeof Resolved>;

export const pushResultRoute = route({
  ...asThreeDs,
  id: "pushResult",
  method: "POST",
  path: "3ds/oob/result",
  body: ResultBody,
  ok: { status: 200, schema: Resolved },
  errors: [...ofTransaction, "OobAlreadyResolved"],
  summary: "Push the result of an out-of-band authentication",
  result: "The challenge as it ended.",
  description:
    "Of a challenge that was raised and whose time has not run out; a transaction without one is unknown " +
    "here. It counts once: what comes after it is refused with the status that it left.",
});
