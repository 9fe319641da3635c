/** The application's settings: one schema, read once in functions/main.ts. */
import { z } from "zod";
import {
  documentSettings,
  documentsConnectionOf,
  type DocumentsConnection,
} from "./document-settings.js";
import { retentionOf, retentionSettings, type Retention } from "./retention-settings.js";
import type { LogLevel } from "./logger.js";
import { walletConfigOf, walletSettings, type WalletConfig } from "./wallet-settings.js";

const environments = ["development", "testing", "production"] as const;
export type PlatformEnvironment = (typeof environments)[number];

const faultPointList = z
  .string()
  .regex(/^[\w.-]+:[1-9]\d*(,[\w.-]+:[1-9]\d*)*$/, "must look like relay.afterSend:3,other.point:1")
  .transform(
    (text) =>
      new Map(
        text.split(",").map((point): [string, number] => {
          const [name = "", hit = "1"] = point.split(":");
          return [name, Number(hit)];
        }),
      ),
  );

/** Every setting that the app reads, under the name that an administrator sets. */
export const settingsSchema = z.object({
  PLATFORM_ENVIRONMENT: z.enum(environments),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  DATABASE_HOST: z.string().min(1).optional(),
  DATABASE_NAME: z.string().min(1).default("borsello"),
  DATABASE_USER: z.string().min(1).optional(),
  DATABASE_AUTH: z.literal("entra").optional(),
  ServiceBus: z
    .string()
    .regex(/^Endpoint=sb:\/\//, "must start with Endpoint=sb://")
    .optional(),
  ServiceBus__fullyQualifiedNamespace: z.string().min(1).optional(),
  IDENTITY_ISSUER: z.string().min(1).optional(),
  IDENTITY_AUDIENCE: z.string().min(1).optional(),
  IDENTITY_JWKS_URL: z.url({ protocol: /^https?$/ }).optional(),
  IDENTITY_TENANT: z.string().min(1).max(255).optional(),
  AzureWebJobsStorage: z.string().optional(),
  WEBSITE_HOSTNAME: z.string().min(1).default("localhost:7071"),
  SANDBOX_CLOCK_URL: z.url({ protocol: /^https?$/ }).optional(),
  LOG_LEVEL: z.enum(["debug", "info", "warn", "error"]).default("info"),
  FAULT_POINTS: faultPointList.optional(),
  SANDBOX_BANK: z.enum(["on", "off"]).default("on"),
  BANK_CHANNEL: z.enum(["queues", "files"]).default("queues"),
  BANK_FILES: z.string().min(1).optional(),
  ...documentSettings,
  ...retentionSettings,
  ...walletSettings,
});
type Settings = z.output<typeof settingsSchema>;

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
  readonly faultPoints: ReadonlyMap<string, number>;
  readonly documents: DocumentsConnection;
  readonly retention: Retention;
  readonly wallet: WalletConfig;
}

/** A start with wrong settings: the message names each of them and says what to set. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

const databaseOf = (settings: z.output<typeof databaseSettings>): DatabaseConnection => {
  const { DATABASE_URL: url, DATABASE_HOST: host, DATABASE_USER: user } = settings;
  if (url !== undefined) return { kind: "url", url };
  if (host === undefined)
    throw new SettingsError(
      "The setting DATABASE_URL is missing: set it, or DATABASE_HOST with DATABASE_AUTH=entra.",
    );
  if (settings.DATABASE_AUTH === undefined)
    throw new SettingsError("DATABASE_HOST needs the setting DATABASE_AUTH=entra.");
  if (user === undefined)
    throw new SettingsError(
      "DATABASE_HOST needs the setting DATABASE_USER: the database role of the app's identity.",
    );
  return { kind: "entra", host, database: settings.DATABASE_NAME, user };
};

const serviceBusOf = (settings: z.output<typeof serviceBusSettings>): ServiceBusConnection => {
  const connectionString = settings.ServiceBus;
  if (connectionString !== undefined) return { kind: "connectionString", connectionString };
  const fullyQualifiedNamespace = settings.ServiceBus__fullyQualifiedNamespace;
  if (fullyQualifiedNamespace !== undefined) return { kind: "identity", fullyQualifiedNamespace };
  throw new SettingsError(
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
      throw new SettingsError(
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
  throw new SettingsError(
    "The settings IDENTITY_ISSUER, IDENTITY_AUDIENCE and IDENTITY_JWKS_URL must all be set" +
      " (outside production all may be absent: the sandbox's own identity is used).",
  );
};

const walletOf = (settings: Settings): WalletConfig => {
  const wallet = walletConfigOf(settings, settings.PLATFORM_ENVIRONMENT === "production");
  if (wallet !== undefined) return wallet;
  throw new SettingsError(
    "The setting SEAL_CERTIFICATE_P12 is missing: set the seal's PKCS #12 file, in base64.",
  );
};

const bankFolderOf = ({ BANK_CHANNEL: channel, BANK_FILES: folder }: Settings): string | null => {
  if (channel === "queues") return null;
  if (folder !== undefined) return folder;
  throw new SettingsError(
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
  throw new SettingsError(
    "DOCUMENTS_STORAGE=blob needs the setting DOCUMENTS_BLOB_ACCOUNT_URL:" +
      " the storage account's address, such as https://account.blob.core.windows.net.",
  );
};

const sentence = ({ path, message }: z.core.$ZodIssue): string => {
  const name = path.join(".");
  return `The setting ${name} is missing or wrong: ${message}.`;
};

export type Environment = Readonly<Record<string, string | undefined>>;

/** Empty settings count as absent, as the portal stores them. */
const readSettings = <Shape>(schema: z.ZodType<Shape>, environment: Environment): Shape => {
  const present = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ""),
  );
  const parsed = schema.safeParse(present);
  if (!parsed.success) throw new SettingsError(parsed.error.issues.map(sentence).join(" "));
  return parsed.data;
};

/** For tools beside the app, which need nothing else of it; throws a sentence where it is missing. */
export const readDatabaseConnection = (environment: Environment): DatabaseConnection =>
  databaseOf(readSettings(databaseSettings, environment));

/** The same of the broker. */
export const readServiceBusConnection = (environment: Environment): ServiceBusConnection =>
  serviceBusOf(readSettings(serviceBusSettings, environment));

/** Reads all settings; throws sentences that name each one that is missing or wrong. */
export const readConfig = (environment: Environment): Config => {
  const settings = readSettings(settingsSchema, environment);
  if (settings.FAULT_POINTS !== undefined && settings.PLATFORM_ENVIRONMENT === "production")
    throw new SettingsError("The setting FAULT_POINTS must not be set in production.");
  return {
    environment: settings.PLATFORM_ENVIRONMENT,
    database: databaseOf(settings),
    serviceBus: serviceBusOf(settings),
    identity: identityOf(settings),
    sandboxClockUrl: settings.SANDBOX_CLOCK_URL ?? null,
    sandboxBank: settings.SANDBOX_BANK === "on",
    bankFolder: bankFolderOf(settings),
    bankSilenceSeconds: silenceSecondsOf(settings),
    logLevel: settings.LOG_LEVEL,
    faultPoints: settings.FAULT_POINTS ?? new Map<string, number>(),
    documents: documentsOf(settings),
    retention: retentionOf(settings),
    wallet: walletOf(settings),
  };
};
