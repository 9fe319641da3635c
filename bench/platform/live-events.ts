/** Events of a partner at an even pace, forced through HTTP one by one, as long as they are wanted. */
import { setTimeout as sleep } from "node:timers/promises";
import { loggedEvent } from "./event-log.js";

export interface LiveEvents {
  /** Resolves to how many there were, once each is answered. */
  stop(): Promise<number>;
}

const walletId = "01980002-0000-7000-8000-000000000001";

export const forceEvents = (
  url: string,
  headers: Readonly<Record<string, string>>,
  partner: string,
  perSecond: number,
): LiveEvents => {
  const body = JSON.stringify({ ...loggedEvent.example, walletId, partnerKey: partner });
  const path = `/wallet/bypass/${String(loggedEvent.forcedAs)}`;
  const force = async (): Promise<void> => {
    const answer = await fetch(url + path, { method: "POST", headers, body });
    if (answer.status !== 200)
      throw new Error(`${path} answered ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  };
  let stopped = false;
  const run = async (): Promise<number> => {
    const under: Promise<void>[] = [];
    const failures: unknown[] = [];
    const began = performance.now();
    while (!stopped) {
      // Not waited for: the next one leaves at its time.
      under.push(force().catch((error: unknown) => void failures.push(error)));
      const dueMs = began + (under.length * 1_000) / perSecond;
      await sleep(Math.max(0, dueMs - performance.now()));
    }
    await Promise.all(under);
    if (failures.length > 0) throw failures[0];
    return under.length;
  };
  const running = run();
  // Whoever stops it hears of it.
  running.catch(() => undefined);
  return {
    stop: async () => {
      stopped = true;
      return running;
    },
  };
};
