/** Removes a partner that nothing is left of: its client, its topic, and its row where nothing names it. */
import { findRecord } from "../../shared/database/partners/records.js";
import { removalFaults, removePartner } from "../../shared/database/partners/removal.js";
import { refused, type Command, type Given, type Report } from "../kit/command-line.js";
import { partnerOf, type Tools } from "./command.js";
import { takeReadingAccess } from "./reading-access.js";

const remove = async (given: Given, tools: Tools): Promise<Report> => {
  const partnerKey = partnerOf(given);
  const record = await findRecord(tools.database, partnerKey);
  if (record === undefined) return refused([`There is no partner ${partnerKey}.`]);
  const faults = await removalFaults(tools.database, partnerKey);
  if (faults.length > 0) return refused([...faults, `Nothing of ${partnerKey} was changed.`]);
  // The broker first: a run that is cut off is finished by the next one, which finds the partner still there.
  await takeReadingAccess(tools, record);
  const removed = await removePartner(tools.database, partnerKey);
  if (removed.faults.length > 0)
    return refused([...removed.faults, "npm run partner -- add gives it its topic again."]);
  return {
    done: true,
    value: { partnerKey, removal: removed.removal },
    lines: [
      removed.removal === "deleted"
        ? `${partnerKey} is gone: nothing names it, and its name is free again.`
        : `${partnerKey} is removed: its calls are refused within five seconds; its books stay under its name.`,
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
