/** Money from outside, step by step through the HTTP API: a shop pays, a stranger transfers, mandates collect. */
import { z } from "zod";
import { customer } from "./customers.js";
import type { Answer, Send, Tell } from "./onboarding.js";
import { done, euro, waitFor } from "./waiting.js";

const Groups = z.array(
  z.object({ reconciliationCode: z.string(), totalAmount: z.number(), targetIban: z.string() }),
);
const Sent = z.object({ messageId: z.string() });
const Notification = z.object({
  bankNotificationId: z.uuid(),
  transactionReference: z.string(),
  status: z.string(),
  feedback: z.string().nullable(),
});
const Notifications = z.object({ items: z.array(Notification) });
const Mandate = z.object({ nextDepositRequestDate: z.iso.date() });
const Deposits = z.object({
  items: z.array(z.object({ amount: z.number(), feedback: z.string().nullable() })),
});

/** Of a customer who has no wallet. */
const strangersNumber = 9_999;

interface Transfer {
  readonly type: "IncomingSctInstant" | "IncomingReconciliation";
  readonly debtorName: string;
  readonly debtorIban: string;
  readonly creditorIban: string;
  readonly amount: number;
  readonly reason: string;
}

const notificationsOf = (type: Transfer["type"]): string =>
  `/wallet/banknotifications?type=${type}&pageSize=200`;

/** The bank reports a transfer; resolves to what the platform made of it, once that is as wished. */
const transfer = async (
  send: Send,
  given: Transfer,
  isWished: (notification: z.infer<typeof Notification>) => boolean,
): Promise<[z.infer<typeof Notification>, Answer]> => {
  const sent = done("Transfer", await send("POST", "/sandbox/bank/notifications", given));
  const { messageId } = Sent.parse(sent.body);
  return waitFor(
    "Notification",
    () => send("GET", notificationsOf(given.type)),
    (body) =>
      Notifications.parse(body).items.find(
        (found) => found.transactionReference === messageId && isWished(found),
      ),
  );
};

export interface ShopOwner {
  readonly ownerName: string;
  readonly ownerIban: string;
}

export interface PaidGroup {
  readonly code: string;
  readonly amount: number;
  /** The partner's account that it reached. */
  readonly collectionIban: string;
}

/** The shop pays what it took in, by the code of each day's group. */
export const payGroups = async (
  send: Send,
  storeId: string,
  { ownerName, ownerIban }: ShopOwner,
  tell: Tell,
): Promise<readonly PaidGroup[]> => {
  const path = `/wallet/stores/${storeId}/reconciliations/pending`;
  const pending = done("Reconciliations", await send("GET", path));
  const groups = Groups.parse(pending.body);
  for (const { reconciliationCode, totalAmount, targetIban } of groups) {
    tell(
      `the shop still has to pay ${euro(totalAmount)}, by the code ${reconciliationCode}`,
      pending,
    );
    const paying = {
      type: "IncomingReconciliation",
      debtorName: ownerName,
      debtorIban: ownerIban,
    } as const;
    const [, consumed] = await transfer(
      send,
      { ...paying, creditorIban: targetIban, amount: totalAmount, reason: reconciliationCode },
      ({ status }) => status === "Consumed",
    );
    tell("its transfer arrives, is matched by the code and consumed", consumed);
  }
  const left = Groups.parse(done("Reconciliations", await send("GET", path)).body);
  if (left.length > 0) throw new Error(`The shop still has to pay: ${JSON.stringify(left)}`);
  return groups.map(({ reconciliationCode: code, totalAmount: amount, targetIban }) => ({
    ...{ code, amount, collectionIban: targetIban },
  }));
};

/** A transfer that fits nobody waits for a person, who decides for a wallet; resolves to its feedback. */
export const approveStranger = async (
  send: Send,
  walletId: string,
  creditorIban: string,
  amount: number,
  tell: Tell,
): Promise<string> => {
  const stranger = { debtorName: "Rosa Bianchi", debtorIban: customer(strangersNumber).iban };
  const [waiting, received] = await transfer(
    send,
    { type: "IncomingSctInstant", ...stranger, creditorIban, amount, reason: "Per il nipote" },
    ({ status, feedback }) => status === "Received" && feedback !== null,
  );
  tell(
    `a transfer of ${euro(amount)} by Rosa Bianchi fits no wallet: it waits for a person`,
    received,
  );
  const { bankNotificationId, feedback } = waiting;
  const approve = `/wallet/banknotifications/${bankNotificationId}/approve`;
  const approved = done("Approve", await send("PUT", approve, { walletId }));
  tell("a person approves it for the first wallet", approved);
  await waitFor(
    "Credit",
    () => send("GET", notificationsOf("IncomingSctInstant")),
    (body) =>
      Notifications.parse(body).items.find(
        (found) => found.bankNotificationId === bankNotificationId && found.status === "Consumed",
      ),
  );
  return feedback ?? "";
};

/** The moment of the timer that asks the bank for what is due on a day. */
const depositsTimer = "T05:00:00.000Z";

/** When the bank is asked for the mandate's next deposit. */
export const nextRequestOf = async (send: Send, walletId: string): Promise<string> => {
  const answer = done("Mandate", await send("GET", `/wallet/wallets/${walletId}/mandate`));
  return `${Mandate.parse(answer.body).nextDepositRequestDate}${depositsTimer}`;
};

/** The bank will book what is collected from this account, and then take it back. */
export const returnCollections = async (send: Send, iban: string, tell: Tell): Promise<void> => {
  const script = { kind: "directDebit", iban, outcome: "returned" };
  tell(
    "the second customer's bank will take its direct debit back",
    done("Script", await send("PUT", "/sandbox/bank/script", script)),
  );
};

export const moveClock = async (
  send: Send,
  now: string,
  why: string,
  tell: Tell,
): Promise<void> => {
  const moved = done("Clock", await send("PUT", "/sandbox/clock", { now }));
  tell(`the sandbox's clock moves to ${now}, ${why}`, moved);
};

/** Waits until the bank has booked the wallet's collection, or booked it and taken it back. */
export const waitForCollection = async (
  send: Send,
  walletId: string,
  isReturned: boolean,
  tell: Tell,
): Promise<void> => {
  const [{ amount, feedback }, answer] = await waitFor(
    "Collection",
    () => send("GET", `/wallet/wallets/${walletId}/operations?type=SddDeposit`),
    (body) => Deposits.parse(body).items.find((found) => (found.feedback !== null) === isReturned),
  );
  tell(
    feedback === null
      ? `flow mandateDeposit: ${euro(amount)} booked`
      : `flow mandateDeposit: ${euro(amount)} booked, then returned (${feedback}) and reversed`,
    answer,
  );
};
