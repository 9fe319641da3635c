/** The settings: what satisfies the schema, and the sentence for each that does not. */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { z } from "zod";
import { readConfig, settingsSchema } from "../../../shared/platform/config.js";

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
