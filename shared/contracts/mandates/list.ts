/** The partner's mandates, of wallets and of stores, as a list and one by one (contract 3.2). */
import { z } from "zod";
import { dateRangeQuery } from "../date-range.js";
import { Identifier } from "../identifier.js";
import { pageErrors, pageQuery, paginated } from "../pages.js";
import { route } from "../route.js";
import { Mandate, mandateFrequencies, mandateStatuses } from "./mandates.js";

/** A store's has neither walletId, amount nor frequency. */
export const AnyMandate = Mandate.extend({
  walletId: z.uuid().nullable(),
  amount: z.number().nullable(),
  frequency: z.enum(mandateFrequencies).nullable(),
}).meta({ id: "AnyMandate" });
export type AnyMandate = z.output<typeof AnyMandate>;

export interface MandateFilter {
  readonly status?: Mandate["status"] | undefined;
  readonly walletId?: string | undefined;
  readonly storeId?: string | undefined;
}

export const listMandatesRoute = route({
  id: "listMandates",
  api: "wallet",
  method: "GET",
  path: "mandates",
  query: {
    ...dateRangeQuery,
    status: z.enum(mandateStatuses).optional(),
    walletId: Identifier.optional(),
    storeId: Identifier.optional(),
    ...pageQuery,
  },
  role: "Wallet.Read",
  ok: { status: 200, schema: paginated(AnyMandate) },
  errors: [...pageErrors, "DateRangeInvalid"],
  summary: "List the partner's mandates",
  result: "A page of the mandates, and how many there are in all.",
  description:
    "Of wallets and stores, in order of creation, which the dates are of: the ninety days before " +
    "`toDate`, or before now, where `fromDate` is absent.",
});

export const getMandateRoute = route({
  id: "getMandate",
  api: "wallet",
  method: "GET",
  path: "mandates/{mandateId}",
  params: { mandateId: Identifier },
  role: "Wallet.Read",
  ok: { status: 200, schema: AnyMandate },
  errors: ["MandateNotFound"],
  summary: "Get a mandate",
  result: "The mandate as it is now.",
});
