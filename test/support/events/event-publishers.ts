/** A partner's customers whose commands make events through kills, and what of it was answered. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { sender, type Send } from "../../../bench/platform/onboarding.js";
import { acme, headersFor } from "../../../bench/platform/session.js";
import {
  customerOf,
  openAccounts,
  openStoreBy,
  type Account,
} from "../operations/customer-load.js";
import { seededBelow } from "../platform/seeded-random.js";

export interface Published {
  /** What each customer did with money. */
  readonly accounts: readonly Account[];
  /** How often each wallet was suspended and made active again. */
  readonly rounds: ReadonlyMap<string, number>;
  /** Ids of the events that were forced. */
  readonly forced: readonly string[];
}

export interface PublishingOptions {
  readonly customers: number;
  readonly seed: number;
  readonly query: (text: string) => Promise<unknown>;
}

const Replayed = z.object({ count: z.int() });

const repeatMs = 50;

/** What a repeat hears where the call before it did its work, though nobody heard of it. */
const doneBefore = new Map([
  ["suspend", "WalletNotActive"],
  ["reactivate", "WalletNotSuspended"],
]);

const isCode = (body: unknown, code: string | undefined): boolean =>
  typeof body === "object" && body !== null && "errorCode" in body && body.errorCode === code;

/** fetch's own failure is a connection that was refused or cut. */
const unlessCut = (error: unknown): undefined => {
  if (!(error instanceof TypeError)) throw error;
  return undefined;
};

/** Repeats each call until it is answered, through deaths of whoever answers. */
const persistent =
  (sendOnce: Send): Send =>
  async (method, path, body) => {
    for (let isRepeat = false; ; isRepeat = true) {
      const answer = await sendOnce(method, path, body).catch(unlessCut);
      if (answer !== undefined && answer.status < 500) {
        const wasDone =
          isRepeat && isCode(answer.body, doneBefore.get(path.split("/").at(-1) ?? ""));
        return wasDone ? { ...answer, status: 200 } : answer;
      }
      await sleep(repeatMs);
    }
  };

const change = async (send: Send, walletId: string, to: "suspend" | "reactivate") => {
  const { call, status, body } = await send("PUT", `/wallet/wallets/${walletId}/${to}`);
  if (status === 409) return change(send, walletId, to);
  if (status !== 200) throw new Error(`${call}: ${status} ${JSON.stringify(body)}`);
};

/** A repeat is known by the event's id. */
const force = async (send: Send, walletId: string): Promise<string> => {
  const id = randomUUID();
  const { call, status, body } = await send("POST", "/wallet/bypass/operationgroupinitialized", {
    ...{ id, operationGroupId: id, walletId, partnerKey: acme.partner, dealerKey: null },
    creationDate: new Date().toISOString(),
  });
  if (status !== 200) throw new Error(`${call}: ${status} ${JSON.stringify(body)}`);
  return id;
};

export interface Publishers {
  /** Resolves once it is over, each customer with its errand done. */
  publish(isOver: () => boolean): Promise<Published>;
  /** Asks for all events of up to now once more; resolves to how many these are. */
  replay(): Promise<number>;
}

/** Opens the customers' wallets. */
export const openPublishers = async (
  url: string,
  { customers, seed, query }: PublishingOptions,
): Promise<Publishers> => {
  const send = persistent(sender(url, await headersFor(url, acme)));
  const storeId = await openStoreBy(send);
  const accounts = await openAccounts(send, query, customers);
  const rounds = new Map(accounts.map(({ walletId }) => [walletId, 0]));
  const forced: string[] = [];
  const serve = async (account: Account, index: number, isOver: () => boolean): Promise<void> => {
    const { walletId } = account;
    const errand = customerOf(send, account, storeId, seededBelow(seed + index));
    while (!isOver()) {
      await errand();
      await change(send, walletId, "suspend");
      await change(send, walletId, "reactivate");
      rounds.set(walletId, (rounds.get(walletId) ?? 0) + 1);
      forced.push(await force(send, walletId));
    }
  };
  return {
    publish: async (isOver) => {
      await Promise.all(accounts.map((account, index) => serve(account, index, isOver)));
      return { accounts, rounds, forced };
    },
    replay: async () => {
      const { call, status, body } = await send("POST", "/wallet/events/replay", {});
      if (status !== 202) throw new Error(`${call}: ${status} ${JSON.stringify(body)}`);
      return Replayed.parse(body).count;
    },
  };
};
