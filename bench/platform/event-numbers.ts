/** Whether a partner has all of its events: what the log holds, against the numbers that came by its topic. */
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Send } from "./onboarding.js";
import type { ReceivedEvent } from "./topic-reader.js";

const Page = z.object({ items: z.array(z.unknown()) });

const pollMs = 20;
const patienceMs = 10_000;

/** Numbers up to the last that has come which have not. */
const gapsIn = (numbers: ReadonlySet<number>): readonly number[] =>
  Array.from({ length: Math.max(0, ...numbers) }, (_, index) => index + 1).filter(
    (number) => !numbers.has(number),
  );

/** Resolves to how many there are, once each number up to the log's last one has arrived. */
export const untilAllArrived = async (
  send: Send,
  events: readonly ReceivedEvent[],
): Promise<number> => {
  const began = performance.now();
  for (;;) {
    const numbers = new Set(events.map(({ sequence }) => sequence));
    const [gaps, last] = [gapsIn(numbers), Math.max(0, ...numbers)];
    const further = await send("GET", `/wallet/events?after=${last}&limit=1`);
    if (further.status !== 200)
      throw new Error(`The log: ${further.status} ${JSON.stringify(further.body)}`);
    const isLast = Page.parse(further.body).items.length === 0;
    if (gaps.length === 0 && isLast) return last;
    if (performance.now() - began > patienceMs)
      throw new Error(`Of the events up to ${last}, these did not arrive: ${gaps.join(", ")}.`);
    await sleep(pollMs);
  }
};
