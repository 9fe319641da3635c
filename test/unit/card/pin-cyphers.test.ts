/** PINs as cyphers: what the card processor's two forms accept, and the setting of its key. */
import { expect, test } from "vitest";
import {
  processorWithKey,
  processorWithoutKey,
} from "../../../shared/card-processor/card-processor.js";
import { makeCardKey, sandboxProcessor } from "../../../shared/card-processor/sandbox-processor.js";
import { readConfig } from "../../../shared/platform/config.js";
import { DependencyUnavailableError } from "../../../shared/platform/dependency-unavailable.js";
import { cypherOf } from "../../support/card/pin-cyphers.js";

const stored = await makeCardKey();
let loads = 0;
const sandbox = sandboxProcessor(async () => {
  loads += 1;
  return stored;
});
const key = await sandbox.pinKey();
const genuine = processorWithKey(key);
const otherKey = await sandboxProcessor(makeCardKey).pinKey();

test("the key is a public one of 2,048 bit for RSA-OAEP-256, loaded once", async () => {
  expect(key).toMatchObject({ kty: "RSA", use: "enc", alg: "RSA-OAEP-256" });
  expect(Buffer.from(key.n, "base64url")).toHaveLength(256);
  expect(key).not.toHaveProperty("d");
  await sandbox.pinKey();
  expect(loads).toBe(1);
});

test.each([
  ["4 digits", "1234", true],
  ["12 digits", "123456789012", true],
  ["3 digits", "123", false],
  ["13 digits", "1234567890123", false],
  ["letters", "12a4", false],
  ["nothing", "", false],
])("the sandbox opens a PIN of %s", async (_, pin, isAccepted) => {
  const cypher = cypherOf(pin, key);
  expect(await sandbox.acceptsPin(cypher)).toBe(isAccepted);
  expect(await genuine.acceptsPin(cypher)).toBe(true);
});

test("a cypher of another key or another hash is seen by whoever can open it", async () => {
  for (const cypher of [cypherOf("1234", otherKey), cypherOf("1234", key, "sha1")]) {
    expect(await sandbox.acceptsPin(cypher)).toBe(false);
    expect(await genuine.acceptsPin(cypher)).toBe(true);
  }
});

const sound = cypherOf("1234", key);
test.each([
  ["no Base64", "1234"],
  ["cut off", sound.slice(0, -4)],
  ["longer", sound + sound],
  ["Base64url", Buffer.from(sound, "base64").fill(0xfb).toString("base64url")],
  ["broken by a line", `${sound.slice(0, 64)}\n${sound.slice(64)}`],
])("a cypher that is %s is refused for its form by both", async (_, cypher) => {
  expect(await sandbox.acceptsPin(cypher)).toBe(false);
  expect(await genuine.acceptsPin(cypher)).toBe(false);
});

test("without a key nothing is published and nothing accepted", async () => {
  await expect(processorWithoutKey().pinKey()).rejects.toThrow(DependencyUnavailableError);
  await expect(processorWithoutKey().acceptsPin(sound)).rejects.toThrow(DependencyUnavailableError);
});

const settings = {
  PLATFORM_ENVIRONMENT: "development",
  DATABASE_URL: "postgres://127.0.0.1:5432/borsello",
  ServiceBus: "Endpoint=sb://127.0.0.1:5672",
};

test("the processor's key is set as a JWK", () => {
  const { kty, n, e, kid } = key;
  const { card } = readConfig({ ...settings, CARD_PIN_KEY: JSON.stringify({ kty, n, e, kid }) });
  expect(card.pinKey).toEqual(key);
  expect(readConfig(settings).card).toMatchObject({ hasSandboxProcessor: true, pinKey: null });
  expect(readConfig({ ...settings, SANDBOX_CARD_PROCESSOR: "off" }).card).toMatchObject({
    hasSandboxProcessor: false,
  });
});

test.each([
  ["no JSON", "key"],
  ["a private key", JSON.stringify({ ...stored, kid: "1" })],
  ["a short key", JSON.stringify({ ...key, n: key.n.slice(0, 100) })],
  ["a key without a name", JSON.stringify({ ...key, kid: undefined })],
])("%s is refused with a sentence that repeats nothing of it", (_, text) => {
  const read = () => readConfig({ ...settings, CARD_PIN_KEY: text });
  expect(read).toThrow(/CARD_PIN_KEY .* a public RSA key of 2,048 to 8,192 bit/);
  expect(read).not.toThrow(key.n.slice(0, 40));
});
