/** The store mandate record and the routes of the partner's store mandates (wallet seed, 2.7, 4.4; contract 3.2). */
import { z } from "zod";
import { Identifier } from "../identifier.js";
import { mandateStatuses } from "../mandates/mandates.js";
import { pageErrors, paginated, smallPageQuery } from "../pages.js";
import { route } from "../route.js";
import { DateTime, Metadata, NullableDateTime, Text } from "../wallet/fields.js";

export const StoreMandate = z
  .object({
    storeMandateId: z.uuid(),
    partnerKey: z.string(),
    storeId: z.uuid(),
    mandateUniqueReference: z.string(),
    debtorName: z.string(),
    debtorIban: z.string(),
    creationDate: DateTime,
    fillDate: NullableDateTime,
    activationDate: NullableDateTime,
    disableRequestDate: NullableDateTime,
    disabledDate: NullableDateTime,
    status: z.enum(mandateStatuses).exclude(["ActivationRequested"]),
    feedback: z.string().nullable().describe("Why it is not Active yet, or not any more."),
    attempts: z.int32().describe("How often the bank has refused to activate it."),
    lastPaymentReceiveDate: NullableDateTime,
    metadata: Metadata.nullable().describe(
      "`bankReference`: the reference that the bank knows, where it cannot carry the partner's own.",
    ),
  })
  .meta({ id: "StoreMandate" });
export type StoreMandate = z.infer<typeof StoreMandate>;

export const CreateStoreMandateBody = z.strictObject({
  storeId: Identifier,
  mandateUniqueReference: Text.describe("Unique among the partner's mandates, whatever its case."),
});
export type NewStoreMandate = z.output<typeof CreateStoreMandateBody>;

const params = { storeMandateId: Identifier } as const;
const record = { status: 200, schema: StoreMandate } as const;

export const listStoreMandatesRoute = route({
  id: "listStoreMandates",
  api: "wallet",
  method: "GET",
  path: "storemandates",
  query: { storeId: Identifier.optional(), ...smallPageQuery },
  role: "Wallet.Read",
  ok: { status: 200, schema: paginated(StoreMandate) },
  errors: pageErrors,
  summary: "List the partner's store mandates",
  result: "A page of the store mandates, and how many there are in all.",
  description: "The oldest first, those of deleted stores too.",
});

export const createStoreMandateRoute = route({
  id: "createStoreMandate",
  api: "wallet",
  method: "POST",
  path: "storemandates",
  body: CreateStoreMandateBody,
  takesIdempotencyKey: true,
  role: "Mandate.Write",
  ok: record,
  errors: [
    "MandateReferenceAlreadyPresent",
    "MandateAlreadyPresent",
    "StoreOwnerDataMissing",
    "DealerOfAnotherPartner",
    "StoreNotFound",
  ],
  summary: "Create a store mandate",
  result: "The new store mandate.",
  description:
    "A Draft whose debtor is the store's ownerName and ownerIban. It is the store's current mandate " +
    "from then on. A reference is used once and for all, even where its mandate has ended. Banks " +
    "take 35 characters of a Latin set: where the reference has more or others, they are told one " +
    "of the platform's, which `metadata.bankReference` shows.",
});

export const getStoreMandateByIdRoute = route({
  id: "getStoreMandate",
  api: "wallet",
  method: "GET",
  path: "storemandates/{storeMandateId}",
  params,
  role: "Wallet.Read",
  ok: record,
  errors: ["StoreMandateNotFound"],
  summary: "Get a store mandate",
  result: "The store mandate as it is now.",
});

export const fillStoreMandateRoute = route({
  id: "fillStoreMandate",
  api: "wallet",
  method: "PUT",
  path: "storemandates/{storeMandateId}/fill",
  params,
  role: "Mandate.Write",
  ok: record,
  errors: ["StoreMandateNotFound", "MandateStatusInvalid"],
  summary: "Fill a store mandate",
  result: "The store mandate, filled.",
  description:
    "Its debtor has signed it: the flow StoreMandates asks the bank to activate it, every quarter " +
    "of an hour or when it is triggered. From then on a fill answers it as the bank knows it.",
});

export const deleteStoreMandateRoute = route({
  id: "deleteStoreMandate",
  api: "wallet",
  method: "DELETE",
  path: "storemandates/{storeMandateId}",
  params,
  role: "Mandate.Write",
  ok: record,
  errors: ["StoreMandateNotFound", "MandateStatusInvalid"],
  summary: "Delete a store mandate",
  result: "The store mandate, Cancelled before its activation, else about to be disabled.",
  description:
    "Cancelled before its activation; whatever the bank may still accept of it is revoked. After " +
    "it, DisableRequested until the bank has revoked it.",
});
