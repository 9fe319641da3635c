/** Lists partners, page by page. */
import { table } from "../../bench/kit/table.js";
import { listRecords } from "../../shared/database/partners/records.js";
import { textOf, UsageError, type Command, type Given, type Report } from "../kit/command-line.js";
import type { Tools } from "./command.js";

const limitMax = 200;

const limitOf = (given: Given): number => {
  const text = textOf(given, "limit") ?? "50";
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > limitMax)
    throw new UsageError(`--limit must be a number from 1 to ${limitMax}.`);
  return limit;
};

const list = async (given: Given, { database }: Tools): Promise<Report> => {
  if (given.words.length > 0) throw new UsageError("A list has no NAME: show shows one partner.");
  const limit = limitOf(given);
  // One more tells whether there are more.
  const found = await listRecords(database, {
    after: textOf(given, "after") ?? "",
    limit: limit + 1,
  });
  const partners = found.slice(0, limit);
  const next = found.length > limit ? (partners.at(-1)?.partnerKey ?? null) : null;
  const rows = partners.map(({ partnerKey, clientId, dealers, isOperator, removedAt }) => [
    partnerKey,
    clientId,
    dealers.length > 3 ? `${dealers.length} dealers` : dealers.join(", "),
    removedAt !== null ? "removed" : isOperator ? "operator" : "",
  ]);
  return {
    done: true,
    value: {
      partners,
      next,
    },
    lines: [
      table(["partner", "client", "dealers", ""], rows),
      ...(next === null ? [] : ["", `There are more: --after ${next}`]),
    ],
  };
};

export const listCommand: Command<Tools> = {
  name: "list",
  usage: "[--after NAME] [--limit 50]",
  summary: "lists partners by name",
  options: { after: { type: "string" }, limit: { type: "string" } },
  help: [
    `--after NAME         those after this one`,
    `--limit N            so many, ${limitMax} at most`,
  ],
  run: list,
};
