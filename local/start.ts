/** The command line: starts the platform on this machine, says where everything is, stops on a signal. */
import { once } from "node:events";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { z } from "zod";
import { helpText, parseCommandLine } from "./command-line.js";
import type { StartOptions } from "./command-line.js";
import { writeJsonLine, writeTextLine } from "./host/app/log.js";
import type { LogSink } from "./host/app/log.js";
import { usualKeys } from "./keys.js";
import { startStack } from "./stack.js";
import type { Stack } from "./stack.js";
import { StartError } from "./start-error.js";
import { watchUncaught } from "./uncaught.js";

/**
 * Garbage is collected once memory is twice of what is in use, not four times: clearing a hundred thousand
 * records takes 213 MiB instead of 300, at the same pace.
 */
setFlagsFromString("--heap-growing-percent=100");

/** The checkout that this file was built in: dist/local/start.js. */
const ownDirectory = fileURLToPath(new URL("../../", import.meta.url));

/** Ctrl-C under npm arrives twice: from the terminal, and passed on by npm. */
const echoMs = 500;
const orphanPollMs = 200;

/** The password of our own PostgreSQL is only of use here; that of another one stays hidden. */
const shownDatabase = ({ databaseUrl, dataDirectory }: Stack): string => {
  const url = new URL(databaseUrl);
  if (dataDirectory === undefined && url.password !== "") url.password = "…";
  return decodeURI(url.href);
};

/** A key that everybody knows may be copied from here; any other one is a secret. */
const shownBroker = ({ brokerConnectionString = "none" }: Stack): string =>
  brokerConnectionString.includes(`SharedAccessKey=${usualKeys.LOCAL_BROKER_KEY};`)
    ? brokerConnectionString
    : brokerConnectionString.replace(/(SharedAccessKey=)[^;]*/, "$1…");

/** One of them stands for all: they differ in the partner's name. */
const shownPartners = ({ partnerConnectionStrings }: Stack): string[] => {
  const [[partner, connectionString] = [], ...others] = partnerConnectionStrings;
  if (partner === undefined) return [];
  const names = others.map(([name]) => name);
  return [
    `  Partner    ${connectionString}`,
    `             reads topic ${partner} and nothing else${names.length === 0 ? "" : `; the same for ${names.join(", ")}`}`,
  ];
};

const places = (stack: Stack): string[] => [
  `  Broker     ${shownBroker(stack)}`,
  ...shownPartners(stack),
  ...(stack.brokerCertificate === undefined
    ? []
    : [`  Trust      NODE_EXTRA_CA_CERTS=${stack.brokerCertificate} (TLS, on the broker's port)`]),
  `  Database   ${shownDatabase(stack)}`,
  ...(stack.dataDirectory === undefined ? [] : [`  Data       ${stack.dataDirectory}`]),
];

const describeOwn = (stack: Stack): string[] => [
  "Borsello is running.",
  `  API        ${stack.url}`,
  `  Docs       ${stack.url}/docs`,
  ...places(stack),
];

const describeOther = (stack: Stack, appDirectory: string): string[] => [
  "Functions:",
  "",
  ...stack.functionList.map((line) => `  ${line}`),
  "",
  `The app in ${appDirectory} is running.`,
  `  API        ${stack.url}`,
  ...places(stack),
];

const describe = (stack: Stack, appDirectory: string | undefined): string =>
  [
    "",
    ...(appDirectory === undefined ? describeOwn(stack) : describeOther(stack, appDirectory)),
    "",
    "Press Ctrl-C to stop. The same command goes on with the same data.",
    "",
  ].join("\n");

/** Written under another name first, so that whoever waits for the file never reads half of it. */
const writeReadyFile = async (file: string, stack: Stack): Promise<void> => {
  const { url, brokerConnectionString, brokerCertificate, databaseUrl } = stack;
  const draft = `${file}.${process.pid}`;
  const place = { url, brokerConnectionString, brokerCertificate, databaseUrl, pid: process.pid };
  await writeFile(draft, `${JSON.stringify(place)}\n`, { mode: 0o600 });
  await rename(draft, file);
};

const complain = (error: unknown): void => {
  if (error instanceof StartError) console.error(error.message);
  else console.error("The start failed:", error);
};

/** npm that is killed outright takes nothing along: then this process ends by itself. */
const onOrphaned = (ask: () => void): void => {
  const parent = process.ppid;
  const interval = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(interval);
    ask();
  }, orphanPollMs);
  interval.unref();
};

/** Aborts at the first request to stop; a second one, made in earnest, ends us at once. */
const stopRequest = (): AbortSignal => {
  const asked = new AbortController();
  let askedAtMs = 0;
  const ask = (): void => {
    if (!asked.signal.aborted) {
      console.log("Stopping.");
      askedAtMs = performance.now();
      asked.abort();
    }
    // What then remains is the embedded PostgreSQL, and its watcher stops that.
    else if (performance.now() - askedAtMs > echoMs) process.exit(1);
  };
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, ask);
  if (process.env["npm_lifecycle_event"] !== undefined) onOrphaned(ask);
  return asked.signal;
};

const aborted = async (signal: AbortSignal): Promise<void> => {
  if (!signal.aborted) await once(signal, "abort");
};

/** People at a terminal read sentences; whatever reads from a pipe or a file gets JSON. */
const logOf = ({ isTTY }: NodeJS.WriteStream): LogSink => {
  if (!isTTY) return writeJsonLine;
  process.env["LOG_FORMAT"] ??= "text";
  return writeTextLine;
};

const Package = z.object({ version: z.string() });

/** The first line: whose start this is. */
const opening = async (appDirectory: string | undefined): Promise<string> => {
  if (appDirectory !== undefined) return `The app in ${appDirectory} is starting.`;
  const { version } = Package.parse(
    JSON.parse(await readFile(join(ownDirectory, "package.json"), "utf8")),
  );
  return `Borsello ${version} is starting: wallets, cards and tickets for partners, all on this machine.`;
};

const run = async (options: StartOptions): Promise<number> => {
  const log = logOf(process.stdout);
  const asked = stopRequest();
  const outlive = watchUncaught(log, (thrown) => {
    complain(thrown);
    process.exit(1);
  });
  const { appDirectory } = options;
  console.log(await opening(appDirectory));
  const stack = await startStack({
    ...options,
    appDirectory: appDirectory ?? ownDirectory,
    sharesDatabase: appDirectory === undefined,
    log,
    tell: (line) => console.log(line),
  });
  outlive();
  if (!asked.aborted) {
    if (options.readyFile !== undefined) await writeReadyFile(options.readyFile, stack);
    console.log(describe(stack, appDirectory));
  }
  const failure = await Promise.race([aborted(asked), stack.failed]);
  if (failure !== undefined) console.error(`The database was lost: ${failure.message}`);
  await stack.stop();
  return failure === undefined ? 0 : 1;
};

const main = async (): Promise<number> => {
  try {
    const options = parseCommandLine(process.argv.slice(2));
    if (!options.help) return await run(options);
    console.log(helpText);
    return 0;
  } catch (error) {
    complain(error);
    return 1;
  }
};

// Nobody reading along any more is no reason to end.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

// The app may hold timers and sockets of its own: the end is said, not waited for.
process.exit(await main());
