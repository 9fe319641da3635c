/** A day with a wallet, step by step through the HTTP API: a shop sells, money leaves, the day is settled. */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { firstPollMs, pollMsMax, type Answer, type Send, type Tell } from "./onboarding.js";

const Store = z.object({ storeId: z.uuid() });
const Initialised = z.object({ operationId: z.uuid(), finalAmount: z.number() });
const Group = z.object({ operationGroupId: z.uuid() });
const Record = z.object({
  status: z.string(),
  feedback: z.string().nullable(),
  customerFinalAmount: z.number(),
});
const Balance = z.object({ availableBalance: z.number() });
const Proof = z.object({
  debits: z.number(),
  credits: z.number(),
  balanced: z.boolean(),
  headHash: z.string().nullable(),
  mismatches: z.array(z.unknown()),
});

const patienceMs = 60_000;
const euro = (amount: number): string => `${amount.toFixed(2)} EUR`;
const key = (): string => randomBytes(16).toString("hex");

const expectStatus = (step: string, answer: Answer, ...statuses: readonly number[]): Answer => {
  if (statuses.includes(answer.status)) return answer;
  throw new Error(`${step}: ${answer.status} ${JSON.stringify(answer.body)}`);
};

const done = (step: string, answer: Answer): Answer => expectStatus(step, answer, 200);

/** Whose shop it is: the mandate of its owner is debited, and payments go there. */
export const shopOwner = {
  ownerIban: "IT60X0542811101000000123456",
  ownerName: "Bottega Appia Srl",
} as const;

export const openShop = async (send: Send, tell: Tell): Promise<string> => {
  const opened = await send("POST", "/wallet/dealers/dealer-rome/stores", {
    name: "Bottega Appia",
    type: "Grocery",
    city: "Roma",
    address: "Via Appia 1",
    ...shopOwner,
    email: "bottega@example.com",
    phoneNumber: "06 1234567",
    code: "APPIA-1",
    latitude: 41.9,
    longitude: 12.5,
    metadata: null,
  });
  tell("opened a shop of dealer-rome", done("Store", opened));
  return Store.parse(opened.body).storeId;
};

export const balanceOf = async (send: Send, walletId: string): Promise<number> =>
  Balance.parse(done("Balance", await send("GET", `/wallet/wallets/${walletId}/balance`)).body)
    .availableBalance;

export interface Asked {
  readonly operationId: string;
  /** Below the wallet: `payments/…`. */
  readonly path: string;
}

const initialise = async (
  send: Send,
  walletId: string,
  slug: string,
  body: object,
): Promise<[Asked, Answer]> => {
  const base = `/wallet/wallets/${walletId}/${slug}`;
  const made = done(slug, await send("POST", base, { idempotencyKey: key(), ...body }));
  const { operationId } = Initialised.parse(made.body);
  return [{ operationId, path: `${base}/${operationId}` }, made];
};

const confirm = async (send: Send, { path }: Asked): Promise<Answer> =>
  done("Confirm", await send("PUT", `${path}/confirm`));

/** The customer pays cash in at the shop. */
export const payIn = async (
  send: Send,
  walletId: string,
  storeId: string,
  amount: number,
  tell: Tell,
): Promise<void> => {
  const [asked, made] = await initialise(send, walletId, "cash/deposits", {
    amount,
    storeId,
    operationGroupId: null,
    tags: { till: "1" },
  });
  tell(`initialised a cash deposit of ${euro(amount)} at the shop`, made);
  tell("confirmed it: credited minus the fee of 1.00 EUR", await confirm(send, asked));
};

/** The shop sells: payment and loyalty points in one group, confirmed together or not at all. */
export const sell = async (
  send: Send,
  walletId: string,
  storeId: string,
  price: number,
  bonus: number,
  tell: Tell,
): Promise<void> => {
  const groups = `/wallet/wallets/${walletId}/groups`;
  const group = done("Group", await send("POST", groups, { idempotencyKey: key() }));
  const { operationGroupId } = Group.parse(group.body);
  tell("initialised a group of operations", group);
  const [, payment] = await initialise(send, walletId, "payments", {
    amount: price,
    storeId,
    operationGroupId,
    fundsType: null,
    bucketId: null,
    tags: { receipt: "4711" },
  });
  tell(`a payment of ${euro(price)} joins it: the amount is held`, payment);
  const [, loyalty] = await initialise(send, walletId, "loyalty/deposits", {
    amount: bonus,
    storeId,
    operationGroupId,
    fundsExpiryDate: null,
    tags: { receipt: "4711" },
  });
  tell(`a loyalty deposit of ${euro(bonus)} joins it`, loyalty);
  const confirmed = await send("PUT", `${groups}/${operationGroupId}/confirm`);
  tell("confirmed the group: both or neither", done("Group", confirmed));
};

/** Asks for the record until it has one of these statuses. */
const waitForStatus = async (
  send: Send,
  walletId: string,
  operationId: string,
  statuses: readonly string[],
): Promise<Answer> => {
  const began = performance.now();
  for (let pollMs = firstPollMs; ; pollMs = Math.min(pollMs * 1.6, pollMsMax)) {
    const path = `/wallet/wallets/${walletId}/operations/${operationId}`;
    const answer = done("Operation", await send("GET", path));
    const milliseconds = performance.now() - began;
    const { status } = Record.parse(answer.body);
    if (statuses.includes(status)) return { ...answer, milliseconds };
    if (milliseconds > patienceMs) throw new Error(`Operation ${operationId} stays ${status}.`);
    await sleep(pollMs);
  }
};

/** A withdrawal by SEPA credit transfer, to the end that the bank gives it; resolves to that status. */
export const withdraw = async (
  send: Send,
  walletId: string,
  amount: number,
  tell: Tell,
): Promise<string> => {
  const [asked, made] = await initialise(send, walletId, "sct/withdrawals", { amount, tags: null });
  tell(`initialised a withdrawal of ${euro(amount)} to the customer's IBAN, fee 0.50 EUR`, made);
  tell("confirmed it: debited, on its way to the bank", await confirm(send, asked));
  const { operationId } = asked;
  const trigger = `/wallet/flows/accountingoperations?operationId=${operationId}`;
  expectStatus("Settle", await send("POST", trigger), 202);
  const ended = await waitForStatus(send, walletId, operationId, [
    "Completed",
    "OutgoingPaymentRejected",
    "TransferFailed",
  ]);
  const { status, feedback } = Record.parse(ended.body);
  tell(`flow outgoingPayment: ${status}${feedback === null ? "" : ` (${feedback})`}`, ended);
  return status;
};

/** The day's operations of the shop, added up by type and transferred in one sum each. */
export const harvest = async (send: Send, types: readonly string[], tell: Tell): Promise<void> => {
  for (const type of types) {
    const began = performance.now();
    const run = expectStatus(
      "Harvest",
      await send("POST", `/wallet/flows/harvestings?type=${type}`),
      202,
    );
    const path = `/wallet/harvestings/count?type=${type}&status=Completed`;
    for (;;) {
      const { value } = z
        .object({ value: z.number() })
        .parse(done("Harvestings", await send("GET", path)).body);
      if (value > 0) break;
      if (performance.now() - began > patienceMs)
        throw new Error(`The harvesting of ${type} is not completed.`);
      await sleep(pollMsMax);
    }
    tell(`flow harvesting settled the day's ${type} operations`, {
      ...run,
      milliseconds: performance.now() - began,
    });
  }
};

export const prove = async (send: Send, tell: Tell): Promise<void> => {
  const answer = done("Proof", await send("GET", "/wallet/accounting/proof"));
  const { debits, credits, balanced, headHash, mismatches } = Proof.parse(answer.body);
  if (!balanced || mismatches.length > 0)
    throw new Error(`The books do not balance: ${JSON.stringify(answer.body)}`);
  tell(
    `the books are proved: debits ${euro(debits)} = credits ${euro(credits)}, no mismatch, head ${(headHash ?? "-").slice(0, 12)}`,
    answer,
  );
};

/** A line of the statement's CSV: quoted fields hold commas and doubled quotes. */
const fieldsOf = (line: string): readonly string[] =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
    quoted === undefined ? (plain ?? "") : quoted.replaceAll('""', '"'),
  );

export interface Statement {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const shown = ["movement", "type", "amount", "fee", "balance"] as const;

/** The wallet's statement with the columns that fit a terminal. */
export const readStatement = async (send: Send, walletId: string): Promise<Statement> => {
  const answer = done("Statement", await send("GET", `/wallet/wallets/${walletId}/statement`));
  if (!(answer.body instanceof ArrayBuffer)) throw new Error("The statement is no file.");
  const [names = "", ...lines] = Buffer.from(answer.body).toString("utf8").trim().split(/\r?\n/);
  const header = fieldsOf(names);
  const columns = shown.map((name) => header.indexOf(name));
  const rows = lines.map((line) => {
    const fields = fieldsOf(line);
    return columns.map((column) => fields[column] ?? "");
  });
  return { header: shown, rows };
};
