/** Calls of a demo that must succeed, and waits for what they lead to. */
import { setTimeout as sleep } from "node:timers/promises";
import { firstPollMs, pollMsMax, type Answer } from "./onboarding.js";

const patienceMs = 30_000;

export const euro = (amount: number): string => `${amount.toFixed(2)} EUR`;

/** The answer of a call that succeeded; any other is the end of the demo. */
export const done = (step: string, answer: Answer): Answer => {
  if (answer.status === 200 || answer.status === 202) return answer;
  throw new Error(`${step}: ${answer.status} ${JSON.stringify(answer.body)}`);
};

/** Asks until `wished` finds something in a successful answer, whose time is that of the whole wait. */
export const waitFor = async <Value>(
  step: string,
  read: () => Promise<Answer>,
  wished: (body: unknown) => Value | undefined,
): Promise<[Value, Answer]> => {
  const began = performance.now();
  for (let pollMs = firstPollMs; ; pollMs = Math.min(pollMs * 1.6, pollMsMax)) {
    const answer = await read();
    const milliseconds = performance.now() - began;
    const found = answer.status === 200 ? wished(answer.body) : undefined;
    if (found !== undefined) return [found, { ...answer, milliseconds }];
    if (milliseconds > patienceMs)
      throw new Error(
        `${step} does not come about: ${answer.status} ${JSON.stringify(answer.body)}`,
      );
    await sleep(pollMs);
  }
};
