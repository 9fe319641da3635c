/** The route of the audit: who changed an entity, when and how, as links of the hash chain (contract 3.4). */
import { z } from "zod";
import { pageErrors, pageQuery, paginated } from "../pages.js";
import { route } from "../route.js";

/** What changes are written down of. Contracts and onboardings have the identifier of their wallet. */
export const auditedEntities = [
  "Wallet",
  "Contract",
  "Onboarding",
  "Bucket",
  "Operation",
  "OperationGroup",
  "Mandate",
  "Store",
  "Reconciliation",
  "BankNotification",
  "BankRequest",
  "CardAccount",
  "CardAddress",
  "Card",
  "CardAuthorisation",
  "ThreeDs",
  "ClearingBookmark",
  "Ticket",
  "Event",
  "Partner",
] as const;

const Hash = z.string().describe("SHA-256 as 64 hexadecimal digits.");

export const AuditEntry = z
  .object({
    auditId: z.int().describe("Grows with each entry of the platform."),
    at: z.iso.datetime({ offset: true }),
    actor: z
      .string()
      .describe(
        "The client id that called, or `platform`, `bank`, `processor`, `operator` for what they did.",
      ),
    partnerKey: z.string().nullable(),
    entity: z.enum(auditedEntities),
    entityId: z.string(),
    action: z.string(),
    fromStatus: z.string().nullable(),
    toStatus: z.string().nullable(),
    detail: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe("What the action adds to its statuses; null where it adds nothing."),
    hash: Hash.describe("SHA-256 over this entry, 64 hexadecimal digits."),
    link: z
      .object({ linkId: z.int(), hash: Hash, sealedAt: z.iso.datetime({ offset: true }) })
      .nullable()
      .describe(
        "The link of the chain that covers the entry's hash and all before it; null until it is sealed, " +
          "seconds after the entry was written.",
      ),
  })
  .meta({ id: "AuditEntry" });
export type AuditEntry = z.output<typeof AuditEntry>;

export const getAuditRoute = route({
  id: "getAudit",
  api: "wallet",
  method: "GET",
  path: "audit/{entity}/{id}",
  params: {
    entity: z.enum(auditedEntities).describe("What kind of thing was changed."),
    id: z
      .string()
      .min(1)
      .max(128)
      .describe(
        "Its identifier: a case number of a ticket, a key of a partner, a UUID of most others.",
      ),
  },
  query: pageQuery,
  role: "Operation.Read",
  ok: { status: 200, schema: paginated(AuditEntry) },
  errors: ["AuditNotFound", ...pageErrors],
  summary: "Read who changed an entity",
  result: "A page of the changes, and how many there are in all.",
  description:
    "The oldest entry first, one for each change, written in the transaction of the change itself. " +
    "Each is part of the platform's chain of hashes, whose end `GET /wallet/accounting/proof` tells. " +
    "Entries older than the platform keeps them are left out. A partner reads entries of its own " +
    "entities; the operators, under the partner `platform`, of all.",
});
