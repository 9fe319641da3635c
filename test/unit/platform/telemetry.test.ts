/** Whether traces and metrics are on, what is loaded for it, and what becomes of callers' traces where they are off. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { destinationOf } from "../../../shared/platform/telemetry/start.js";
import {
  incomingParent,
  soundTraceParent,
} from "../../../shared/platform/telemetry/trace-context.js";
import { tracing } from "../../../shared/platform/telemetry/tracing.js";

const Sample = z.object({ Values: z.record(z.string(), z.string()) });
const filledIn = {
  DATABASE_URL: "postgres://user:password@127.0.0.1:1/borsello",
  ServiceBus: "Endpoint=sb://127.0.0.1:1;SharedAccessKeyName=a;SharedAccessKey=b;",
};

const startWith = async (settings: Readonly<Record<string, string>>) => {
  const sample = await readFile("local.settings.sample.json", "utf8");
  const { Values } = Sample.parse(JSON.parse(sample));
  const script = "test/support/platform/loaded-packages.mjs";
  const env = { ...process.env, ...Values, ...filledIn, ...settings };
  const { stdout } = await promisify(execFile)(process.execPath, [script], { env });
  const packages = z.array(z.string()).parse(JSON.parse(stdout.trim().split("\n").at(-1) ?? ""));
  return { stdout, packages };
};

describe("a start", () => {
  test("loads nothing of OpenTelemetry's SDK where nobody asks for it", async () => {
    // The interface alone comes with the durable library.
    expect((await startWith({})).packages).toEqual(["@opentelemetry/api"]);
    const disabled = {
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
      OTEL_SDK_DISABLED: "true",
    };
    expect((await startWith(disabled)).packages).toEqual(["@opentelemetry/api"]);
  });

  test("loads it where an endpoint is set", async () => {
    const { packages } = await startWith({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" });
    expect(packages).toContain("@opentelemetry/sdk-node");
  });

  test("goes on without a package that is missing, and says what to install", async () => {
    const { stdout } = await startWith({
      APPLICATIONINSIGHTS_CONNECTION_STRING:
        "InstrumentationKey=00000000-0000-0000-0000-000000000000",
    });
    expect(stdout).toContain(
      "npm install --save-prod @opentelemetry/sdk-node @azure/monitor-opentelemetry-exporter@1.0.0-beta.42",
    );
  });
});

test.each([
  [{}, "none"],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "" }, "none"],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" }, "otlp"],
  [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "http://collector:4318" }, "otlp"],
  [{ OTEL_TRACES_EXPORTER: "console" }, "otlp"],
  [{ OTEL_TRACES_EXPORTER: "none" }, "none"],
  [{ OTEL_SERVICE_NAME: "borsello" }, "none"],
  [{ APPLICATIONINSIGHTS_CONNECTION_STRING: "InstrumentationKey=1" }, "azure"],
  [{ APPLICATIONINSIGHTS_CONNECTION_STRING: "I=1", OTEL_TRACES_EXPORTER: "otlp" }, "otlp"],
  [{ APPLICATIONINSIGHTS_CONNECTION_STRING: "I=1", OTEL_SDK_DISABLED: "TRUE" }, "none"],
])("the settings %j send to %s", (settings, destination) => {
  expect(destinationOf(settings)).toBe(destination);
});

const [traceId, spanId] = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"];
const caller = `00-${traceId}-${spanId}-01`;

test("what names no trace is none, and a later version is read as this one", () => {
  expect(soundTraceParent(caller)).toBe(caller);
  expect(soundTraceParent(`01-${traceId}-${spanId}-00-more`)).toBe(`00-${traceId}-${spanId}-00`);
  for (const bad of [null, 7, "", "00-x", caller.toUpperCase(), `${caller}-more`, `${caller} `])
    expect(soundTraceParent(bad)).toBeUndefined();
});

test("the host's part of the caller's trace counts, and one that it made up only where it records it", () => {
  const below = `00-${traceId}-aaaaaaaaaaaaaaaa-01`;
  const other = `00-${"b".repeat(32)}-aaaaaaaaaaaaaaaa`;
  expect(incomingParent(caller, below)).toBe(below);
  expect(incomingParent(caller, `${other}-01`)).toBe(caller);
  expect(incomingParent(undefined, `${other}-01`)).toBe(`${other}-01`);
  expect(incomingParent(undefined, `${other}-00`)).toBeUndefined();
  expect(incomingParent(undefined, undefined)).toBeUndefined();
});

test("where nobody records, a caller's trace goes with its work alone, and work for many has none", async () => {
  const named = { name: "work", kind: "server" } as const;
  const seen = await tracing.within({ ...named, parent: caller }, async (span) => {
    await Promise.resolve();
    const inside = tracing.current();
    return [span.traceParent, inside, tracing.apart(tracing.current)];
  });
  expect(seen).toEqual([caller, caller, undefined]);
  expect(await tracing.within(named, async () => tracing.current())).toBeUndefined();
  expect(tracing.current()).toBeUndefined();
});
