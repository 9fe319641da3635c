/** Removes a partner that nothing is left of: its client, its topic, and its row where nothing names it. */
import { findRecord } from "../../shared/database/partners/records.js";
import {
  beginRemoval,
  confirmRemoval,
  deleteUnusedPartner,
} from "../../shared/database/partners/removal.js";
import { sandboxPartners } from "../../shared/database/sandbox/partners.js";
import { refused, type Command, type Given, type Report } from "../kit/command-line.js";
import { partnerOf, type Tools } from "./command.js";
import { readingState, takeReadingAccess } from "./reading-access.js";

/** Longer than any instance remembers a partner. */
const forgottenMs = 6_000;

const remove = async (given: Given, tools: Tools): Promise<Report> => {
  const partnerKey = partnerOf(given);
  const record = await findRecord(tools.database, partnerKey);
  if (record === undefined) return refused([`There is no partner ${partnerKey}.`]);
  // Asked first: else its calls would be refused, and then the broker be out of reach.
  const topic = await readingState(tools, partnerKey);
  // A run that was cut off before it looked again; what came meanwhile could not be put right by a partner shut out.
  const isHalfRemoved = record.removedAt !== null && topic !== null;
  const faults = isHalfRemoved ? [] : await beginRemoval(tools.database, partnerKey);
  if (faults.length > 0) return refused([...faults, `Nothing of ${partnerKey} was changed.`]);
  // Once its topic is gone, it has been looked at again, and nobody is let in any more.
  if (record.removedAt === null || isHalfRemoved) {
    tools.tell(`The calls of ${partnerKey} are refused within five seconds.`);
    await tools.pause(forgottenMs);
    const meanwhile = await confirmRemoval(tools.database, partnerKey);
    if (meanwhile.length > 0)
      return refused([...meanwhile, `That came meanwhile: ${partnerKey} is let in again.`]);
  }
  await takeReadingAccess(tools, record);
  // The next start outside production would bring these back, were the row not there.
  const isSandboxs = sandboxPartners.some((known) => known.partnerKey === partnerKey);
  const removal = isSandboxs ? "kept" : await deleteUnusedPartner(tools.database, partnerKey);
  return {
    done: true,
    value: { partnerKey, removal },
    lines: [
      removal === "deleted"
        ? `${partnerKey} is gone: nothing names it, and its name is free again.`
        : `${partnerKey} is removed; its books and events stay under its name.`,
    ],
  };
};

export const removeCommand: Command<Tools> = {
  name: "remove",
  usage: "NAME",
  summary: "removes a partner that has no open wallets, money, stores or tickets left",
  options: {},
  help: [],
  run: remove,
};
