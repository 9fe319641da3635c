/** Runs the operators' command for partners in this process, and keeps what it says. */
import type { ExitCode } from "../../../tools/kit/command-line.js";
import { runCommand } from "../../../tools/partner/run-command.js";

export interface Said {
  readonly code: ExitCode;
  readonly printed: string;
  readonly complained: string;
}

export interface CommandPlace {
  readonly databaseUrl: string;
  readonly brokerConnectionString?: string;
  readonly certificate?: string;
  /** Instead of the wait until no instance remembers a partner. */
  readonly pause?: () => Promise<void>;
  /** Settings as an administrator's shell has them. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** `args` begin with the command's name. */
export const runPartner = async (place: CommandPlace, ...args: string[]): Promise<Said> => {
  const printed: string[] = [];
  const complained: string[] = [];
  const { brokerConnectionString: broker, certificate } = place;
  const code = await runCommand(
    [
      ...args,
      ...["--database", place.databaseUrl],
      ...(broker === undefined ? [] : ["--broker", broker]),
      ...(certificate === undefined ? [] : ["--broker-certificate", certificate]),
    ],
    place.environment ?? {},
    { print: (text) => printed.push(text), complain: (text) => complained.push(text) },
    place.pause,
  );
  return { code, printed: printed.join("\n"), complained: complained.join("\n") };
};
