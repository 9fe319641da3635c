/** Finds the command, reads its options, and says what became of it. */
import { parseArgs } from "node:util";
import { AzureRefusal } from "../../shared/events/receiver-role.js";
import { SettingsError, type Environment } from "../../shared/platform/config.js";
import { addCommand } from "./add.js";
import { UsageError, type Command, type Given, type Report } from "./command.js";
import { contractTemplateCommand } from "./contract-template.js";
import { listCommand } from "./list.js";
import { openTools, placeHelp, placeOptions, type Voice } from "./open-tools.js";
import { removeCommand } from "./remove.js";
import { rotateCommand } from "./rotate-authkey.js";
import { settingsCommand } from "./settings.js";
import { showCommand } from "./show.js";

const commands: readonly Command[] = [
  addCommand,
  listCommand,
  showCommand,
  rotateCommand,
  settingsCommand,
  contractTemplateCommand,
  removeCommand,
];

/** 0: done. 1: something has to be put right first. 2: it could not be tried. */
export type ExitCode = 0 | 1 | 2;

const start = "npm run partner -- ";

const overview = [
  "Partners of the platform: added, shown, changed, removed.",
  "",
  ...commands.map(({ name, usage, summary }) => `  ${start}${name} ${usage}\n      ${summary}`),
  "",
  ...placeHelp.map((line) => `  ${line}`),
  "",
  "Ends with 0 where it is done, 1 where something has to be put right first, 2 where it could not be tried.",
].join("\n");

const usageOf = ({ name, usage, help }: Command): string =>
  [`${start}${name} ${usage}`, ...[...help, ...placeHelp].map((line) => `  ${line}`)].join("\n");

const givenTo = ({ options }: Command, args: readonly string[]): Given => {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { ...options, ...placeOptions },
      allowPositionals: true,
    });
    return { values, words: positionals };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : "The options are not valid.");
  }
};

const say = (report: Report, asJson: boolean, { print, complain }: Voice): ExitCode => {
  if (!report.done) {
    if (asJson) print(JSON.stringify({ faults: report.faults }));
    else for (const fault of report.faults) complain(fault);
    return 1;
  }
  print(asJson ? JSON.stringify(report.value) : report.lines.join("\n"));
  return 0;
};

const run = async (
  command: Command,
  args: readonly string[],
  environment: Environment,
  voice: Voice,
): Promise<ExitCode> => {
  const given = givenTo(command, args);
  if (given.values["help"] === true) {
    voice.print(usageOf(command));
    return 0;
  }
  const tools = openTools(given, environment, voice);
  try {
    return say(await command.run(given, tools), given.values["json"] === true, voice);
  } finally {
    await tools.close();
  }
};

export const runCommand = async (
  [name, ...args]: readonly string[],
  environment: Environment,
  voice: Voice,
): Promise<ExitCode> => {
  if (name === undefined || name === "--help" || name === "help") {
    voice.print(overview);
    return name === undefined ? 2 : 0;
  }
  const command = commands.find((known) => known.name === name);
  if (command === undefined) {
    voice.complain(`There is no command ${name}.\n\n${overview}`);
    return 2;
  }
  try {
    return await run(command, args, environment, voice);
  } catch (error) {
    if (error instanceof UsageError) voice.complain(`${error.message}\n\n${usageOf(command)}`);
    else if (error instanceof SettingsError)
      voice.complain(`${error.message}\nThe options: ${start}${command.name} --help`);
    else if (error instanceof AzureRefusal)
      voice.complain(`${error.message}\nPut that right, and run the same command again.`);
    else
      voice.complain(
        `It could not be done: ${error instanceof Error ? error.message : String(error)}\n` +
          "Run the same command again: what is done already stays done.",
      );
    return 2;
  }
};
