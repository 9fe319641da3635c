/** The commands for partners, on the database and the broker that options or settings name. */
import { setTimeout as sleep } from "node:timers/promises";
import { AzureRefusal } from "../../shared/events/receiver-role.js";
import type { Environment } from "../../shared/platform/settings/reading.js";
import { failureText } from "../kit/failure-text.js";
import { runProgram, type ExitCode, type Program, type Voice } from "../kit/command-line.js";
import { addCommand } from "./add.js";
import { contractTemplateCommand } from "./contract-template.js";
import { listCommand } from "./list.js";
import { openTools, placeHelp, placeOptions, type OpenedTools, type Pause } from "./open-tools.js";
import { removeCommand } from "./remove.js";
import { rotateCommand } from "./rotate-authkey.js";
import { settingsCommand } from "./settings.js";
import { showCommand } from "./show.js";

const program: Omit<Program<OpenedTools>, "open"> = {
  start: "npm run partner -- ",
  summary: "Partners of the platform: added, shown, changed, removed.",
  commands: [
    addCommand,
    listCommand,
    showCommand,
    rotateCommand,
    settingsCommand,
    contractTemplateCommand,
    removeCommand,
  ],
  placeOptions,
  placeHelp,
  explain: (error) => {
    const why = failureText(error);
    return error instanceof AzureRefusal
      ? `${why}\nPut that right, and run the same command again.`
      : `It could not be done: ${why}\nRun the same command again: what is done already stays done.`;
  },
};

export const runCommand = (
  args: readonly string[],
  environment: Environment,
  voice: Voice,
  pause: Pause = sleep,
): Promise<ExitCode> => {
  const open: Program<OpenedTools>["open"] = (...place) => openTools(...place, pause);
  return runProgram({ ...program, open }, args, environment, voice);
};
