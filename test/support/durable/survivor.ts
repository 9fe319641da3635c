/** A partner whose calls outlive the platform: cut by a kill, they are repeated against its next life. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer, Send } from "../../../bench/platform/onboarding.js";
import { sender } from "../../../bench/platform/onboarding.js";
import { startPlatform, type PlatformProcess } from "../../../bench/platform/process.js";
import { acme, headersFor } from "../../../bench/platform/session.js";
import {
  partnerConnectionString,
  readTopic,
  type ReceivedEvent,
  type TopicReader,
} from "../../../bench/platform/topic-reader.js";
import { rowsOf } from "../database/connections.js";

export interface Survivor {
  /** Repeats a call that got no answer; a repeat that finds its work done counts as answered. */
  readonly send: Send;
  /** Every delivery from acme's topic, over all lives. */
  readonly deliveries: readonly ReceivedEvent[];
  killAndRestart(): Promise<void>;
  query(text: string): Promise<readonly Record<string, unknown>[]>;
  stop(): Promise<void>;
}

interface Life {
  readonly platform: PlatformProcess;
  readonly send: Send;
  readonly reader: TopicReader;
}

const patienceMs = 60_000;
const repeatMs = 25;

const query = async (
  { databaseUrl }: PlatformProcess,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Record<string, unknown>[]> => {
  return rowsOf(databaseUrl, text, values);
};

const refusalCode = ({ body }: Answer): unknown =>
  typeof body === "object" && body !== null && "errorCode" in body ? body.errorCode : undefined;

/** The first try did its work before it was cut: a repeat is told so, and goes on with the result. */
const doneBefore = async (
  platform: PlatformProcess,
  answer: Answer,
  body: unknown,
): Promise<Answer> => {
  const done = { ...answer, status: 200 };
  switch (refusalCode(answer)) {
    case "TaxIdAlreadyAssociated": {
      const taxId = typeof body === "object" && body !== null && "taxId" in body ? body.taxId : "";
      const [row] = await query(
        platform,
        `select wallet_id as "walletId" from borsello.wallet where tax_id = $1`,
        [taxId],
      );
      return { ...done, body: row };
    }
    case "MandateAlreadyPresent":
    case "MandateStatusInvalid":
      return { ...done, body: {} };
    default:
      return answer;
  }
};

/** Starts the platform on a data folder of its own, for a partner that goes on through kills. */
export const startSurvivor = async (): Promise<Survivor> => {
  const folder = await mkdtemp(join(tmpdir(), "borsello-survivor-"));
  const deliveries: ReceivedEvent[] = [];
  const live = async (): Promise<Life> => {
    const platform = await startPlatform(join(folder, "data"));
    const { partner } = acme;
    const connectionString = partnerConnectionString(platform.brokerConnectionString, partner);
    const reader = readTopic(connectionString, partner, (event) => deliveries.push(event));
    return { platform, reader, send: sender(platform.url, await headersFor(platform.url, acme)) };
  };
  let life = live();
  const send: Send = async (method, path, body) => {
    const began = performance.now();
    for (let tries = 1; ; tries += 1) {
      try {
        const { platform, send: sendNow } = await life;
        const answer = await sendNow(method, path, body);
        if (answer.status < 500)
          return tries === 1 ? answer : await doneBefore(platform, answer, body);
      } catch (error) {
        if (performance.now() - began > patienceMs) throw error;
      }
      await sleep(repeatMs);
    }
  };
  await life;
  return {
    send,
    deliveries,
    killAndRestart: async () => {
      const { platform, reader } = await life;
      await platform.kill9();
      life = live();
      await reader.stop();
      await life;
    },
    query: async (text) => query((await life).platform, text),
    stop: async () => {
      const { platform, reader } = await life;
      await reader.stop();
      await platform.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
