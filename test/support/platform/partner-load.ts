/** A partner's customers who are onboarded and move money while parts of the platform fail, and what they hear. */
import { setTimeout as sleep } from "node:timers/promises";
import { customer } from "../../../bench/platform/customers.js";
import { onboard, sender, type Answer, type Send } from "../../../bench/platform/onboarding.js";
import type { Place } from "../../../bench/platform/launch.js";
import { acme, headersFor } from "../../../bench/platform/session.js";
import {
  partnerConnectionString,
  readTopic,
  type ReceivedEvent,
} from "../../../bench/platform/topic-reader.js";
import {
  customerOf,
  emptyAccount,
  openStoreBy,
  type Account,
} from "../operations/customer-load.js";
import { seededBelow } from "./seeded-random.js";

export interface LoadReport {
  /** How often each answer was given: its status with the error's code, or `cut`. */
  readonly answers: Readonly<Record<string, number>>;
  /** The answers that an outage does not excuse, and the onboardings that did not end well. */
  readonly wrong: readonly string[];
  /** Customers whose onboarding was seen to be completed, with their records of what they did then. */
  readonly accounts: readonly Account[];
  /** How many customers came. */
  readonly begun: number;
}

export interface PartnerLoad {
  /** Every delivery from the partner's topic so far. */
  readonly deliveries: readonly ReceivedEvent[];
  /** Begins no further onboarding; resolves when those under way have ended. */
  finish(): Promise<LoadReport>;
  stop(): Promise<void>;
}

export interface LoadOptions {
  readonly clients: number;
  readonly seed: number;
  /** How much a customer does at most, once onboarded: deposits, payments, withdrawals, groups of them. */
  readonly errandsMax: number;
  /** Finds the wallet of a creation whose answer was cut. */
  readonly walletOf: (taxId: string) => Promise<string>;
}

const repeatMs = 50;
const readMs = 20;
const settleMs = 5_000;

/** What a repeat hears where the call before it did its work, though its answer was cut or a 503. */
const doneBefore: readonly string[] = [
  "TaxIdAlreadyAssociated",
  "MandateAlreadyPresent",
  "MandateStatusInvalid",
];

/** What a repeat hears whose first try is still in work, though its answer was cut. */
const inWork: readonly string[] = ["IdempotencyKeyInUse", "ConcurrentUpdate"];

const field = (body: unknown, name: string): string => {
  if (typeof body !== "object" || body === null) return "";
  const value: unknown = Object.entries(body).find(([key]) => key === name)?.[1];
  return typeof value === "string" ? value : "";
};

/** fetch's own failure is a connection that was refused or cut. */
const unlessCut = (error: unknown): undefined => {
  if (!(error instanceof TypeError)) throw error;
  return undefined;
};

/** Starts so many clients, each with one onboarding after the other, and one that reads wallets. */
export const startPartnerLoad = async (
  place: Pick<Place, "url" | "brokerConnectionString">,
  { clients, seed, errandsMax, walletOf }: LoadOptions,
): Promise<PartnerLoad> => {
  const answers = new Map<string, number>();
  const wrong: string[] = [];
  const accounts: Account[] = [];
  let begun = 0;
  let isFinishing = false;
  const sendOnce = sender(place.url, await headersFor(place.url, acme));
  const topic = readTopic(
    partnerConnectionString(place.brokerConnectionString, acme.partner),
    acme.partner,
  );

  /** What the call comes to after this answer; undefined: it is to be repeated. */
  const judged = async (answer: Answer, body: unknown, isRepeat: boolean) => {
    const { status } = answer;
    if (status < 300) return answer;
    const code = field(answer.body, "errorCode");
    // A host that stops, as after a start that failed, answers without a body.
    if (status === 503 && (code === "DependencyUnavailable" || code === "")) return undefined;
    if (isRepeat && inWork.includes(code)) return undefined;
    if (!isRepeat || !doneBefore.includes(code)) {
      wrong.push(`${answer.call}: ${status} ${JSON.stringify(answer.body)}`);
      return status < 500 ? answer : undefined;
    }
    const known = code === "TaxIdAlreadyAssociated";
    const done = known ? { walletId: await walletOf(field(body, "taxId")) } : {};
    return { ...answer, status: 200, body: done };
  };

  const send: Send = async (method, path, body) => {
    for (let isRepeat = false; ; isRepeat = true) {
      const answer = await sendOnce(method, path, body).catch(unlessCut);
      const heard =
        answer === undefined ? "cut" : `${answer.status} ${field(answer.body, "errorCode")}`.trim();
      answers.set(heard, (answers.get(heard) ?? 0) + 1);
      const end = answer && (await judged(answer, body, isRepeat));
      if (end !== undefined) return end;
      await sleep(repeatMs);
    }
  };

  const storeId = await openStoreBy(send);
  const serve = async (): Promise<void> => {
    begun += 1;
    const { owner, iban } = customer(begun);
    const next = seededBelow(seed + begun);
    const walletId = await onboard(send, { owner, iban }, () => undefined);
    const account = emptyAccount(walletId, iban);
    accounts.push(account);
    const errand = customerOf(send, account, storeId, next);
    for (let left = 1 + next(errandsMax); left > 0; left -= 1) await errand();
  };
  const serveAll = async (): Promise<void> => {
    while (!isFinishing) await serve().catch((error: unknown) => wrong.push(String(error)));
  };
  const readAll = async (): Promise<void> => {
    for (let index = 0; !isFinishing; index += 1) {
      const account = accounts[index % Math.max(accounts.length, 1)];
      if (account !== undefined) await send("GET", `/wallet/wallets/${account.walletId}`);
      await sleep(readMs);
    }
  };
  const settle = () => send("POST", "/wallet/flows/accountingoperations");
  const settleAll = async (): Promise<void> => {
    while (!isFinishing) {
      await settle();
      await sleep(settleMs);
    }
  };
  const running = Promise.all([
    ...Array.from({ length: clients }, serveAll),
    readAll(),
    settleAll(),
  ]);
  return {
    deliveries: topic.events,
    finish: async () => {
      isFinishing = true;
      await running;
      await settle();
      return { answers: Object.fromEntries(answers), wrong, accounts, begun };
    },
    stop: () => topic.stop(),
  };
};
