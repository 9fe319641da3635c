/** Operators' commands: finds the one that is meant, reads its options, says what became of it. */
import { parseArgs } from "node:util";
import { SettingsError, type Environment } from "../../shared/platform/settings/reading.js";

/** An option that is missing or wrong: the usage follows. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The options as they were given, with the words that are none. */
export interface Given {
  readonly values: Readonly<
    Record<string, string | boolean | readonly (string | boolean)[] | undefined>
  >;
  readonly words: readonly string[];
}

export type Report =
  | {
      readonly done: true;
      /** For people. */
      readonly lines: readonly string[];
      /** For programs, by `--json`. */
      readonly value: object;
    }
  | {
      readonly done: false;
      /** What has to be put right first, as sentences. */
      readonly faults: readonly string[];
    };

export type Options = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>["options"]>;

export interface Command<Tools> {
  readonly name: string;
  /** What follows the name. */
  readonly usage: string;
  readonly summary: string;
  readonly options: Options;
  /** A line for each option. */
  readonly help: readonly string[];
  run(given: Given, tools: Tools): Promise<Report>;
}

export const refused = (faults: readonly string[]): Report => ({ done: false, faults });

export const textOf = ({ values }: Given, name: string): string | undefined => {
  const value = values[name];
  return typeof value === "string" ? value : undefined;
};

/** 0: done. 1: something has to be put right first. 2: it could not be tried. */
export type ExitCode = 0 | 1 | 2;

export interface Voice {
  readonly print: (text: string) => void;
  readonly complain: (text: string) => void;
}

/** Commands of one kind. */
export interface Program<Tools extends { close(): Promise<void> }> {
  /** How it is started, with a space behind it. */
  readonly start: string;
  readonly summary: string;
  readonly commands: readonly Command<Tools>[];
  /** Where what they work on is: options of every command, and a line for each. */
  readonly placeOptions: Options;
  readonly placeHelp: readonly string[];
  open(given: Given, environment: Environment, voice: Voice): Tools;
  /** What to say of an error that is neither of the options nor of the settings. */
  explain(error: unknown): string;
}

const overviewOf = <Tools extends { close(): Promise<void> }>({
  start,
  summary,
  commands,
  placeHelp,
}: Program<Tools>): string =>
  [
    summary,
    "",
    ...commands.map(({ name, usage, summary }) => `  ${start}${name} ${usage}\n      ${summary}`),
    "",
    ...placeHelp.map((line) => `  ${line}`),
    "",
    "Ends with 0 where it is done, 1 where something has to be put right first, 2 where it could not be tried.",
  ].join("\n");

const givenTo = (options: Options, args: readonly string[]): Given => {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options,
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

export const runProgram = async <Tools extends { close(): Promise<void> }>(
  program: Program<Tools>,
  [name, ...args]: readonly string[],
  environment: Environment,
  voice: Voice,
): Promise<ExitCode> => {
  const { start, placeHelp, placeOptions } = program;
  if (name === undefined || name === "--help" || name === "help") {
    voice.print(overviewOf(program));
    return name === undefined ? 2 : 0;
  }
  const command = program.commands.find((known) => known.name === name);
  if (command === undefined) {
    voice.complain(`There is no command ${name}.\n\n${overviewOf(program)}`);
    return 2;
  }
  const usage = [
    `${start}${name} ${command.usage}`,
    ...[...command.help, ...placeHelp].map((line) => `  ${line}`),
  ].join("\n");
  try {
    const given = givenTo({ ...command.options, ...placeOptions }, args);
    if (given.values["help"] === true) {
      voice.print(usage);
      return 0;
    }
    const tools = program.open(given, environment, voice);
    try {
      return say(await command.run(given, tools), given.values["json"] === true, voice);
    } finally {
      await tools.close();
    }
  } catch (error) {
    if (error instanceof UsageError) voice.complain(`${error.message}\n\n${usage}`);
    else if (error instanceof SettingsError)
      voice.complain(`${error.message}\nThe options: ${start}${name} --help`);
    else voice.complain(program.explain(error));
    return 2;
  }
};
