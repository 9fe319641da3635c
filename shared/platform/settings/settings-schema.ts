/** Every setting that the app reads, and what its value looks like. */
import { z } from "zod";
import { cardSettings } from "./card-settings.js";
import { documentSettings } from "./document-settings.js";
import { retentionSettings } from "./retention-settings.js";
import { settingShapes } from "./setting-shapes.js";
import { walletSettings } from "./wallet-settings.js";

const environments = ["development", "testing", "production"] as const;

const faultPointList = z
  .string()
  .regex(/^[\w.-]+:[1-9]\d*(,[\w.-]+:[1-9]\d*)*$/)
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
  PLATFORM_ENVIRONMENT: z
    .enum(environments)
    .register(settingShapes, { shape: "development, testing or production" }),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .register(settingShapes, { shape: "postgres://user:password@host:5432/name", isSecret: true }),
  DATABASE_HOST: z.string().min(1).optional().register(settingShapes, { shape: "a host name" }),
  DATABASE_NAME: z
    .string()
    .min(1)
    .default("borsello")
    .register(settingShapes, { shape: "the name of a database" }),
  DATABASE_USER: z
    .string()
    .min(1)
    .optional()
    .register(settingShapes, { shape: "the name of a database role" }),
  DATABASE_AUTH: z.literal("entra").optional().register(settingShapes, { shape: "entra" }),
  ServiceBus: z
    .string()
    .regex(/^Endpoint=sb:\/\//)
    .optional()
    .register(settingShapes, {
      shape: "a connection string that begins with Endpoint=sb://",
      isSecret: true,
    }),
  ServiceBus__fullyQualifiedNamespace: z
    .string()
    .min(1)
    .optional()
    .register(settingShapes, { shape: "a host name such as name.servicebus.windows.net" }),
  IDENTITY_ISSUER: z
    .string()
    .min(1)
    .optional()
    .register(settingShapes, { shape: "the text that tokens have as iss" }),
  IDENTITY_AUDIENCE: z
    .string()
    .min(1)
    .optional()
    .register(settingShapes, { shape: "the text that tokens have as aud" }),
  IDENTITY_JWKS_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .register(settingShapes, { shape: "an http or https address" }),
  IDENTITY_TENANT: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .register(settingShapes, { shape: "a text of at most 255 characters" }),
  AzureWebJobsStorage: z
    .string()
    .optional()
    .register(settingShapes, { shape: "a connection string", isSecret: true }),
  WEBSITE_HOSTNAME: z
    .string()
    .min(1)
    .default("localhost:7071")
    .register(settingShapes, { shape: "a host name, with its port where it has one" }),
  SANDBOX_CLOCK_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .register(settingShapes, { shape: "an http or https address" }),
  LOG_LEVEL: z
    .enum(["debug", "info", "warn", "error"])
    .default("info")
    .register(settingShapes, { shape: "debug, info, warn or error" }),
  LOG_FORMAT: z
    .enum(["json", "text"])
    .default("json")
    .register(settingShapes, { shape: "json or text" }),
  FAULT_POINTS: faultPointList
    .optional()
    .register(settingShapes, { shape: "a list such as relay.afterSend:3,other.point:1" }),
  SANDBOX_BANK: z.enum(["on", "off"]).default("on").register(settingShapes, { shape: "on or off" }),
  BANK_CHANNEL: z
    .enum(["queues", "files"])
    .default("queues")
    .register(settingShapes, { shape: "queues or files" }),
  BANK_FILES: z.string().min(1).optional().register(settingShapes, { shape: "a folder" }),
  ...documentSettings,
  ...retentionSettings,
  ...walletSettings,
  ...cardSettings,
});
export type Settings = z.output<typeof settingsSchema>;
