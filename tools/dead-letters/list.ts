/** Lists dead letters of one entity or of all, oldest first. */
import { table } from "../../bench/kit/table.js";
import { entityPath } from "../../shared/events/service-bus.js";
import { sequenceOf } from "../../shared/events/dead-letters.js";
import { textOf, UsageError, type Command, type Given, type Report } from "../kit/command-line.js";
import { cell, entitiesOf, findLetters, idOf, isSequence, limitOf, recordOf } from "./letters.js";
import type { Tools } from "./tools.js";

const limitMax = 1_000;

const afterOf = (given: Given): bigint | undefined => {
  const text = textOf(given, "after");
  if (text === undefined) return undefined;
  if (textOf(given, "queue") === undefined) throw new UsageError("--after needs --queue.");
  if (!isSequence(text)) throw new UsageError("--after must be the NUMBER of a dead letter.");
  return BigInt(text);
};

const list = async (given: Given, tools: Tools): Promise<Report> => {
  if (given.words.length > 0) throw new UsageError("A list has no NUMBER: show shows one of them.");
  const filter = {
    limit: limitOf(given, 50, limitMax),
    after: afterOf(given),
    reason: textOf(given, "reason"),
  };
  const { letters, isMore } = await findLetters(tools, await entitiesOf(given, tools), filter);
  const last = isMore ? letters.at(-1) : undefined;
  const next =
    last === undefined ? null : { queue: entityPath(last.entity), after: sequenceOf(last.message) };
  const rows = letters.map(({ entity, message }) => [
    ...[entityPath(entity), sequenceOf(message), cell(idOf(message)), cell(message.subject)],
    cell(message.deadLetterReason),
    message.enqueuedTimeUtc?.toISOString() ?? "",
  ]);
  const header = ["queue", "number", "message id", "subject", "reason", "enqueued"];
  return {
    done: true,
    value: { letters: letters.map(recordOf), next },
    lines: [
      letters.length === 0 ? "There are no dead letters." : table(header, rows),
      ...(next === null
        ? []
        : ["", `There are more: --queue ${next.queue} --after ${next.after}, and other queues.`]),
    ],
  };
};

export const listCommand: Command<Tools> = {
  name: "list",
  usage: "[--queue QUEUE] [--reason REASON] [--after NUMBER] [--limit 50]",
  summary: "lists dead letters of all queues and subscriptions, oldest first",
  options: {
    queue: { type: "string" },
    reason: { type: "string" },
    after: { type: "string" },
    limit: { type: "string" },
  },
  help: [
    "--queue QUEUE        of this queue alone, or of the subscription TOPIC/SUBSCRIPTION",
    "--reason REASON      with this reason alone, such as HandlingFailed",
    "--after NUMBER       of one queue: those after this one",
    `--limit N            so many, ${limitMax} at most`,
  ],
  run: list,
};
