/** Partners who onboard customers without a pause while parts of the platform fail, and what they hear. */
import { setTimeout as sleep } from "node:timers/promises";
import { customer } from "../../../bench/platform/customers.js";
import { onboard, sender, type Answer, type Send } from "../../../bench/platform/onboarding.js";
import type { Place } from "../../../bench/platform/launch.js";
import { acme, headersFor } from "../../../bench/platform/session.js";
import { readTopic, type ReceivedEvent } from "../../../bench/platform/topic-reader.js";

export interface LoadReport {
  /** How often each answer was given: its status with the error's code, or `cut`. */
  readonly answers: Readonly<Record<string, number>>;
  /** The answers that an outage does not excuse, and the onboardings that did not end well. */
  readonly wrong: readonly string[];
  /** Wallets whose onboarding was seen to be completed. */
  readonly onboarded: readonly string[];
  /** How many customers came. */
  readonly begun: number;
}

export interface PartnerLoad {
  /** How many onboardings were completed so far. */
  readonly completed: number;
  /** Every delivery from the partner's topic so far. */
  readonly deliveries: readonly ReceivedEvent[];
  /** Begins no further onboarding; resolves when those under way have ended. */
  finish(): Promise<LoadReport>;
  stop(): Promise<void>;
}

export interface LoadOptions {
  readonly clients: number;
  /** Finds the wallet of a creation whose answer was cut. */
  readonly walletOf: (taxId: string) => Promise<string>;
}

const repeatMs = 50;
const readMs = 20;

/** What a repeat hears where the call before it did its work, though its answer was cut or a 503. */
const doneBefore: readonly string[] = [
  "TaxIdAlreadyAssociated",
  "MandateAlreadyPresent",
  "MandateStatusInvalid",
];

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
  place: Place,
  { clients, walletOf }: LoadOptions,
): Promise<PartnerLoad> => {
  const answers = new Map<string, number>();
  const wrong: string[] = [];
  const onboarded: string[] = [];
  let begun = 0;
  let isFinishing = false;
  const sendOnce = sender(place.url, await headersFor(place.url, acme));
  const topic = readTopic(place.brokerConnectionString, acme.partner);

  /** What the call comes to after this answer; undefined: it is to be repeated. */
  const judged = async (answer: Answer, body: unknown, isRepeat: boolean) => {
    const { status } = answer;
    if (status < 300) return answer;
    const code = field(answer.body, "errorCode");
    if (status === 503 && code === "DependencyUnavailable") return undefined;
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

  const onboardAll = async (): Promise<void> => {
    while (!isFinishing) {
      begun += 1;
      await onboard(send, customer(begun), () => undefined).then(
        (walletId) => onboarded.push(walletId),
        (error: unknown) => wrong.push(String(error)),
      );
    }
  };
  const readAll = async (): Promise<void> => {
    for (let index = 0; !isFinishing; index += 1) {
      const walletId = onboarded[index % Math.max(onboarded.length, 1)];
      if (walletId !== undefined) await send("GET", `/wallet/wallets/${walletId}`);
      await sleep(readMs);
    }
  };
  const running = Promise.all([...Array.from({ length: clients }, onboardAll), readAll()]);
  return {
    get completed() {
      return onboarded.length;
    },
    deliveries: topic.events,
    finish: async () => {
      isFinishing = true;
      await running;
      return { answers: Object.fromEntries(answers), wrong, onboarded, begun };
    },
    stop: () => topic.stop(),
  };
};
