/** What host.json may say, as far as this host acts on it, and the settings that override it. */
import { z } from "zod";
import type { LogLevel } from "../app/core-types.js";
import { parseTimeSpanMs } from "./time-span.js";

const timeSpan = z.string().transform((text, context) => {
  const ms = parseTimeSpanMs(text);
  if (ms === undefined) {
    context.addIssue({ code: "custom", message: `"${text}" is not a time span like 00:05:00` });
    return z.NEVER;
  }
  return ms;
});

/** Settings are texts, and so are numbers and flags that come from one. */
const fromText = (value: unknown): unknown =>
  typeof value === "string" && /^(?:\d+|true|false)$/i.test(value)
    ? JSON.parse(value.toLowerCase())
    : value;
const count = z.preprocess(fromText, z.int().positive());
const flag = z.preprocess(fromText, z.boolean());

/** One of these words, however it is written; the host does not look at the case either. */
const anyCase = <const Word extends string>(...words: Word[]): z.ZodType<Word> =>
  z.string().transform((text, context) => {
    const word = words.find((known) => known.toLowerCase() === text.toLowerCase());
    if (word !== undefined) return word;
    context.addIssue({ code: "custom", message: `"${text}" is none of ${words.join(", ")}` });
    return z.NEVER;
  });

const logLevel = z
  .string()
  .transform((text) => text.toLowerCase())
  .pipe(
    z.enum(["trace", "debug", "information", "warning", "error", "critical", "none"]),
  ) satisfies z.ZodType<LogLevel>;

const serviceBusSection = z.object({
  autoCompleteMessages: flag.default(true),
  maxAutoLockRenewalDuration: timeSpan.default(5 * 60_000),
  maxConcurrentCalls: count.default(16),
  maxConcurrentSessions: count.default(8),
  maxMessageBatchSize: count.default(1000),
  maxBatchWaitTime: timeSpan.default(30_000),
  sessionIdleTimeout: timeSpan.default(60_000),
});

/** Storage, tracing and notifications are the extension's own affairs: here they mean nothing. */
const durableSection = z.object({
  hubName: z.string().optional(),
  defaultVersion: z.string().optional(),
  versionMatchStrategy: anyCase("None", "Strict", "CurrentOrOlder").default("CurrentOrOlder"),
  versionFailureStrategy: anyCase("Reject", "Fail").default("Reject"),
  maxConcurrentActivityFunctions: count.optional(),
  maxConcurrentOrchestratorFunctions: count.optional(),
  maxConcurrentEntityFunctions: count.optional(),
  maxEntityOperationBatchSize: count.optional(),
  extendedSessionsEnabled: flag.optional(),
  overridableExistingInstanceStates: anyCase("NonRunningStates", "AnyState").default(
    "NonRunningStates",
  ),
});

const headerName = z
  .string()
  .regex(/^[\w!#$%&'*+.^`|~-]+$/)
  .toLowerCase();
const headerValue = z.string().regex(/^[\x20-\x7e]*$/);

export const hostJson = z.object({
  version: z.literal("2.0").default("2.0"),
  functionTimeout: z
    .union([z.literal("-1").transform(() => Number.POSITIVE_INFINITY), timeSpan])
    .default(30 * 60_000),
  logging: z.object({ logLevel: z.record(z.string(), logLevel).default({}) }).prefault({}),
  extensions: z
    .object({
      http: z
        .object({
          routePrefix: z.string().default("api"),
          customHeaders: z.record(headerName, headerValue).default({}),
        })
        .prefault({}),
      serviceBus: serviceBusSection.prefault({}),
      durableTask: durableSection.prefault({}),
    })
    .prefault({}),
});

export type DurableConfig = z.output<typeof durableSection>;
export type ServiceBusConfig = z.output<typeof serviceBusSection>;

const prefix = /^AzureFunctionsJobHost(?:__|:)/i;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const put = (target: Record<string, unknown>, path: readonly string[], value: string): void => {
  const [name = "", ...rest] = path;
  const key = Object.keys(target).find((known) => known.toLowerCase() === name.toLowerCase());
  if (rest.length === 0) {
    target[key ?? name] = value;
    return;
  }
  const known = target[key ?? name];
  const inner = isObject(known) ? known : {};
  target[key ?? name] = inner;
  put(inner, rest, value);
};

/** A setting like AzureFunctionsJobHost__extensions__http__routePrefix wins over host.json. */
export const withOverrides = (
  json: unknown,
  settings: Readonly<Record<string, string>>,
): unknown => {
  if (!isObject(json)) return json;
  const merged = structuredClone(json);
  for (const [name, value] of Object.entries(settings))
    if (prefix.test(name)) put(merged, name.replace(prefix, "").split(/__|:/), value);
  return merged;
};
