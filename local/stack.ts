/** Brings up everything on one machine: PostgreSQL, the broker, the host with its durable engine. */
import { access } from "node:fs/promises";
import { join } from "node:path";
import { entryFiles } from "./host/app/entry-files.js";
import { checkSettings } from "./host/app/settings-check.js";
import { errorText } from "./failures.js";
import type { Host } from "./host/host.js";
import type { LogEntry, LogSink } from "./host/app/log.js";
import { checkKeys, hostKeyNames, keyNamed } from "./keys.js";
import { partnerAccess, partnerConnectionString, partnersWithKey } from "./partner-keys.js";
import { startPostgres } from "./postgres/server.js";
import { reservePort } from "./reserve-port.js";
import type { ReservedPort } from "./reserve-port.js";
import { readSettings } from "./stack-settings.js";
import type { Settings } from "./stack-settings.js";

export interface StackOptions {
  readonly appDirectory: string;
  /** Win over the environment and the app's settings file. */
  readonly settings: Settings;
  /** 0 takes a free one, as for the broker. */
  readonly port: number;
  readonly brokerPort: number;
  /** Where the embedded PostgreSQL keeps its data; unused where another database is named. */
  readonly dataDirectory: string;
  /** Where the local parts keep their state; without it the embedded PostgreSQL is started. */
  readonly databaseUrl?: string | undefined;
  /** Whether the setting DATABASE_URL names the database of the local parts, too. */
  readonly sharesDatabase: boolean;
  readonly log: LogSink;
  /** A line for the person who waits. */
  readonly tell: (line: string) => void;
}

export interface Stack {
  readonly url: string;
  /** A line for each function of the app. */
  readonly functionList: readonly string[];
  /** Of the local broker, or of whatever the setting ServiceBus names instead. */
  readonly brokerConnectionString: string | undefined;
  /** By which a partner reads its own topic of the local broker; none in production. */
  readonly partnerConnectionStrings: ReadonlyMap<string, string>;
  /** What clients of the local broker have to trust if they speak TLS. */
  readonly brokerCertificate: string | undefined;
  readonly databaseUrl: string;
  /** Where the embedded PostgreSQL keeps its data, if that is what runs. */
  readonly dataDirectory: string | undefined;
  /** Settles only when a part ended by itself and could not be brought back. */
  readonly failed: Promise<Error>;
  stop(): Promise<void>;
}

interface Database {
  readonly url: string;
  /** The quickest way there from this machine. */
  readonly ownUrl: string;
  readonly dataDirectory: string | undefined;
  readonly failed: Promise<Error>;
}

/** What has been started, to be stopped in reverse order. */
type Started = (() => Promise<void>)[];

const topologyFile = "servicebus.config.json";
const certificateFolder = (dataDirectory: string): string => join(dataDirectory, "broker-tls");
const never = new Promise<Error>(() => undefined);

/** The heavy part of the code, loaded while PostgreSQL starts in its own process. */
const loadParts = async () => {
  const [database, sockets, broker, topology, certificate, host, engine] = await Promise.all([
    import("./stack-database.js"),
    import("./in-process-sockets.js"),
    import("./broker/broker.js"),
    import("./broker/topology.js"),
    import("./broker/connections/certificate.js"),
    import("./host/host.js"),
    import("./durable/engine.js"),
    // Not ours to use here, but the host is about to: loaded now, it costs no time later.
    import("@azure/service-bus"),
  ]);
  return { ...database, ...sockets, ...broker, ...topology, ...certificate, ...host, ...engine };
};
type Parts = Awaited<ReturnType<typeof loadParts>>;

const writer =
  (log: LogSink, level: LogEntry["level"], category: string) =>
  (message: string): void => {
    log({ time: new Date().toISOString(), level, category, message });
  };

const openDatabase = async (
  { dataDirectory, databaseUrl, sharesDatabase, log, tell }: StackOptions,
  settings: Settings,
  started: Started,
  onSpawned: () => void,
): Promise<Database> => {
  const given = databaseUrl ?? (sharesDatabase ? settings["DATABASE_URL"] : undefined);
  if (given !== undefined) {
    return { url: given, ownUrl: given, dataDirectory: undefined, failed: never };
  }
  const warn = writer(log, "warning", "Local.PostgreSQL");
  const onFirstStart = (): void =>
    tell(
      `First start: sets up PostgreSQL in ${dataDirectory}, then its tables; this takes some seconds.`,
    );
  const server = await startPostgres({ dataDirectory, onSpawned, onFirstStart, warn });
  started.push(() => server.stop());
  return { url: server.url, ownUrl: server.socketUrl, dataDirectory, failed: server.failed };
};

const connectionString = (port: number, key: string): string =>
  `Endpoint=sb://127.0.0.1:${port};SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=${key};UseDevelopmentEmulator=true;`;

/** A broker is started where the app lists queues and topics and no other one is named. */
const wantsBroker = async (appDirectory: string, settings: Settings): Promise<boolean> =>
  settings["ServiceBus"] === undefined &&
  settings["ServiceBus__fullyQualifiedNamespace"] === undefined &&
  access(join(appDirectory, topologyFile)).then(
    () => true,
    () => false,
  );

interface BrokerPlace {
  readonly connectionString: string | undefined;
  readonly partnerConnectionStrings: ReadonlyMap<string, string>;
}

interface Foundation {
  readonly parts: Parts;
  readonly settings: Settings;
  readonly database: Database;
  readonly started: Started;
}

const openBroker = async (
  { appDirectory, dataDirectory, log }: StackOptions,
  { parts, settings, database, started }: Foundation,
  reserved: ReservedPort,
): Promise<BrokerPlace> => {
  const key = keyNamed(settings, "LOCAL_BROKER_KEY");
  const topology = await parts.readTopology(join(appDirectory, topologyFile));
  const partners = partnersWithKey(topology, settings);
  const warn = writer(log, "error", "Local.Broker");
  await reserved.release();
  const broker = await parts.startBroker({
    connectionString: database.ownUrl,
    topology,
    port: reserved.port,
    key,
    accessRules: partnerAccess(partners),
    certificateFolder: certificateFolder(dataDirectory),
    report: (error) => warn(errorText(error)),
  });
  started.push(() => broker.stop());
  const leave = parts.serveInProcess(broker.port, (socket) => broker.accept(socket));
  started.push(async () => leave());
  return {
    connectionString: connectionString(broker.port, key),
    partnerConnectionStrings: new Map(
      partners.map((partner) => [partner, partnerConnectionString(broker.port, partner)]),
    ),
  };
};

/** What the app is given beside what somebody has set. */
const appSettings = (
  { sharesDatabase }: StackOptions,
  settings: Settings,
  httpPort: number,
  brokerConnectionString: string | undefined,
  { url, ownUrl }: Pick<Database, "url" | "ownUrl">,
): Settings => ({
  SANDBOX_CLOCK_URL: `http://127.0.0.1:${httpPort}/admin/host/clock`,
  AzureWebJobsStorage: "UseDevelopmentStorage=true",
  ...(brokerConnectionString === undefined ? {} : { ServiceBus: brokerConnectionString }),
  // An app of somebody else's may have a client that knows no sockets.
  DATABASE_URL: url,
  ...settings,
  ...(sharesDatabase && { DATABASE_URL: ownUrl }),
});

/** Before there is a database, which takes seconds to set up: another address of one is as good to judge by. */
const checkAppSettings = async (
  options: StackOptions,
  settings: Settings,
  httpPort: ReservedPort,
  brokerPort: ReservedPort | undefined,
): Promise<void> => {
  const database =
    options.databaseUrl ?? settings["DATABASE_URL"] ?? "postgres://127.0.0.1/postgres";
  const broker =
    brokerPort && connectionString(brokerPort.port, keyNamed(settings, "LOCAL_BROKER_KEY"));
  await checkSettings(options.appDirectory, {
    WEBSITE_HOSTNAME: `127.0.0.1:${httpPort.port}`,
    ...appSettings(options, settings, httpPort.port, broker, { url: database, ownUrl: database }),
  });
};

const openHost = async (
  options: StackOptions,
  { parts, settings, database, started }: Foundation,
  reserved: ReservedPort,
  brokerConnectionString: string | undefined,
): Promise<Host> => {
  const { appDirectory, log } = options;
  const warn = writer(log, "warning", "Local.PostgreSQL");
  const pool = parts.openPool(database.ownUrl, warn);
  started.push(() => pool.end());
  const clock = await parts.openClock(pool, settings["SANDBOX_CLOCK_QUERY"]);
  await reserved.release();
  const host = await parts.startHost({
    appDirectory,
    port: reserved.port,
    pool,
    clock,
    log,
    startEngine: parts.startEngine,
    settings: appSettings(options, settings, reserved.port, brokerConnectionString, database),
  });
  started.push(() => host.stop());
  return host;
};

/** Loading blocks this thread, so it begins when PostgreSQL is at work in a process of its own. */
const openAndLoad = async (
  options: StackOptions,
  settings: Settings,
  started: Started,
): Promise<[Database, Parts]> => {
  let loading: Promise<Parts> | undefined;
  const load = (): Promise<Parts> => (loading ??= loadParts());
  // A failure to load is reported by the second call, which waits for it.
  const loadAhead = (): void => void load().catch(() => undefined);
  const database = await openDatabase(options, settings, started, loadAhead);
  return [database, await load()];
};

/** Starts all parts, or none: what had begun is stopped again when a later part does not come up. */
export const startStack = async (options: StackOptions): Promise<Stack> => {
  const started: Started = [];
  const stop = async (): Promise<void> => {
    for (const part of started.splice(0).reverse()) await part();
  };
  try {
    // Asked first: what is no app needs no database.
    await entryFiles(options.appDirectory);
    const settings = await readSettings(options.appDirectory, process.env, options.settings);
    const brokerWanted = await wantsBroker(options.appDirectory, settings);
    checkKeys(settings, brokerWanted ? [...hostKeyNames, "LOCAL_BROKER_KEY"] : hostKeyNames);
    const httpPort = await reservePort(options.port, "--port");
    started.push(() => httpPort.release());
    const brokerPort = brokerWanted
      ? await reservePort(options.brokerPort, "--broker-port")
      : undefined;
    if (brokerPort !== undefined) started.push(() => brokerPort.release());
    await checkAppSettings(options, settings, httpPort, brokerPort);

    const [database, parts] = await openAndLoad(options, settings, started);
    await parts.checkDatabase(database.ownUrl);
    const foundation = { parts, settings, database, started };
    const { connectionString: brokerConnectionString, partnerConnectionStrings } =
      brokerPort === undefined
        ? { connectionString: settings["ServiceBus"], partnerConnectionStrings: new Map() }
        : await openBroker(options, foundation, brokerPort);
    const host = await openHost(options, foundation, httpPort, brokerConnectionString);
    return {
      url: host.url,
      functionList: host.functionList(),
      brokerConnectionString,
      partnerConnectionStrings,
      brokerCertificate:
        brokerPort === undefined
          ? undefined
          : parts.certificatePath(certificateFolder(options.dataDirectory)),
      databaseUrl: database.url,
      dataDirectory: database.dataDirectory,
      failed: database.failed,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
};
