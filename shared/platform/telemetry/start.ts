/** Turns traces and metrics on where the settings ask for them; says so in a sentence where that cannot be. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../logger.js";
import { meterBy } from "./meters.js";
import type { Exporters, OpenTelemetry } from "./open-telemetry.js";
import { recordBy } from "./tracing.js";

type Environment = Readonly<Record<string, string | undefined>>;

const sdkPackage = "@opentelemetry/sdk-node";
const azurePackage = "@azure/monitor-opentelemetry-exporter";
/** The last that is for Node 20. */
const azureVersion = "1.0.0-beta.42";
const azureSetting = "APPLICATIONINSIGHTS_CONNECTION_STRING";

/** Each of them says that somebody wants to hear, as OpenTelemetry's specification has them. */
const asking = [
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
  "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
  "OTEL_TRACES_EXPORTER",
  "OTEL_METRICS_EXPORTER",
] as const;

export type Destination = "otlp" | "azure" | "none";

const isSet = (value: string | undefined): value is string => value !== undefined && value !== "";

export const destinationOf = (environment: Environment): Destination => {
  if (environment["OTEL_SDK_DISABLED"]?.toLowerCase() === "true") return "none";
  if (asking.some((name) => isSet(environment[name]) && environment[name] !== "none"))
    return "otlp";
  return isSet(environment[azureSetting]) ? "azure" : "none";
};

/** The package is not among ours, so nothing is known of what it holds. */
const isExporterClass = (
  value: unknown,
): value is new (options: {
  readonly connectionString: string;
}) => Exporters["spans"] & Exporters["metrics"] => typeof value === "function";

const azureExporters = async (connectionString: string): Promise<Exporters> => {
  const loaded: unknown = await import(azurePackage);
  const { AzureMonitorTraceExporter: Spans, AzureMonitorMetricExporter: Metrics } =
    typeof loaded === "object" && loaded !== null
      ? (loaded as Readonly<Record<string, unknown>>)
      : {};
  if (!isExporterClass(Spans) || !isExporterClass(Metrics))
    throw new Error(`${azurePackage} has other names than expected.`);
  return { spans: new Spans({ connectionString }), metrics: new Metrics({ connectionString }) };
};

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";

/** The SDK's own, which reads the variable only for exporters of its own. */
const metricsLeaveMs = 60_000;

const open = async (destination: Destination, environment: Environment): Promise<OpenTelemetry> => {
  const { openTelemetry } = await import("./open-telemetry.js");
  const exporters =
    destination === "azure" ? await azureExporters(environment[azureSetting] ?? "") : undefined;
  const intervalMs = Number(environment["OTEL_METRIC_EXPORT_INTERVAL"]) || metricsLeaveMs;
  return openTelemetry(environment["OTEL_SERVICE_NAME"] ?? "borsello", exporters, intervalMs);
};

/** A host gives an app ten seconds to end, and what is closed before this takes some of them. */
const closingMs = 3_000;

/** A collector that stands still is waited for so long: its exporter would for longer. */
const inTime = async (closed: Promise<void>): Promise<void> => {
  const late = sleep(closingMs, undefined, { ref: false }).then(() => {
    throw new Error(`whoever gets them took longer than ${closingMs} ms`);
  });
  await Promise.race([closed, late]);
};

/** Resolves to what sends the rest at the end. What cannot be told about the platform must never stop it. */
export const startTelemetry = async (
  environment: Environment,
  logger: Logger,
): Promise<() => Promise<void>> => {
  const destination = destinationOf(environment);
  if (destination === "none") return async () => undefined;
  try {
    const { recorder, meters, close } = await open(destination, environment);
    recordBy(recorder);
    meterBy(meters);
    return () => inTime(close());
  } catch (error) {
    const packages =
      destination === "azure" ? `${sdkPackage} ${azurePackage}@${azureVersion}` : sdkPackage;
    if (isMissing(error))
      logger.warn(
        `Traces and metrics are asked for, but their packages are not installed: npm install --save-prod ${packages}`,
      );
    else logger.error("Traces and metrics could not be started.", { error });
    return async () => undefined;
  }
};
