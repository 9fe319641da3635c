/** What the wallet's business events hold, written out once as the wallet seed's section 6 has it. */
import { expect } from "vitest";
import type { Wallet } from "../../../shared/contracts/wallet/wallets.js";
import type { Queryable } from "../../../shared/database/platform/database.js";
import { outboxOf } from "./bank-fixtures.js";

/** The message written last for a wallet. */
export const lastMessage = async (database: Queryable, walletId: string) => {
  const message = (await outboxOf(database, walletId)).at(-1);
  if (message === undefined) throw new Error("no message was written");
  return message;
};

/** What every business event says besides its payload, for the message it is in. */
export const envelope = (messageId: string) => ({
  messageVersion: 1,
  messagePublisher: "Borsello",
  timestamp: expect.stringMatching(/Z$/) as string,
  id: messageId,
  messageCreationDate: expect.stringMatching(/Z$/) as string,
  messagePublishDate: expect.stringMatching(/Z$/) as string,
  isLastRetry: false,
});

/** The payload of WalletCreated for the wallet's present state. */
export const createdPayload = (wallet: Wallet) => ({
  walletId: wallet.walletId,
  partnerKey: wallet.partnerKey,
  taxId: wallet.taxId,
  firstName: wallet.firstName,
  lastName: wallet.lastName,
  phoneNumber: wallet.phoneNumber,
  email: wallet.email,
  creationDate: wallet.creationDate,
  lastUpdateDate: wallet.lastUpdateDate,
  lastUsageDate: null,
  closureDate: null,
  suspensionDate: null,
  reactivationDate: null,
  originatingDealerKey: wallet.originatingDealerKey,
});
