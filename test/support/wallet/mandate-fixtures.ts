/** What tests of mandates and the bank share: who collects, what was asked of the bank, what it answers. */
import { z } from "zod";
import { Mandate } from "../../../shared/contracts/mandates/mandates.js";
import type { BankOutcomeMessage } from "../../../shared/contracts/platform/bank-messages.js";
import { recordOutcome, type OutcomeRecord } from "../../../shared/database/bank/requests.js";
import type { CreditorTerms } from "../../../shared/database/mandates/signing.js";
import type { Database, Queryable } from "../../../shared/database/platform/database.js";

export const creditor: CreditorTerms = {
  identifier: "IT91ZZZACME000000000001",
  name: "Acme",
  address: "Via Appia 1, 00179 Roma, IT",
  preNotificationDays: 5,
};

const AskedOfBank = z.object({
  requestId: z.uuid(),
  kind: z.enum(["mandateActivation", "mandateRevocation"]),
  reference: z.string(),
  /** How often its message was written: once, and again for each silence. */
  messages: z.bigint().transform(Number),
});
export type AskedOfBank = z.infer<typeof AskedOfBank>;

/** Every request for a mandate, oldest first. */
export const requestsFor = (database: Queryable, mandateId: string): Promise<AskedOfBank[]> =>
  database.rows(
    AskedOfBank,
    `select request_id as "requestId", kind, payload ->> 'mandateUniqueReference' as reference,
       (select count(*) from borsello.outbox
        where body ->> 'requestId' = r.request_id::text) as messages
     from borsello.bank_request as r where mandate_id = $1 order by requested_at, kind, request_id`,
    [mandateId],
  );

export const bankSays = (
  database: Database,
  requestId: string,
  outcome: BankOutcomeMessage["outcome"],
  reasonCode: string | null = null,
): Promise<OutcomeRecord> =>
  recordOutcome(database, {
    requestId,
    outcome,
    reasonCode,
    transactionReference: `T-${requestId}`,
    bookingDate: null,
  });

export const MandateEvent = Mandate.extend({ previousStatus: z.string() });
