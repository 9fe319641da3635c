/** What a person decides about a notification: it is for a wallet or store, or it goes back (contract 4.4). */
import { z } from "zod";
import { BankNotification } from "../../contracts/accounting/bank-notifications.js";
import { refusal, success, type Outcome, type RefusalProperties } from "../../domain/outcome.js";
import type { Actor } from "../access/wallet-access.js";
import type { Database } from "../platform/database.js";

const stateCodes = ["BankNotificationStatusInvalid", "BankNotificationConsumed"] as const;
const approvalCodes = [...stateCodes, "WalletNotFound", "WalletOfAnotherPartner"] as const;

/** Null: there is no such notification. */
const decidedWith = <const Codes extends readonly [string, ...string[]]>(codes: Codes) =>
  z.object({
    decided: z
      .union([
        z.object({ notification: BankNotification }),
        z.object({ code: z.enum(codes), properties: z.record(z.string(), z.string()) }),
      ])
      .nullable(),
  });

interface Refused<Code> {
  readonly code: Code;
  readonly properties: RefusalProperties;
}

const outcomeOf = <Code extends string>(
  bankNotificationId: string,
  decided: { readonly notification: BankNotification } | Refused<Code> | null | undefined,
): Outcome<BankNotification, Code | "BankNotificationNotFound"> => {
  if (decided == null) return refusal("BankNotificationNotFound", { bankNotificationId });
  return "notification" in decided
    ? success(decided.notification)
    : refusal(decided.code, decided.properties);
};

const Approved = decidedWith(approvalCodes);
const Rejected = decidedWith(stateCodes);

/** `walletId` null: for what it was matched with. It credits and never validates. */
export const approveNotification = async (
  database: Database,
  { partnerKey, clientId }: Actor,
  bankNotificationId: string,
  walletId: string | null,
) => {
  const found = await database.command(
    Approved,
    "select borsello.approve_notification($1, $2, $3, $4) as decided",
    [bankNotificationId, partnerKey, walletId, clientId],
  );
  return outcomeOf(bankNotificationId, found?.decided);
};

/** Asks the bank to send back what is not consumed; the answer comes later. */
export const rejectNotification = async (
  database: Database,
  { partnerKey, clientId }: Actor,
  bankNotificationId: string,
) => {
  const found = await database.command(
    Rejected,
    "select borsello.reject_notification($1, $2, $3) as decided",
    [bankNotificationId, partnerKey, clientId],
  );
  return outcomeOf(bankNotificationId, found?.decided);
};
