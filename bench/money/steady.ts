/** A steady stream of requests, each sent at its own time whether or not those before were answered. */
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const call = async (
  agent: Agent,
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string | undefined,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const method = body === undefined ? "PUT" : "POST";
    const sent = request(url, { method, agent, headers }, (answer) => {
      answer.once("error", reject);
      answer.once("end", () => {
        if (answer.statusCode === 200) resolve();
        else reject(new Error(`${method} ${url} answered ${answer.statusCode ?? 0}`));
      });
      answer.resume();
    });
    sent.once("error", reject);
    sent.end(body);
  });

export interface Stream {
  readonly perSecond: number;
  readonly seconds: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly nextUrl: () => string;
  /** With a body each is a POST, without one a PUT. */
  readonly nextBody?: () => string;
  /** So many may wait for their answer at once; what is due then waits, too. */
  readonly socketsMax?: number;
}

/** How long each took from the time at which it was to be sent, in milliseconds. */
export const steady = async ({
  perSecond,
  seconds,
  headers,
  nextUrl,
  nextBody,
  socketsMax = 64,
}: Stream): Promise<number[]> => {
  const agent = new Agent({ keepAlive: true, noDelay: true, maxSockets: socketsMax });
  const tookMs: number[] = [];
  const under: Promise<void>[] = [];
  const began = performance.now();
  const total = Math.floor(perSecond * seconds);
  for (let sent = 0; sent < total;) {
    const dueMs = began + (sent * 1_000) / perSecond;
    if (performance.now() < dueMs) {
      await sleep(1);
      continue;
    }
    sent += 1;
    under.push(
      call(agent, nextUrl(), headers, nextBody?.()).then(
        () => void tookMs.push(performance.now() - dueMs),
      ),
    );
  }
  await Promise.all(under);
  agent.destroy();
  return tookMs;
};
