// Starts the built app on the genuine Functions host: `func start` of Azure Functions Core Tools,
// with Azurite for its storage where nothing answers at the storage's address yet.
//   npm run start:func -- [options of func start]
import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, constants, readFile } from "node:fs/promises";
import { connect } from "node:net";
import { delimiter, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const services = ["Blob", "Queue", "Table"];
const emulatorPorts = [10000, 10001, 10002];
const storageWaitMs = 30_000;

/** Told in one sentence; everything else is a defect of this script and shows its stack. */
class Refusal extends Error {}

const isThere = async (file) =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  );

const findFunc = async () => {
  const folders = [resolve("node_modules/.bin"), ...(process.env.PATH ?? "").split(delimiter)];
  const names = process.platform === "win32" ? ["func.cmd", "func.exe"] : ["func"];
  for (const file of folders.flatMap((folder) => names.map((name) => join(folder, name))))
    if (await isThere(file)) return file;
  throw new Refusal(
    "Azure Functions Core Tools are missing: there is no `func` on the PATH or in node_modules. " +
      "Without them, `npm start` runs the same app.",
  );
};

const readSettings = async () => {
  const text = await readFile("local.settings.json", "utf8").catch(() => undefined);
  if (text === undefined)
    throw new Refusal(
      "There is no local.settings.json: copy local.settings.sample.json and fill in DATABASE_URL and ServiceBus.",
    );
  try {
    return { ...JSON.parse(text).Values, ...process.env };
  } catch {
    throw new Refusal("The file local.settings.json is not valid JSON.");
  }
};

/** The ports of an emulator on this machine; empty where the storage is somewhere else. */
const storagePorts = (connection) => {
  if (connection === undefined || connection === "")
    throw new Refusal(
      "The setting AzureWebJobsStorage is missing, where timers and orchestrations keep their state: " +
        "UseDevelopmentStorage=true takes Azurite.",
    );
  if (/UseDevelopmentStorage=true/i.test(connection)) return emulatorPorts;
  const ports = services.map((service) =>
    new RegExp(`${service}Endpoint=http://(?:127\\.0\\.0\\.1|localhost):(\\d+)/`, "i").exec(
      connection,
    ),
  );
  return ports.includes(null) ? [] : ports.map(([, port]) => Number(port));
};

const answers = async (port) => {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};

const startAzurite = async (ports) => {
  const program = resolve("node_modules/azurite/dist/src/azurite.js");
  const places = services.flatMap((service, index) => [
    `--${service.toLowerCase()}Port`,
    String(ports[index]),
  ]);
  const quiet = ["--silent", "--skipApiVersionCheck", "--disableTelemetry"];
  const data = ["--location", resolve(".borsello/azurite")];
  // In a process group of its own: Ctrl-C goes to all of a terminal's group, and a host whose storage is
  // gone before it takes most of a minute to give up.
  const azurite = spawn(process.execPath, [program, ...quiet, ...data, ...places], {
    stdio: ["ignore", "ignore", "inherit"],
    detached: true,
  });
  process.on("exit", () => azurite.kill());
  const deadline = Date.now() + storageWaitMs;
  while (!(await Promise.all(ports.map(answers))).every(Boolean)) {
    if (azurite.exitCode !== null || Date.now() > deadline) {
      azurite.kill();
      throw new Refusal(`Azurite does not answer at the ports ${ports.join(", ")}.`);
    }
    await sleep(100);
  }
  return azurite;
};

/** Until the host runs, a signal ends this script. */
let onSignal = () => process.exit(1);
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => onSignal(name));

const run = async () => {
  const func = await findFunc();
  const ports = storagePorts((await readSettings()).AzureWebJobsStorage);
  const isUp = (await Promise.all(ports.map(answers))).some(Boolean);
  const azurite = ports.length > 0 && !isUp ? await startAzurite(ports) : undefined;
  const host = spawn(func, ["start", ...process.argv.slice(2)], {
    stdio: "inherit",
    shell: func.endsWith(".cmd"),
  });
  // The terminal sends Ctrl-C and its own end to the host, too; we wait for the host, to stop Azurite last.
  onSignal = (name) => name === "SIGTERM" && host.kill(name);
  const [code] = await once(host, "exit");
  if (azurite !== undefined && azurite.exitCode === null) {
    azurite.kill();
    await once(azurite, "exit");
  }
  return code ?? 1;
};

process.exitCode = await run().catch((error) => {
  console.error(error instanceof Refusal ? error.message : error);
  return 1;
});
