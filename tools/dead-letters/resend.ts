/** Sends dead letters again to the entity that they are of, each under an id of its own. */
import { resendDeadLetters, sequenceOf } from "../../shared/events/dead-letters.js";
import { entityPath, type BusEntity } from "../../shared/events/service-bus.js";
import {
  refused,
  textOf,
  UsageError,
  type Command,
  type Given,
  type Report,
} from "../kit/command-line.js";
import { entitiesOf, findLetters, isSequence, limitOf } from "./letters.js";
import type { Tools } from "./tools.js";

const limitMax = 10_000;

interface Meant {
  readonly entity: BusEntity;
  readonly sequences: ReadonlySet<string>;
}

const allOf = async (given: Given, tools: Tools) => {
  const filter = { reason: textOf(given, "reason"), limit: limitOf(given, 1_000, limitMax) };
  const entities = await entitiesOf(given, tools);
  const { letters, isMore } = await findLetters(tools, entities, filter);
  const meant = entities.map((entity): Meant => {
    const own = letters.filter((letter) => letter.entity === entity);
    return { entity, sequences: new Set(own.map(({ message }) => sequenceOf(message))) };
  });
  return { meant: meant.filter(({ sequences }) => sequences.size > 0), isMore };
};

const meantBy = async (given: Given, tools: Tools) => {
  const { words } = given;
  const isAll = given.values["all"] === true;
  if (isAll === words.length > 0)
    throw new UsageError("Say which: --all, or --queue QUEUE with each NUMBER.");
  if (isAll) return allOf(given, tools);
  const entities = await entitiesOf(given, tools);
  const [entity] = entities;
  if (textOf(given, "queue") === undefined || entity === undefined)
    throw new UsageError("A NUMBER counts within a queue: name it by --queue.");
  const wrong = words.find((word) => !isSequence(word));
  if (wrong !== undefined) throw new UsageError(`${wrong} is no NUMBER of a dead letter.`);
  return { meant: [{ entity, sequences: new Set(words) }], isMore: false };
};

const resend = async (given: Given, tools: Tools): Promise<Report> => {
  const { meant, isMore } = await meantBy(given, tools);
  const faults: string[] = [];
  const resent: { queue: string; number: string; messageId: string }[] = [];
  for (const { entity, sequences } of meant) {
    const queue = entityPath(entity);
    const missing = await resendDeadLetters(
      await tools.client(),
      entity,
      sequences,
      (letter, messageId) => {
        const number = sequenceOf(letter);
        resent.push({ queue, number, messageId });
        tools.tell(`${queue} ${number}: sent as ${messageId}`);
      },
    );
    if (missing.size > 0)
      faults.push(
        `${queue}: ${[...missing].slice(0, 10).join(", ")} ${missing.size > 10 ? `and ${missing.size - 10} more ` : ""}` +
          "could not be had: gone, held by somebody else for a minute, or behind a thousand others.",
      );
  }
  if (faults.length > 0) return refused(faults);
  return {
    done: true,
    value: { resent, isMore },
    lines: [
      resent.length === 0 ? "There was nothing to resend." : `${resent.length} resent.`,
      ...(isMore ? ["There are more: run the same command again."] : []),
    ],
  };
};

export const resendCommand: Command<Tools> = {
  name: "resend",
  usage: "(--all | --queue QUEUE NUMBER…) [--queue QUEUE] [--reason REASON] [--limit 1000]",
  summary: "sends dead letters again, each under an id of its own, and removes them",
  options: {
    all: { type: "boolean" },
    queue: { type: "string" },
    reason: { type: "string" },
    limit: { type: "string" },
  },
  help: [
    "--all                all of them, or all that --queue and --reason leave",
    "--queue QUEUE        of this queue alone, or of the subscription TOPIC/SUBSCRIPTION,",
    "                     whose letters go to the topic, and so to its other subscriptions, too",
    "--reason REASON      with this reason alone, such as HandlingFailed",
    `--limit N            so many, ${limitMax} at most`,
  ],
  run: resend,
};
