/** Opens what commands work with, from options and from the settings that the app has. */
import { openDatabase, type Database } from "../../shared/database/platform/database.js";
import { namespaceHost, openAdministration } from "../../shared/events/broker-administration.js";
import {
  readDatabaseConnection,
  type DatabaseConnection,
  type ServiceBusConnection,
} from "../../shared/platform/config.js";
import { SettingsError, type Environment } from "../../shared/platform/settings/reading.js";
import { readDocumentsConnection } from "../../shared/platform/settings/document-settings.js";
import { createLogger } from "../../shared/platform/logger.js";
import { brokerHelp, brokerOf, brokerOptions, certificateOf } from "../kit/broker-place.js";
import { textOf, type Given, type Voice } from "../kit/command-line.js";
import type { Azure, Broker, Tools } from "./command.js";

/** Of every command. */
export const placeOptions = {
  database: { type: "string" },
  ...brokerOptions,
  json: { type: "boolean" },
  help: { type: "boolean" },
} as const;

export const placeHelp = [
  "--database URL       the platform's database; else the settings DATABASE_URL, or DATABASE_HOST and the rest",
  ...brokerHelp,
  "--json               what was done as one JSON object, for programs",
];

const databaseOf = (given: Given, environment: Environment): DatabaseConnection => {
  const url = textOf(given, "database");
  return readDatabaseConnection(url === undefined ? environment : { DATABASE_URL: url });
};

/** Where the namespace is: what its own address does not tell. */
const azureOf = async (
  environment: Environment,
  connection: ServiceBusConnection,
): Promise<Azure> => {
  const { AZURE_SUBSCRIPTION_ID: subscriptionId, AZURE_RESOURCE_GROUP: resourceGroup } =
    environment;
  if (subscriptionId === undefined || resourceGroup === undefined)
    throw new SettingsError([
      {
        names: ["AZURE_SUBSCRIPTION_ID", "AZURE_RESOURCE_GROUP"],
        sentence:
          "The settings AZURE_SUBSCRIPTION_ID and AZURE_RESOURCE_GROUP must say where the namespace is: " +
          "the partner's client gets a role on its subscription there.",
      },
    ]);
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

/** Waits so long; tests have no need to. */
export type Pause = Tools["pause"];

/** Each part is opened once, when it is first asked for. */
export const openTools = (
  given: Given,
  environment: Environment,
  voice: Voice,
  pause: Pause,
): OpenedTools => {
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
    pause,
    close: () => database.close(),
  };
};
