/** What the commands for dead letters have in common: which entities, which letters, and how they are written down. */
import type { ServiceBusReceivedMessage } from "@azure/service-bus";
import {
  deadLetterCounts,
  parseEntity,
  peekDeadLetters,
  sequenceOf,
} from "../../shared/events/dead-letters.js";
import { entityPath, type BusEntity } from "../../shared/events/service-bus.js";
import { textOf, UsageError, type Given } from "../kit/command-line.js";
import type { Tools } from "./tools.js";

export interface Letter {
  readonly entity: BusEntity;
  readonly message: ServiceBusReceivedMessage;
}

/** The one that `--queue` names, else all that have dead letters. */
export const entitiesOf = async (given: Given, tools: Tools): Promise<readonly BusEntity[]> => {
  const named = textOf(given, "queue");
  if (named !== undefined) return [parseEntity(named)];
  const found: BusEntity[] = [];
  for await (const { entity, count } of deadLetterCounts(await tools.administration()))
    if (count > 0) found.push(entity);
  return found;
};

export const limitOf = (given: Given, usual: number, most: number): number => {
  const text = textOf(given, "limit") ?? String(usual);
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > most)
    throw new UsageError(`--limit must be a number from 1 to ${most}.`);
  return limit;
};

export const isSequence = (text: string): boolean => /^\d{1,19}$/.test(text);

export interface Filter {
  /** Those with this reason alone. */
  readonly reason?: string | undefined;
  /** Those with a greater number alone. */
  readonly after?: bigint | undefined;
  readonly limit: number;
}

/** Oldest first, one entity after the other; `isMore`: there are others beyond the limit. */
export const findLetters = async (
  tools: Tools,
  entities: readonly BusEntity[],
  { reason, after = -1n, limit }: Filter,
): Promise<{ readonly letters: readonly Letter[]; readonly isMore: boolean }> => {
  const letters: Letter[] = [];
  for (const entity of entities)
    for await (const message of peekDeadLetters(await tools.client(), entity)) {
      if (BigInt(sequenceOf(message)) <= after) continue;
      if (reason !== undefined && message.deadLetterReason !== reason) continue;
      if (letters.length === limit) return { letters, isMore: true };
      letters.push({ entity, message });
    }
  return { letters, isMore: false };
};

/** Texts come from outside: what would steer a terminal is written out. */
export const plain = (text: string): string =>
  text.replace(
    /[^\P{C}\n]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );

const cellMax = 60;

export const cell = (text: string | undefined): string => {
  const line = plain(text ?? "").replaceAll("\n", " ");
  return line.length > cellMax ? `${line.slice(0, cellMax - 1)}…` : line;
};

export const idOf = ({ messageId }: ServiceBusReceivedMessage): string =>
  Buffer.isBuffer(messageId) ? messageId.toString("hex") : String(messageId ?? "");

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Text, or bytes that are none in base64. */
export const bodyOf = ({ body }: ServiceBusReceivedMessage): unknown => {
  const content: unknown = body;
  if (!(content instanceof Uint8Array)) return content;
  try {
    return utf8.decode(content);
  } catch {
    return { base64: Buffer.from(content).toString("base64") };
  }
};

/** For programs: what tells one from the other. */
export const recordOf = ({ entity, message }: Letter) => ({
  queue: entityPath(entity),
  number: sequenceOf(message),
  messageId: idOf(message),
  subject: message.subject ?? null,
  sessionId: message.sessionId ?? null,
  reason: message.deadLetterReason ?? null,
  description: message.deadLetterErrorDescription ?? null,
  enqueuedAt: message.enqueuedTimeUtc?.toISOString() ?? null,
  deliveries: message.deliveryCount ?? null,
});
