/** Shows one dead letter: why it is one, its properties and its body. */
import { parseEntity } from "../../shared/events/dead-letters.js";
import {
  refused,
  textOf,
  UsageError,
  type Command,
  type Given,
  type Report,
} from "../kit/command-line.js";
import { bodyOf, findLetters, isSequence, plain, recordOf } from "./letters.js";
import type { Tools } from "./tools.js";

const written = (value: unknown): string =>
  plain(typeof value === "string" ? value : JSON.stringify(value, null, 2));

const show = async (given: Given, tools: Tools): Promise<Report> => {
  const queue = textOf(given, "queue");
  const [number, ...more] = given.words;
  if (queue === undefined || number === undefined || more.length > 0 || !isSequence(number))
    throw new UsageError("One dead letter is shown: --queue QUEUE NUMBER, as the list has them.");
  const filter = { after: BigInt(number) - 1n, limit: 1 };
  const { letters } = await findLetters(tools, [parseEntity(queue)], filter);
  const [letter] = letters;
  if (letter === undefined || recordOf(letter).number !== number)
    return refused([`There is no dead letter ${number} in ${queue}.`]);
  const { message } = letter;
  const body = bodyOf(message);
  const record = recordOf(letter);
  const properties = {
    contentType: message.contentType ?? null,
    correlationId: message.correlationId ?? null,
    applicationProperties: message.applicationProperties ?? {},
  };
  return {
    done: true,
    value: { ...record, ...properties, body },
    lines: [
      ...Object.entries({ ...record, ...properties }).map(
        ([name, value]) => `${name}: ${written(value)}`,
      ),
      "",
      written(body),
    ],
  };
};

export const showCommand: Command<Tools> = {
  name: "show",
  usage: "--queue QUEUE NUMBER",
  summary: "shows one dead letter: why it is one, its properties, its body",
  options: { queue: { type: "string" } },
  help: ["--queue QUEUE        the queue, or TOPIC/SUBSCRIPTION", "NUMBER               as listed"],
  run: show,
};
