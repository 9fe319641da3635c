/** Customers who deposit, pay, shop in groups and withdraw through kills, and keep a record of their own. */
import { z } from "zod";
import { customer } from "../../../bench/platform/customers.js";
import type { Send } from "../../../bench/platform/onboarding.js";
import { freshKey } from "./commands.js";

/** What a customer was told, by idempotency key. */
export interface Account {
  readonly walletId: string;
  /** Where its transfers go. */
  readonly iban: string;
  cents: number;
  readonly operations: Map<string, { readonly operationId: string; ended: string }>;
  readonly groups: Map<string, { readonly operationGroupId: string; ended: string }>;
  /** Confirmed withdrawals by SCT, and what the bank will make of them. */
  readonly transfers: Map<string, { readonly cents: number; readonly isRefused: boolean }>;
}

const Answered = z.looseObject({
  operationId: z.string().optional(),
  operationGroupId: z.string().nullish(),
  walletId: z.string().optional(),
  storeId: z.string().nullish(),
  status: z.string().optional(),
});
type Answered = z.infer<typeof Answered>;

const tags = { till: "9" };
const transferFeeCents = 50;

/** Repeats what is in work elsewhere: a call that was cut may still run when its repeat comes. */
const caller =
  (send: Send) =>
  async (method: "GET" | "POST" | "PUT", path: string, body?: unknown): Promise<Answered> => {
    for (;;) {
      const answer = await send(method, `/wallet/${path}`, body);
      if (answer.status === 409) continue;
      if (answer.status !== 200)
        throw new Error(`${answer.call}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return Answered.parse(answer.body);
    }
  };

export const openStoreBy = async (send: Send): Promise<string> => {
  const made = await caller(send)("POST", "dealers/dealer-rome/stores", {
    ...{ name: "Bottega", city: "Roma", address: "Via Appia 1", code: freshKey() },
    ...{ email: "bottega@example.com", phoneNumber: "06 1234567" },
  });
  return made.storeId ?? "";
};

/** The record of a wallet that holds nothing yet. */
export const emptyAccount = (walletId: string, iban: string): Account => {
  const records = { operations: new Map(), groups: new Map(), transfers: new Map() };
  return { walletId, iban, cents: 0, ...records };
};

const openAccount = async (send: Send, index: number): Promise<Account> => {
  const { owner, iban } = customer(900_000 + index);
  const { walletId = "" } = await caller(send)("POST", "wallets", owner);
  return emptyAccount(walletId, iban);
};

/** What customers do in a minute here would be months of cash elsewhere. */
export const liftLimits = `
  update borsello.partner set settings = settings || '{"limits": {
    "lastMonthCashDepositCents": 1000000000, "lastMonthCashWithdrawalCents": 1000000000}}'
  where partner_key = 'acme'`;

/** Accounts that may move any sum: without limits by month, and with IBANs that count as validated. */
export const openAccounts = async (
  send: Send,
  query: (text: string) => Promise<unknown>,
  count: number,
): Promise<readonly Account[]> => {
  await query(liftLimits);
  const indexes = Array.from({ length: count }, (_, index) => index);
  const accounts = await Promise.all(indexes.map((index) => openAccount(send, index)));
  for (const { walletId, iban } of accounts)
    await query(
      `update borsello.wallet set iban = '${iban}', is_iban_validated = true
       where wallet_id = '${walletId}'`,
    );
  return accounts;
};

/** The customer hears what has become of the transfers: what was refused is there again, fee included. */
export const hearOfTransfers = ({ transfers, operations }: Account): number => {
  let givenBack = 0;
  for (const [key, { cents, isRefused }] of transfers) {
    const operation = operations.get(key);
    if (operation !== undefined)
      operation.ended = isRefused ? "OutgoingPaymentRejected" : "Completed";
    if (isRefused) givenBack += cents;
  }
  return givenBack;
};

/** `next` draws a whole number below its bound. */
export const customerOf = (
  send: Send,
  account: Account,
  storeId: string,
  next: (bound: number) => number,
) => {
  const call = caller(send);
  const base = `wallets/${account.walletId}`;

  const initialise = async (slug: string, cents: number, more: object): Promise<string> => {
    const idempotencyKey = freshKey();
    const made = await call("POST", `${base}/${slug}`, {
      ...{ idempotencyKey, amount: cents / 100, tags },
      ...more,
    });
    account.operations.set(idempotencyKey, {
      operationId: made.operationId ?? "",
      ended: "Initialized",
    });
    return idempotencyKey;
  };

  const end = async (slug: string, key: string, change: "confirm" | "cancel" | "terminate") => {
    const operation = account.operations.get(key);
    if (operation === undefined) throw new Error(`no operation under ${key}`);
    const changed = await call("PUT", `${base}/${slug}/${operation.operationId}/${change}`);
    operation.ended = changed.status ?? "";
  };

  const deposit = async (): Promise<void> => {
    const cents = 1_000 + next(1_000);
    const key = await initialise("cash/deposits", cents, { storeId, operationGroupId: null });
    await end("cash/deposits", key, "confirm");
    account.cents += cents - 100;
  };

  const pay = async (): Promise<void> => {
    const cents = 1 + next(300);
    const key = await initialise("payments", cents, { storeId });
    const change = next(4);
    await end("payments", key, change === 0 ? "cancel" : "confirm");
    if (change !== 0) account.cents -= cents;
    if (change !== 1) return;
    await end("payments", key, "terminate");
    account.cents += cents;
  };

  const withdraw = async (): Promise<void> => {
    const cents = 100 + next(50);
    const key = await initialise("cash/withdrawals", cents, { storeId });
    await end("cash/withdrawals", key, "confirm");
    account.cents -= cents + 100;
  };

  /** The sandbox bank refuses amounts that end in .99. */
  const transfer = async (): Promise<void> => {
    const isRefused = next(4) === 0;
    const cents = 100 * (1 + next(4)) + (isRefused ? 99 : next(90));
    const key = await initialise("sct/withdrawals", cents, {});
    await end("sct/withdrawals", key, "confirm");
    account.cents -= cents + transferFeeCents;
    account.transfers.set(key, { cents: cents + transferFeeCents, isRefused });
  };

  const shop = async (): Promise<void> => {
    const idempotencyKey = freshKey();
    const { operationGroupId } = await call("POST", `${base}/groups`, { idempotencyKey });
    const cents = [1 + next(200), 1 + next(200)];
    const keys: string[] = [];
    for (const each of cents)
      keys.push(await initialise("payments", each, { storeId, operationGroupId }));
    const change = next(4) === 0 ? "cancel" : "confirm";
    const { status = "" } = await call("PUT", `${base}/groups/${operationGroupId}/${change}`);
    account.groups.set(idempotencyKey, { operationGroupId: operationGroupId ?? "", ended: status });
    for (const key of keys) {
      const member = account.operations.get(key);
      if (member !== undefined) member.ended = status;
    }
    if (change === "confirm") for (const each of cents) account.cents -= each;
  };

  /** One errand after the other; one with too little money deposits first. */
  return async (): Promise<void> => {
    if (account.cents < 1_000) return deposit();
    const errands = [pay, pay, shop, withdraw, transfer, deposit];
    return errands[next(errands.length)]?.();
  };
};
