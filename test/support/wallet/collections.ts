/** Active mandates on a database alone: their collections asked for, and what the bank says of them. */
import { z } from "zod";
import type { BankOutcomeMessage } from "../../../shared/contracts/platform/bank-messages.js";
import type { Mandate } from "../../../shared/contracts/mandates/mandates.js";
import { recordOutcome } from "../../../shared/database/bank/requests.js";
import { takeDueCollections } from "../../../shared/database/mandates/collections.js";
import {
  findMandate,
  initialiseMandate,
  type NewMandate,
} from "../../../shared/database/mandates/mandates.js";
import type { Database } from "../../../shared/database/platform/database.js";
import { platformNow } from "../../../shared/database/platform/platform-time.js";
import { bankDayAfter, romeDate } from "../../../shared/domain/bank/bank-days.js";
import { acme, made, openValidatedWallet } from "./wallet-fixtures.js";

const dayMs = 86_400_000;

export const today = async (database: Database): Promise<string> =>
  romeDate(new Date(await platformNow(database)));

/** Moves platform time to a later date, or on to the next bank day. */
export const moveTo = async (database: Database, date: string): Promise<void> => {
  const days = Math.round((Date.parse(date) - Date.parse(await today(database))) / dayMs);
  await database.execute("update borsello.sandbox_clock set offset_ms = offset_ms + $1", [
    days * dayMs,
  ]);
};
export const moveToBankDay = async (database: Database): Promise<void> =>
  moveTo(database, bankDayAfter(await today(database), 0));

export interface Collected {
  readonly walletId: string;
  readonly mandateId: string;
}

/** An active mandate of a wallet with a validated IBAN, whose collection is due today. */
export const openDueMandate = async (
  database: Database,
  { amountCents = 100_00n, frequency = "Weekly" }: Partial<NewMandate> = {},
): Promise<Collected> => {
  const { walletId } = await openValidatedWallet(database);
  const terms = { amountCents, frequency };
  const { mandateId } = made(await initialiseMandate(database, acme, walletId, terms));
  await database.execute(
    `update borsello.mandate set status = 'Active', activation_date = borsello.platform_now(),
       sign_requested_at = borsello.platform_now(), pre_notification_days = 5,
       creditor_identifier = 'IT91ZZZACME000000000001', creditor_name = 'Acme'
     where mandate_id = $1`,
    [mandateId],
  );
  await makeDue(database, { walletId, mandateId });
  return { walletId, mandateId };
};

/** Its next collection is due today, and settles on the next bank day. */
export const makeDue = async (database: Database, { mandateId }: Collected): Promise<void> => {
  const day = await today(database);
  await database.execute(
    `update borsello.mandate set next_deposit_request_date = $2, next_deposit_date = $3,
       deposit_anchor = $3 where mandate_id = $1`,
    [mandateId, day, bankDayAfter(day, 1)],
  );
};

/** As a run does it for this mandate; how many were asked for. */
export const takeDue = async (
  database: Database,
  mandateId: string | null,
  limitCents = 1_250_00n,
): Promise<number> =>
  (
    await database.transaction((tx) =>
      takeDueCollections(tx, { partnerKey: "acme", actor: "timer", mandateId, limitCents }),
    )
  ).asked;

const Asked = z.object({
  requestId: z.string(),
  status: z.string(),
  inquiries: z.int(),
  payload: z.looseObject({ depositDate: z.string(), amount: z.number() }),
});
export type AskedCollection = z.infer<typeof Asked>;

/** The collections of a mandate, oldest first. */
export const collectionsOf = (database: Database, mandateId: string): Promise<AskedCollection[]> =>
  database.rows(
    Asked,
    `select request_id as "requestId", status, inquiries, payload from borsello.bank_request
     where mandate_id = $1 and kind = 'directDebit' order by requested_at, request_id`,
    [mandateId],
  );

/** Asks for a collection that is made due for it. */
export const collect = async (database: Database, collected: Collected): Promise<string> => {
  await makeDue(database, collected);
  await takeDue(database, collected.mandateId);
  const last = (await collectionsOf(database, collected.mandateId)).at(-1);
  if (last === undefined) throw new Error("nothing was asked of the bank");
  return last.requestId;
};

export const bankTells = async (
  database: Database,
  requestId: string,
  ...outcomes: readonly BankOutcomeMessage["outcome"][]
): Promise<void> => {
  for (const outcome of outcomes)
    await recordOutcome(database, {
      ...{ requestId, outcome, transactionReference: `BANK-${requestId}`, bookingDate: null },
      reasonCode: outcome === "refused" ? "AM04" : outcome === "returned" ? "MD06" : null,
    });
};

export const mandateNow = async (
  database: Database,
  { mandateId }: Collected,
): Promise<Mandate> => {
  const found = await findMandate(database, mandateId);
  if (found === undefined) throw new Error("the mandate is gone");
  return found.mandate;
};
