/** Transfers that stores send through the sandbox's bank, and what becomes of them. */
import { expect } from "vitest";
import {
  listBankNotificationsRoute,
  type BankNotification,
} from "../../../shared/contracts/accounting/bank-notifications.js";
import { sendBankNotificationRoute } from "../../../shared/contracts/sandbox/bank.js";
import type { Client } from "../../../shared/http/client.js";
import { valueOf } from "../platform/api.js";

const type = "IncomingReconciliation";

export interface StoreTransfer {
  readonly creditorIban: string;
  readonly amount: number;
  readonly reason: string;
}

/** Resolves once it has arrived, to its path and to how it is read; no other has its reason and amount. */
export const sendTransfer = async (acme: Client, transfer: StoreTransfer) => {
  const body = { type, debtorName: "Bottega Srl", debtorIban: "IT1", ...transfer } as const;
  valueOf(await acme.call(sendBankNotificationRoute, { body }));
  const read = async (): Promise<BankNotification | undefined> => {
    const query = { type, pageSize: 200 };
    const { items } = valueOf(await acme.call(listBankNotificationsRoute, { query }));
    return items.find(({ reason, amount }) => reason === body.reason && amount === body.amount);
  };
  await expect.poll(read).toBeDefined();
  return { read, params: { bankNotificationId: (await read())?.bankNotificationId ?? "" } };
};
