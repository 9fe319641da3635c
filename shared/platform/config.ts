/** The application's settings: one schema, read once in functions/main.ts. */
import type { z } from "zod";
import { cardConfigOf, type CardConfig } from "./settings/card-settings.js";
import { documentsConnectionOf, type DocumentsConnection } from "./settings/document-settings.js";
import { retentionOf, type Retention } from "./settings/retention-settings.js";
import type { LogLevel } from "./logger.js";
import {
  collecting,
  misspeltSettings,
  readSettings,
  SettingsError,
  soundSettings,
  wrong,
  type Environment,
} from "./settings/reading.js";
import { settingsSchema, type Settings } from "./settings/settings-schema.js";
import { walletConfigOf, type WalletConfig } from "./settings/wallet-settings.js";

export type PlatformEnvironment = Settings["PLATFORM_ENVIRONMENT"];

const databaseSettings = settingsSchema.pick({
  DATABASE_URL: true,
  DATABASE_HOST: true,
  DATABASE_NAME: true,
  DATABASE_USER: true,
  DATABASE_AUTH: true,
});
const serviceBusSettings = settingsSchema.pick({
  ServiceBus: true,
  ServiceBus__fullyQualifiedNamespace: true,
});

export type DatabaseConnection =
  | { readonly kind: "url"; readonly url: string }
  | {
      readonly kind: "entra";
      readonly host: string;
      readonly database: string;
      readonly user: string;
    };

export type ServiceBusConnection =
  | { readonly kind: "connectionString"; readonly connectionString: string }
  | { readonly kind: "identity"; readonly fullyQualifiedNamespace: string };

export interface IdentityConfig {
  readonly issuer: string;
  readonly audience: string;
  /** Where the verification keys are: null is the sandbox's own key, held in the database. */
  readonly jwksUrl: string | null;
  /** What tokens must have as `tid`; null: the issuer's name is enough. */
  readonly tenant: string | null;
}

export interface Config {
  readonly environment: PlatformEnvironment;
  readonly database: DatabaseConnection;
  readonly serviceBus: ServiceBusConnection;
  readonly identity: IdentityConfig;
  /** The host's address to set its clock by; null where the engine has no such clock. */
  readonly sandboxClockUrl: string | null;
  /** Whether the sandbox bank answers what is asked of the bank; otherwise somebody else does. */
  readonly sandboxBank: boolean;
  /** The folder that is shared with the bank; null: the bank is talked to by queues alone. */
  readonly bankFolder: string | null;
  /** So long without an answer of the bank counts as a failure. */
  readonly bankSilenceSeconds: number;
  readonly logLevel: LogLevel;
  /** `json` for programs, `text` for people at a terminal. */
  readonly logFormat: "json" | "text";
  readonly faultPoints: ReadonlyMap<string, number>;
  readonly documents: DocumentsConnection;
  readonly retention: Retention;
  readonly wallet: WalletConfig;
  readonly card: CardConfig;
  /** What partners' settings name: the keys by which affiliates are asked, under their names. */
  readonly affiliateSecrets: ReadonlyMap<string, string>;
}

const databaseOf = (settings: z.output<typeof databaseSettings>): DatabaseConnection => {
  const { DATABASE_URL: url, DATABASE_HOST: host, DATABASE_USER: user } = settings;
  if (url !== undefined) return { kind: "url", url };
  if (host === undefined)
    throw wrong(
      ["DATABASE_URL", "DATABASE_HOST"],
      "The setting DATABASE_URL is missing: set it, or DATABASE_HOST with DATABASE_AUTH=entra.",
    );
  if (settings.DATABASE_AUTH === undefined)
    throw wrong(["DATABASE_AUTH"], "DATABASE_HOST needs the setting DATABASE_AUTH=entra.");
  if (user === undefined)
    throw wrong(
      ["DATABASE_USER"],
      "DATABASE_HOST needs the setting DATABASE_USER: the database role of the app's identity.",
    );
  return { kind: "entra", host, database: settings.DATABASE_NAME, user };
};

const serviceBusOf = (settings: z.output<typeof serviceBusSettings>): ServiceBusConnection => {
  const connectionString = settings.ServiceBus;
  if (connectionString !== undefined) return { kind: "connectionString", connectionString };
  const fullyQualifiedNamespace = settings.ServiceBus__fullyQualifiedNamespace;
  if (fullyQualifiedNamespace !== undefined) return { kind: "identity", fullyQualifiedNamespace };
  throw wrong(
    ["ServiceBus", "ServiceBus__fullyQualifiedNamespace"],
    "The setting ServiceBus is missing: set the connection string, or ServiceBus__fullyQualifiedNamespace.",
  );
};

export const sandboxAudience = "api://borsello";
/** The one directory of the sandbox's identity provider. */
export const sandboxTenant = "local";

const identityOf = (settings: Settings): IdentityConfig => {
  const { IDENTITY_ISSUER: issuer, IDENTITY_AUDIENCE: audience } = settings;
  const { IDENTITY_JWKS_URL: jwksUrl, IDENTITY_TENANT: tenant = null } = settings;
  const isProduction = settings.PLATFORM_ENVIRONMENT === "production";
  if (issuer !== undefined && audience !== undefined && jwksUrl !== undefined) {
    if (isProduction && !jwksUrl.startsWith("https:"))
      throw wrong(
        ["IDENTITY_JWKS_URL"],
        "The setting IDENTITY_JWKS_URL must begin with https:// in production:" +
          " whoever is on the way could put keys of their own among those that come by http.",
      );
    return { issuer, audience, jwksUrl, tenant };
  }
  const allAbsent =
    issuer === undefined && audience === undefined && jwksUrl === undefined && tenant === null;
  if (!isProduction && allAbsent)
    return {
      issuer: `http://${settings.WEBSITE_HOSTNAME}/sandbox/identity/${sandboxTenant}`,
      audience: sandboxAudience,
      jwksUrl: null,
      tenant: sandboxTenant,
    };
  throw wrong(
    ["IDENTITY_ISSUER", "IDENTITY_AUDIENCE", "IDENTITY_JWKS_URL"],
    "The settings IDENTITY_ISSUER, IDENTITY_AUDIENCE and IDENTITY_JWKS_URL must all be set" +
      " (outside production all may be absent: the sandbox's own identity is used).",
  );
};

const walletOf = (settings: Settings): WalletConfig => {
  const wallet = walletConfigOf(settings, settings.PLATFORM_ENVIRONMENT === "production");
  if (wallet !== undefined) return wallet;
  throw wrong(
    ["SEAL_CERTIFICATE_P12"],
    "The setting SEAL_CERTIFICATE_P12 is missing: set the seal's PKCS #12 file, in base64.",
  );
};

const bankFolderOf = ({ BANK_CHANNEL: channel, BANK_FILES: folder }: Settings): string | null => {
  if (channel === "queues") return null;
  if (folder !== undefined) return folder;
  throw wrong(
    ["BANK_FILES"],
    "BANK_CHANNEL=files needs the setting BANK_FILES: the folder that is shared with the bank.",
  );
};

const daySeconds = 86_400;

/** Banks answer files on their working days; four days without one is the longest run, at Easter. */
const silenceSecondsOf = (settings: Settings): number => {
  if (settings.BANK_CHANNEL === "files") return 5 * daySeconds;
  return settings.SANDBOX_CLOCK_URL === undefined ? 3_600 : 10;
};

const documentsOf = (settings: Settings): DocumentsConnection => {
  const connection = documentsConnectionOf(settings);
  if (connection !== undefined) return connection;
  throw wrong(
    ["DOCUMENTS_BLOB_ACCOUNT_URL"],
    "DOCUMENTS_STORAGE=blob needs the setting DOCUMENTS_BLOB_ACCOUNT_URL:" +
      " the storage account's address, such as https://account.blob.core.windows.net.",
  );
};

const affiliateSecretPrefix = "AFFILIATE_SECRET_";

const affiliateSecretsOf = (environment: Environment): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(environment).flatMap(([name, value = ""]): [string, string][] =>
      name.startsWith(affiliateSecretPrefix) && value !== "" ? [[name, value]] : [],
    ),
  );

/** For tools beside the app, which need nothing else of it; throws a sentence where it is missing. */
export const readDatabaseConnection = (environment: Environment): DatabaseConnection =>
  databaseOf(readSettings(databaseSettings, environment));

/** The same of the broker. */
export const readServiceBusConnection = (environment: Environment): ServiceBusConnection =>
  serviceBusOf(readSettings(serviceBusSettings, environment));

const checkFaultPoints = (settings: Settings): void => {
  if (settings.FAULT_POINTS !== undefined && settings.PLATFORM_ENVIRONMENT === "production")
    throw wrong(["FAULT_POINTS"], "The setting FAULT_POINTS must not be set in production.");
};

/** Reads all settings; throws sentences that name each one that is missing or wrong. */
export const readConfig = (environment: Environment): Config => {
  const { faults, read } = collecting();
  const settings =
    read(() => readSettings(settingsSchema, environment)) ?? soundSettings(environment);
  const isProduction = settings.PLATFORM_ENVIRONMENT === "production";
  const database = read(() => databaseOf(settings));
  const serviceBus = read(() => serviceBusOf(settings));
  const identity = read(() => identityOf(settings));
  const bankFolder = read(() => bankFolderOf(settings));
  const documents = read(() => documentsOf(settings));
  const wallet = read(() => walletOf(settings));
  read(() => {
    checkFaultPoints(settings);
  });
  if (
    faults.length > 0 ||
    database === undefined ||
    serviceBus === undefined ||
    identity === undefined ||
    bankFolder === undefined ||
    documents === undefined ||
    wallet === undefined
  )
    throw new SettingsError(faults, ...misspeltSettings(environment));
  return {
    environment: settings.PLATFORM_ENVIRONMENT,
    database,
    serviceBus,
    identity,
    sandboxClockUrl: settings.SANDBOX_CLOCK_URL ?? null,
    sandboxBank: settings.SANDBOX_BANK === "on",
    bankFolder,
    bankSilenceSeconds: silenceSecondsOf(settings),
    logLevel: settings.LOG_LEVEL,
    logFormat: settings.LOG_FORMAT,
    faultPoints: settings.FAULT_POINTS ?? new Map<string, number>(),
    documents,
    retention: retentionOf(settings),
    wallet,
    card: cardConfigOf(settings, isProduction),
    affiliateSecrets: affiliateSecretsOf(environment),
  };
};
