/** The command line of the local start: its options, their checks, its help. */
import { isAbsolute, resolve } from "node:path";
import { parseArgs } from "node:util";
import { StartError } from "./start-error.js";

export interface StartOptions {
  /** A function app to run instead of this checkout's own. */
  readonly appDirectory: string | undefined;
  /** Application settings that win over all others. */
  readonly settings: Readonly<Record<string, string>>;
  readonly port: number;
  readonly brokerPort: number;
  readonly dataDirectory: string;
  readonly databaseUrl: string | undefined;
  /** Where to write, once all is up, a JSON line that says where everything is. */
  readonly readyFile: string | undefined;
  readonly help: boolean;
}

export const helpText = `Starts the platform on this machine and leaves it running until Ctrl-C.

  npm start -- [options]
  npm run host -- --app FOLDER [options]   the same, for any other built function app

  --port NUMBER          HTTP port, 0 takes a free one         (7071)
  --broker-port NUMBER   AMQP port, 0 takes a free one         (5672)
  --data FOLDER          where PostgreSQL keeps the data       (.borsello)
  --database-url URL     use this PostgreSQL 18 database instead of the embedded one
  --ready-file FILE      write where everything is, as JSON, once all is up
  --app FOLDER           run the function app that was built in this folder
  --set NAME=VALUE       an application setting; may be given several times
  --help                 show this

Application settings come from the environment, then local.settings.json, or else
local.settings.sample.json.
`;

const defaults = { port: "7071", "broker-port": "5672", data: ".borsello" };

const parse = (args: readonly string[]) => {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: "string", default: defaults.port },
        "broker-port": { type: "string", default: defaults["broker-port"] },
        data: { type: "string", default: defaults.data },
        "database-url": { type: "string" },
        "ready-file": { type: "string" },
        app: { type: "string" },
        set: { type: "string", multiple: true, default: [] },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    const [reason] = error instanceof Error ? error.message.split(/\. |\n/) : [];
    throw new StartError(
      `${reason ?? "The options are not valid"}: see npm start -- --help for the options.`,
    );
  }
};

const portOf = (option: string, text: string): number => {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new StartError(`${option} must be a port number from 0 to 65535, not "${text}".`);
};

const databaseUrlOf = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "postgres:" || url?.protocol === "postgresql:") return text;
  throw new StartError(
    "--database-url must look like postgres://user:password@host:5432/database.",
  );
};

const folderOf = (option: string, text: string): string => {
  if (text.trim() === "") throw new StartError(`${option} must not be empty.`);
  return isAbsolute(text) ? text : resolve(text);
};

const settingOf = (pair: string): [string, string] => {
  const at = pair.indexOf("=");
  if (at < 1) throw new StartError(`--set must look like NAME=VALUE, not "${pair}".`);
  return [pair.slice(0, at), pair.slice(at + 1)];
};

/** Reads the options, or says in one sentence which is wrong. */
export const parseCommandLine = (args: readonly string[]): StartOptions => {
  const values = parse(args);
  const port = portOf("--port", values.port);
  const brokerPort = portOf("--broker-port", values["broker-port"]);
  if (port !== 0 && port === brokerPort)
    throw new StartError(`--port and --broker-port must differ, both are ${port}.`);
  const readyFile = values["ready-file"];
  const databaseUrl = values["database-url"];
  return {
    appDirectory: values.app === undefined ? undefined : folderOf("--app", values.app),
    settings: Object.fromEntries(values.set.map(settingOf)),
    port,
    brokerPort,
    dataDirectory: folderOf("--data", values.data),
    databaseUrl: databaseUrl === undefined ? undefined : databaseUrlOf(databaseUrl),
    readyFile: readyFile === undefined ? undefined : folderOf("--ready-file", readyFile),
    help: values.help,
  };
};
