/** What tests of mandates and the bank share: who collects, what was asked of the bank, what it answers. */
import { expect } from "vitest";
import { z } from "zod";
import { mandateActivationActivities } from "../../../orchestrations/mandate-activation.activities.js";
import { mandateActivation } from "../../../orchestrations/mandate-activation.flow.js";
import { Mandate } from "../../../shared/contracts/mandates/mandates.js";
import type { BankOutcomeMessage } from "../../../shared/contracts/platform/bank-messages.js";
import { recordOutcome, type OutcomeRecord } from "../../../shared/database/bank/requests.js";
import type { CreditorTerms } from "../../../shared/database/mandates/signing.js";
import type { Database, Queryable } from "../../../shared/database/platform/database.js";
import { platformNow } from "../../../shared/database/platform/platform-time.js";
import type { SettlementEnvironment } from "../../../shared/database/settlement/terms.js";
import { play } from "../../replay/play.js";

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

/** As on one machine: ten seconds of silence. */
export const environment: SettlementEnvironment = { silenceSeconds: 10, collectionAccount: null };

/** The mandate's flow from its start until it waits or ends, as the sweep or a message would begin it. */
export const lookAt = async (database: Database, mandateId: string): Promise<void> => {
  const activities = mandateActivationActivities(
    {
      database,
      documents: { putOnce: () => Promise.resolve(true) },
      seal: (pdf) => Promise.resolve(pdf),
      changes: { tell: () => undefined },
    },
    environment,
  );
  const answers = Object.fromEntries(activities.map(({ name, perform }) => [name, perform]));
  const startAt = new Date(await platformNow(database));
  const played = await play({ flow: mandateActivation, input: { mandateId }, answers, startAt });
  expect(played.error).toBeNull();
};

export const MandateEvent = Mandate.extend({ previousStatus: z.string() });
