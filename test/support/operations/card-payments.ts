/** Bodies of card payments through the O2I contract, with every key. */
import type { z } from "zod";
import type { O2iPayment } from "../../../shared/contracts/operations/o2i.js";

let transactions = 0;
export type CardPayment = z.input<typeof O2iPayment>;

/** A purchase of 30 that no test of this file has seen. */
export const cardPayment = (
  financialReference: string,
  changes: Partial<CardPayment> = {},
): CardPayment => {
  const nothing = null;
  transactions += 1;
  return {
    transactionId: `T-${transactions}`,
    ...{ refTransactionId: nothing, transactionDateTime: nothing, processDateTime: nothing },
    ...{ transactionAmount: 30, transactionCurrency: 978, billingAmount: 30, billingCurrency: 978 },
    ...{ terminalId: nothing, mcc: "5411", merchantId: nothing, merchantName: "Bottega" },
    ...{ merchantStreet: nothing, merchantCity: nothing, merchantZip: nothing },
    ...{ merchantCountry: 380, cardToken: "400000-1-1234", authorizationCode: nothing },
    ...{ cardScheme: 1, type: 0, stan: nothing, source: "P", entryMode: 7, authentication: 1 },
    ...{ authenticationProtocol: 0, virtualCardNumberId: nothing, wallet: 0 },
    ...{ responseCode: nothing, tags: nothing, financialReference },
    ...changes,
  };
};
