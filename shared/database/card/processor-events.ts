/** What the card processor says of accounts and cards: each told once, whatever comes again. */
import { z } from "zod";
import type { AccountOpened, CardIssued } from "../../contracts/card/processor-messages.js";
import type { Database } from "../platform/database.js";

const Opened = z.object({
  result: z.enum(["opened", "repeated", "affiliateUnknown", "accountReused", "addressReused"]),
});
export type OpenedAccount = z.infer<typeof Opened>["result"];

/** An account with its address. `repeated`: it is there already, and nothing has changed. */
export const openCardAccount = async (
  database: Database,
  event: AccountOpened,
): Promise<OpenedAccount> => {
  const { accountId, addressId, affiliate, customerId, address } = event;
  // The names of the customer are the processor's: nothing here needs them.
  const said = { accountId, addressId, affiliate, customerId, address };
  const opened = await database.command(Opened, "select borsello.open_card_account($1) as result", [
    JSON.stringify(said),
  ]);
  if (opened === undefined) throw new Error("A function without a set gave no row.");
  return opened.result;
};

const Issued = z.object({
  result: z.enum(["issued", "repeated", "cardUnknown", "alreadyIssued", "tokenReused"]),
});
export type IssuedCard = z.infer<typeof Issued>["result"];

/** The card gets its token, its masked number and its end. `repeated`: it has these already. */
export const issueCard = async (
  database: Database,
  { cardId, panToken, maskedPan, expiryDate }: CardIssued,
): Promise<IssuedCard> => {
  const issued = await database.command(Issued, "select borsello.issue_card($1) as result", [
    JSON.stringify({ cardId, panToken, maskedPan, expiryDate }),
  ]);
  if (issued === undefined) throw new Error("A function without a set gave no row.");
  return issued.result;
};
