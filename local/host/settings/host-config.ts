/** What host.json and local.settings.json say, read once at the start. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { errorCode, StartError } from "../../start-error.js";
import { hostJson, withOverrides, type DurableConfig, type ServiceBusConfig } from "./host-json.js";
import type { LogLevels } from "../app/log.js";

const localSettings = z.object({ Values: z.record(z.string(), z.string()).default({}) });

export interface HostConfig {
  readonly routePrefix: string;
  /** On every answer that does not have them from its function; names in lower case. */
  readonly customHeaders: Readonly<Record<string, string>>;
  readonly functionTimeoutMs: number;
  readonly logLevels: LogLevels;
  readonly serviceBus: ServiceBusConfig;
  readonly hubName: string;
  readonly durable: DurableConfig;
  /** Application settings: local.settings.json, overridden by what the caller and the environment say. */
  readonly settings: Readonly<Record<string, string>>;
}

const readJson = async (file: string): Promise<unknown> => {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return {};
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError(`${file} is not valid JSON: ${reason}.`);
  }
};

const parse = <T>(schema: z.ZodType<T>, file: string, json: unknown): T => {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = issue?.path.join(".") ?? "";
  throw new StartError(`${file} is not valid at ${at}: ${issue?.message ?? "unknown"}.`);
};

const definedEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );

/** The caller's settings win over the environment, which wins over local.settings.json, as in Core Tools. */
export const readHostConfig = async (
  appDirectory: string,
  given: Readonly<Record<string, string>>,
): Promise<HostConfig> => {
  const hostFile = join(appDirectory, "host.json");
  const settingsFile = join(appDirectory, "local.settings.json");
  const local = parse(localSettings, settingsFile, await readJson(settingsFile));
  const settings = { ...local.Values, ...definedEnvironment(), ...given };
  const host = parse(hostJson, hostFile, withOverrides(await readJson(hostFile), settings));
  const { hubName: hub = "TestHubName", defaultVersion } = host.extensions.durableTask;
  return {
    routePrefix: host.extensions.http.routePrefix.replace(/^\/+|\/+$/g, ""),
    customHeaders: host.extensions.http.customHeaders,
    functionTimeoutMs: host.functionTimeout,
    logLevels: host.logging.logLevel,
    serviceBus: host.extensions.serviceBus,
    hubName: expandSettings(hub, settings),
    durable: {
      ...host.extensions.durableTask,
      defaultVersion: expandDefined(defaultVersion, settings),
    },
    settings,
  };
};

const expandDefined = (
  text: string | undefined,
  settings: Readonly<Record<string, string>>,
): string | undefined => (text === undefined ? undefined : expandSettings(text, settings));

/** Replaces each `%Name%` by the application setting of that name. */
export const expandSettings = (text: string, settings: Readonly<Record<string, string>>): string =>
  text.replace(/%([^%]+)%/g, (_whole, name: string) => {
    const value = settings[name];
    if (value === undefined)
      throw new StartError(
        `The application setting "${name}", named by "${text}", does not exist.`,
      );
    return value;
  });
