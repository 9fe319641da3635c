/** The settings: what satisfies the schema, and the sentence for each that does not. */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { z } from "zod";
import { readConfig } from "../../../shared/platform/config.js";
import { misspeltSettings } from "../../../shared/platform/settings/reading.js";
import { settingsSchema } from "../../../shared/platform/settings/settings-schema.js";

const sampleFile = z.object({ Values: z.record(z.string(), z.string()) });

const readSample = async (): Promise<Record<string, string>> =>
  sampleFile.parse(JSON.parse(await readFile("local.settings.sample.json", "utf8"))).Values;

const addresses = {
  DATABASE_URL: "postgres://user:password@127.0.0.1:5432/borsello",
  ServiceBus: "Endpoint=sb://127.0.0.1:5672;SharedAccessKeyName=a;SharedAccessKey=b;",
};
const minimal = { ...addresses, PLATFORM_ENVIRONMENT: "development" };
const production = { ...addresses, PLATFORM_ENVIRONMENT: "production" };
/** What production asks for beyond the identity. */
const seal = { SEAL_CERTIFICATE_P12: "MIIB" };
const identity = {
  IDENTITY_ISSUER: "https://login.example.com/tenant/v2.0",
  IDENTITY_AUDIENCE: "api://borsello",
  IDENTITY_JWKS_URL: "https://login.example.com/tenant/discovery/v2.0/keys",
};

test("the sample settings satisfy the schema once database and broker are filled in", async () => {
  const config = readConfig({ ...(await readSample()), ...addresses });
  expect(config.environment).toBe("development");
  expect(config.database).toEqual({ kind: "url", url: addresses.DATABASE_URL });
});

test("the sample names no setting that nothing reads", async () => {
  // Read by the host: the language of the app, where its local clock is, and what a body may weigh.
  const known = [
    "FUNCTIONS_WORKER_RUNTIME",
    "SANDBOX_CLOCK_QUERY",
    "FUNCTIONS_REQUEST_BODY_SIZE_LIMIT",
    ...Object.keys(settingsSchema.shape),
  ];
  expect(known).toEqual(expect.arrayContaining(Object.keys(await readSample())));
});

test("outside production the identity is the sandbox's own, at the host's address", () => {
  expect(readConfig({ ...minimal, WEBSITE_HOSTNAME: "127.0.0.1:7071" }).identity).toEqual({
    issuer: "http://127.0.0.1:7071/sandbox/identity/local",
    audience: "api://borsello",
    jwksUrl: null,
    tenant: "local",
  });
});

test("in production the identity provider must be named", () => {
  expect(() => readConfig(production)).toThrow("IDENTITY_ISSUER");
  const { jwksUrl } = readConfig({ ...production, ...seal, ...identity }).identity;
  expect(jwksUrl).toBe(identity.IDENTITY_JWKS_URL);
});

test("in production keys come by https alone, elsewhere by http, too", () => {
  const byHttp = { ...identity, IDENTITY_JWKS_URL: "http://login.example.com/keys" };
  expect(() => readConfig({ ...production, ...seal, ...byHttp })).toThrow(
    "The setting IDENTITY_JWKS_URL must begin with https:// in production",
  );
  expect(readConfig({ ...minimal, ...byHttp }).identity.jwksUrl).toBe(byHttp.IDENTITY_JWKS_URL);
});

test("the tenant of tokens is asked for where it is set", () => {
  const tenantOf = (change: object) => readConfig({ ...minimal, ...identity, ...change }).identity;
  expect(tenantOf({}).tenant).toBeNull();
  expect(tenantOf({ IDENTITY_TENANT: "a-tenant" }).tenant).toBe("a-tenant");
});

test("half an identity is refused in every environment", () => {
  const half = { ...minimal, IDENTITY_ISSUER: identity.IDENTITY_ISSUER };
  expect(() => readConfig(half)).toThrow("IDENTITY_JWKS_URL");
  expect(() => readConfig({ ...minimal, IDENTITY_TENANT: "a-tenant" })).toThrow("IDENTITY_ISSUER");
});

test.each([
  ["PLATFORM_ENVIRONMENT", undefined],
  ["PLATFORM_ENVIRONMENT", "staging"],
  ["DATABASE_URL", undefined],
  ["DATABASE_URL", "mysql://somewhere"],
  ["ServiceBus", ""],
  ["ServiceBus", "somewhere"],
  ["LOG_LEVEL", "loud"],
  ["FAULT_POINTS", "relay.afterSend"],
  ["SANDBOX_CLOCK_URL", "127.0.0.1"],
])("a wrong or missing %s (%s) stops the start with a sentence that names it", (name, value) => {
  expect(() => readConfig({ ...minimal, [name]: value })).toThrow(`The setting ${name}`);
});

test("an empty setting counts as not set", () => {
  expect(readConfig({ ...minimal, SANDBOX_CLOCK_URL: "" }).sandboxClockUrl).toBeNull();
});

test("the database can be reached by the app's identity instead of a password", () => {
  const entra = { DATABASE_URL: "", DATABASE_HOST: "db.example.com", DATABASE_AUTH: "entra" };
  expect(() => readConfig({ ...minimal, ...entra })).toThrow("DATABASE_USER");
  expect(readConfig({ ...minimal, ...entra, DATABASE_USER: "app" }).database).toEqual({
    kind: "entra",
    host: "db.example.com",
    database: "borsello",
    user: "app",
  });
});

test("the broker can be named by its namespace instead of a connection string", () => {
  const namespace = { ServiceBus: "", ServiceBus__fullyQualifiedNamespace: "bus.example.com" };
  expect(readConfig({ ...minimal, ...namespace }).serviceBus).toEqual({
    kind: "identity",
    fullyQualifiedNamespace: "bus.example.com",
  });
});

test("fault points are read as names with the hit that strikes, and never in production", () => {
  const faults = { FAULT_POINTS: "relay.afterSend:3,activity.done:1" };
  expect([...readConfig({ ...minimal, ...faults }).faultPoints]).toEqual([
    ["relay.afterSend", 3],
    ["activity.done", 1],
  ]);
  expect(() => readConfig({ ...production, ...seal, ...identity, ...faults })).toThrow(
    "FAULT_POINTS",
  );
});

test("documents lie in the database, or in a container that must be named", () => {
  const blob = { ...minimal, DOCUMENTS_STORAGE: "blob" };
  const accountUrl = "https://account.blob.core.windows.net";
  expect(readConfig(minimal).documents).toEqual({ kind: "database" });
  expect(() => readConfig(blob)).toThrow("DOCUMENTS_BLOB_ACCOUNT_URL");
  expect(readConfig({ ...blob, DOCUMENTS_BLOB_ACCOUNT_URL: accountUrl }).documents).toEqual({
    kind: "blob",
    account: { accountUrl },
    container: "documents",
  });
  const named = { ...blob, DOCUMENTS_BLOB_CONNECTION_STRING: "a=b", DOCUMENTS_BLOB_CONTAINER: "A" };
  expect(() => readConfig(named)).toThrow("DOCUMENTS_BLOB_CONTAINER");
});

const refusalOf = (environment: Record<string, string>): string => {
  try {
    readConfig(environment);
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
  return "";
};

test("all that is wrong is said at once, a line each: the setting, its value's shape, where it is documented", () => {
  const faults = {
    ...{ PLATFORM_ENVIRONMENT: "staging", LOG_LEVEL: "loud", RETENTION_RUN_DAYS: "0" },
    ...{ DATABASE_HOST: "db.example.com", BANK_CHANNEL: "files" },
  };
  expect(refusalOf(faults).split("\n")).toEqual([
    'The setting PLATFORM_ENVIRONMENT must be development, testing or production, not "staging". See docs/operating.md#platform_environment.',
    'The setting LOG_LEVEL must be debug, info, warn or error, not "loud". See docs/operating.md#log_level.',
    'The setting RETENTION_RUN_DAYS must be a whole number of days from 1 to 36500, not "0". See docs/operating.md#retention_run_days.',
    "DATABASE_HOST needs the setting DATABASE_AUTH=entra. See docs/operating.md#database_auth.",
    "The setting ServiceBus is missing: set the connection string, or ServiceBus__fullyQualifiedNamespace. See docs/operating.md#servicebus.",
    "BANK_CHANNEL=files needs the setting BANK_FILES: the folder that is shared with the bank. See docs/operating.md#bank_files.",
  ]);
});

test("a wrong setting is not said to be missing besides", () => {
  expect(refusalOf({ ...minimal, DATABASE_URL: "mysql://me:hidden@somewhere" })).toBe(
    "The setting DATABASE_URL must be postgres://user:password@host:5432/name. See docs/operating.md#database_url.",
  );
});

test.each([
  ["DATABASE_URL", "mysql://me:hidden@somewhere"],
  ["ServiceBus", "Endpoint=hidden"],
  ["SEAL_CERTIFICATE_P12", "hidden!"],
  ["CARD_PIN_KEY", "hidden"],
])("what may be a secret is never shown: %s", (name, value) => {
  expect(refusalOf({ ...minimal, [name]: value })).toMatch(new RegExp(`^The setting ${name} must`));
  expect(refusalOf({ ...minimal, [name]: value })).not.toContain("hidden");
});

test.each([
  ["DATABSE_URL", "DATABASE_URL"],
  ["database_url", "DATABASE_URL"],
  ["LOG_LEVLE", "LOG_LEVEL"],
  ["RETENTION_EVENTS_DAY", "RETENTION_EVENT_DAYS"],
  ["ServiceBuss", "ServiceBus"],
])("%s, which nothing reads, is hinted to be %s", (name, meant) => {
  expect(misspeltSettings({ [name]: "hidden" })).toEqual([
    `${name} is set, but nothing reads it: is ${meant} meant?`,
  ]);
  expect(misspeltSettings({ [name]: "hidden", [meant]: "set" })).toEqual([]);
  expect(refusalOf({ ...minimal, PLATFORM_ENVIRONMENT: "", [name]: "x" }).split("\n")).toHaveLength(
    meant in minimal ? 1 : 2,
  );
});

test("what a machine's environment has besides is none of ours", () => {
  const besides = ["PATH", "HOME", "LANG", "DATABASE", "LOG", "BANK", "AFFILIATE_SECRET_ACME", ""];
  expect(misspeltSettings(Object.fromEntries(besides.map((name) => [name, "x"])))).toEqual([]);
  expect(misspeltSettings({ DATABSE_URL: "" })).toEqual([]);
});
