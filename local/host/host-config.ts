/** What host.json and local.settings.json say, read once at the start. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { errorCode, StartError } from "../start-error.js";
import type { LogLevel } from "./core-types.js";
import type { LogLevels } from "./log.js";
import { parseTimeSpanMs } from "./time-span.js";

const timeSpan = z.string().transform((text, context) => {
  const ms = parseTimeSpanMs(text);
  if (ms === undefined) {
    context.addIssue({ code: "custom", message: `"${text}" is not a time span like 00:05:00` });
    return z.NEVER;
  }
  return ms;
});

const logLevel = z
  .string()
  .transform((text) => text.toLowerCase())
  .pipe(
    z.enum(["trace", "debug", "information", "warning", "error", "critical", "none"]),
  ) satisfies z.ZodType<LogLevel>;

const serviceBusSection = z.object({
  autoCompleteMessages: z.boolean().default(true),
  maxAutoLockRenewalDuration: timeSpan.default(5 * 60_000),
  maxConcurrentCalls: z.int().positive().default(16),
  maxConcurrentSessions: z.int().positive().default(8),
  maxMessageBatchSize: z.int().positive().default(1000),
  maxBatchWaitTime: timeSpan.default(30_000),
  sessionIdleTimeout: timeSpan.default(60_000),
});

const hostJson = z.object({
  version: z.literal("2.0").default("2.0"),
  functionTimeout: z
    .union([z.literal("-1").transform(() => Number.POSITIVE_INFINITY), timeSpan])
    .default(30 * 60_000),
  logging: z.object({ logLevel: z.record(z.string(), logLevel).default({}) }).prefault({}),
  extensions: z
    .object({
      http: z.object({ routePrefix: z.string().default("api") }).prefault({}),
      serviceBus: serviceBusSection.prefault({}),
      durableTask: z.object({ hubName: z.string().optional() }).prefault({}),
    })
    .prefault({}),
});

const localSettings = z.object({ Values: z.record(z.string(), z.string()).default({}) });

export type ServiceBusConfig = z.output<typeof serviceBusSection>;

export interface HostConfig {
  readonly routePrefix: string;
  readonly functionTimeoutMs: number;
  readonly logLevels: LogLevels;
  readonly serviceBus: ServiceBusConfig;
  readonly hubName: string;
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

const parseFile = async <T>(schema: z.ZodType<T>, file: string): Promise<T> => {
  const parsed = schema.safeParse(await readJson(file));
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
  const [host, local] = await Promise.all([
    parseFile(hostJson, join(appDirectory, "host.json")),
    parseFile(localSettings, join(appDirectory, "local.settings.json")),
  ]);
  const settings = { ...local.Values, ...definedEnvironment(), ...given };
  const hubName = expandSettings(host.extensions.durableTask.hubName ?? "TestHubName", settings);
  return {
    routePrefix: host.extensions.http.routePrefix.replace(/^\/+|\/+$/g, ""),
    functionTimeoutMs: host.functionTimeout,
    logLevels: host.logging.logLevel,
    serviceBus: host.extensions.serviceBus,
    hubName,
    settings,
  };
};

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
