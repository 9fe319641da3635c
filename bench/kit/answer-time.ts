/** How long one call takes, from its start until its answer has come as a whole. */
import { once } from "node:events";
import { IncomingMessage, request, type Agent } from "node:http";
import { z } from "zod";

export interface TimedCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Any other status fails the measurement. */
  readonly status: number;
}

/** In milliseconds, over a connection of the agent's. */
export const answerTime = async (
  agent: Agent,
  { url, headers, status }: TimedCall,
): Promise<number> => {
  const began = performance.now();
  const call = request(url, { agent, headers }).end();
  const [answer] = z.tuple([z.instanceof(IncomingMessage)]).parse(await once(call, "response"));
  answer.resume();
  await once(answer, "end");
  if (answer.statusCode !== status) throw new Error(`${url}: answered ${answer.statusCode ?? 0}`);
  return performance.now() - began;
};
