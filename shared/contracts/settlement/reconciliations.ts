/** What a store and the partner still owe each other (wallet seed, 4.3; contract 4.6). */
import { z } from "zod";
import { Identifier } from "../identifier.js";
import { route } from "../route.js";

export const PendingReconciliation = z
  .object({
    reconciliationCode: z.string(),
    totalAmount: z.number(),
    targetIban: z
      .string()
      .nullable()
      .describe("Who is paid: the partner's collection account, or the store's owner."),
    reason: z.string(),
  })
  .meta({ id: "PendingReconciliation" });

export const listPendingReconciliationsRoute = route({
  id: "listPendingReconciliations",
  api: "wallet",
  method: "GET",
  path: "stores/{storeId}/reconciliations/pending",
  params: { storeId: Identifier },
  role: "Operation.Read",
  ok: { status: 200, schema: z.array(PendingReconciliation) },
  errors: ["DealerOfAnotherPartner", "StoreNotFound"],
  summary: "List the reconciliation groups of a store that are not paid yet",
  result: "The groups that wait for their payment.",
  description:
    "One for each day (Europe/Rome) whose operations were harvested, the oldest first, 366 at most; " +
    "what is harvested after a payment or a direct debit has claimed a day's group makes another. " +
    "`totalAmount` is what is still to be paid to `targetIban`: to the partner where the store took " +
    "more in than it gave out, else to the store's `ownerIban` (null while it has none: then it " +
    "waits). A group whose operations cancel each other out is left out, and so is one whose direct " +
    "debit or payment is out.",
});
