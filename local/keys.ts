/** The keys of the local parts: everybody knows the usual ones, which is why production must choose its own. */
import { StartError } from "./start-error.js";
import type { Settings } from "./stack-settings.js";

export const usualKeys = {
  LOCAL_FUNCTION_KEY: "local-function-key",
  LOCAL_MASTER_KEY: "local-master-key",
  LOCAL_DURABLE_KEY: "local-key",
  /** The one of the emulator's connection strings. */
  LOCAL_BROKER_KEY: "SAS_KEY_VALUE",
} as const;

export type KeyName = keyof typeof usualKeys;

export const hostKeyNames = [
  "LOCAL_FUNCTION_KEY",
  "LOCAL_MASTER_KEY",
  "LOCAL_DURABLE_KEY",
] as const satisfies readonly KeyName[];

const keyCharactersMin = 32;
/** Nothing that a connection string, an address or a header would end at. */
const soundKey = new RegExp(`^[\\w.~+/=-]{${keyCharactersMin},256}$`);

export const isProduction = ({ PLATFORM_ENVIRONMENT: environment }: Settings): boolean =>
  environment === "production";

export const keyNamed = (settings: Settings, name: KeyName): string =>
  settings[name] ?? usualKeys[name];

/** Refuses a start in production whose keys anybody could know or guess. */
export const checkKeys = (settings: Settings, names: readonly KeyName[]): void => {
  if (!isProduction(settings)) return;
  const missing = names.filter((name) => !soundKey.test(settings[name] ?? ""));
  if (missing.length === 0) return;
  throw new StartError(
    "With PLATFORM_ENVIRONMENT=production the local start does not take the keys that everybody knows: " +
      `set ${missing.join(", ")} to random texts of ${keyCharactersMin} to 256 letters, digits and any of ._~+/=- each.`,
  );
};
