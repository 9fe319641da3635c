/** Opens what commands work with, from options and from the settings that the app has. */
import { readFile } from "node:fs/promises";
import { openDatabase, type Database } from "../../shared/database/platform/database.js";
import {
  isEmulator,
  namespaceHost,
  openAdministration,
} from "../../shared/events/broker-administration.js";
import {
  readDatabaseConnection,
  readServiceBusConnection,
  SettingsError,
  type DatabaseConnection,
  type Environment,
  type ServiceBusConnection,
} from "../../shared/platform/config.js";
import { readDocumentsConnection } from "../../shared/platform/document-settings.js";
import { createLogger } from "../../shared/platform/logger.js";
import { textOf, type Azure, type Broker, type Given, type Tools } from "./command.js";

/** Of every command. */
export const placeOptions = {
  database: { type: "string" },
  broker: { type: "string" },
  "broker-certificate": { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean" },
} as const;

export const placeHelp = [
  "--database URL       the platform's database; else the settings DATABASE_URL, or DATABASE_HOST and the rest",
  "--broker CONNECTION  the broker's connection string; else ServiceBus or ServiceBus__fullyQualifiedNamespace",
  "--broker-certificate of a broker on this machine; else .borsello/broker-tls/certificate.pem",
  "--json               what was done as one JSON object, for programs",
];

const usualCertificate = ".borsello/broker-tls/certificate.pem";

const databaseOf = (given: Given, environment: Environment): DatabaseConnection => {
  const url = textOf(given, "database");
  return readDatabaseConnection(url === undefined ? environment : { DATABASE_URL: url });
};

const brokerOf = (given: Given, environment: Environment): ServiceBusConnection => {
  const ServiceBus = textOf(given, "broker");
  return readServiceBusConnection(ServiceBus === undefined ? environment : { ServiceBus });
};

/** Only the broker on this machine has a certificate that nobody else vouches for. */
const certificateOf = async (
  given: Given,
  connection: ServiceBusConnection,
): Promise<string | undefined> => {
  const file = textOf(given, "broker-certificate");
  if (file !== undefined) return readFile(file, "utf8");
  if (!isEmulator(connection)) return undefined;
  // Absent where the platform's data is elsewhere; then NODE_EXTRA_CA_CERTS may name it.
  return readFile(usualCertificate, "utf8").catch(() => undefined);
};

/** Where the namespace is: what its own address does not tell. */
const azureOf = async (
  environment: Environment,
  connection: ServiceBusConnection,
): Promise<Azure> => {
  const { AZURE_SUBSCRIPTION_ID: subscriptionId, AZURE_RESOURCE_GROUP: resourceGroup } =
    environment;
  if (subscriptionId === undefined || resourceGroup === undefined)
    throw new SettingsError(
      "The settings AZURE_SUBSCRIPTION_ID and AZURE_RESOURCE_GROUP must say where the namespace is: " +
        "the partner's client gets a role on its subscription there.",
    );
  const { DefaultAzureCredential } = await import("@azure/identity");
  return {
    credential: new DefaultAzureCredential(),
    place: {
      subscriptionId,
      resourceGroup,
      namespace: namespaceHost(connection).split(".")[0] ?? "",
      resourceManagerUrl:
        environment["AZURE_RESOURCE_MANAGER_URL"] ?? "https://management.azure.com",
      graphUrl: environment["AZURE_GRAPH_URL"] ?? "https://graph.microsoft.com",
    },
  };
};

const openPlatformDatabase = (connection: DatabaseConnection, complain: (text: string) => void) => {
  const logger = createLogger("error", (_level, line) => {
    complain(line);
  });
  return openDatabase({ connection, logger, poolSize: 1 });
};

export interface OpenedTools extends Tools {
  close(): Promise<void>;
}

export interface Voice {
  readonly print: (text: string) => void;
  readonly complain: (text: string) => void;
}

/** Each part is opened once, when it is first asked for. */
export const openTools = (given: Given, environment: Environment, voice: Voice): OpenedTools => {
  const database: Database = openPlatformDatabase(databaseOf(given, environment), voice.complain);
  let opened: Promise<Broker> | undefined;
  const open = async (connection: ServiceBusConnection): Promise<Broker> => {
    const ca = await certificateOf(given, connection);
    return { connection, administration: await openAdministration(connection, { ca }) };
  };
  const broker = async (): Promise<Broker> => (opened ??= open(brokerOf(given, environment)));
  const isSet =
    textOf(given, "broker") !== undefined ||
    (environment["ServiceBus"] ?? "") !== "" ||
    (environment["ServiceBus__fullyQualifiedNamespace"] ?? "") !== "";
  return {
    database,
    broker,
    brokerIfSet: async () => (isSet ? broker() : undefined),
    azure: async () => azureOf(environment, (await broker()).connection),
    documents: () => readDocumentsConnection(environment),
    // Beside what is printed, so that --json stays one object.
    tell: voice.complain,
    close: () => database.close(),
  };
};
