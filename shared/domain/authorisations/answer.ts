/** The platform's own answer to the card network: it asked nobody, and knows no balance. */
import { euro } from "./amounts.js";

export const answerOf = (transactionId: string, responseCode: string) => ({
  transactionId,
  responseCode,
  availableBalance: 0,
  accountCurrency: euro,
});
