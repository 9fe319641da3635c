/** Records traces and metrics by OpenTelemetry: the only module that knows its SDK, loaded only where that is on. */
import type {
  api as Api,
  metrics as Metrics,
  tracing as SdkTracing,
} from "@opentelemetry/sdk-node";
import type { CounterName, DurationName, Gauge, Meters, Reading } from "./meters.js";
import type { Attributes, Recorder, Span, SpanKind, SpanStart } from "./tracing.js";

type Otel = typeof Api;

const hexByte = (flags: number): string => flags.toString(16).padStart(2, "0");

const contextOf = (traceParent: string): Api.SpanContext => ({
  traceId: traceParent.slice(3, 35),
  spanId: traceParent.slice(36, 52),
  traceFlags: Number.parseInt(traceParent.slice(53), 16),
  isRemote: true,
});

/** A span of nobody's has an id of zeros. */
const traceParentOf = (
  { INVALID_TRACEID }: Otel,
  { traceId, spanId, traceFlags }: Api.SpanContext,
): string | undefined =>
  traceId === INVALID_TRACEID ? undefined : `00-${traceId}-${spanId}-${hexByte(traceFlags)}`;

/** An error's text may hold anything; its kind is one of few. */
const kindOfError = (error: unknown): string => (error instanceof Error ? error.name : "unknown");

const recorderOf = (otel: Otel): Recorder => {
  const { trace, context, ROOT_CONTEXT, SpanKind: Kinds, SpanStatusCode } = otel;
  const tracer = trace.getTracer("borsello");
  const kinds: Readonly<Record<SpanKind, Api.SpanKind>> = {
    server: Kinds.SERVER,
    client: Kinds.CLIENT,
    producer: Kinds.PRODUCER,
    consumer: Kinds.CONSUMER,
    internal: Kinds.INTERNAL,
  };

  const start = ({ name, kind, attributes, parent, startedAtMs }: SpanStart): Api.Span => {
    const within =
      parent === undefined
        ? context.active()
        : trace.setSpanContext(ROOT_CONTEXT, contextOf(parent));
    const startTime = startedAtMs === undefined ? {} : { startTime: startedAtMs };
    const options = { kind: kinds[kind], ...startTime };
    const span = tracer.startSpan(name, options, within);
    return attributes === undefined ? span : span.setAttributes(attributes);
  };

  const wrap = (span: Api.Span): Span => ({
    traceParent: traceParentOf(otel, span.spanContext()),
    set: (attributes) => void span.setAttributes(attributes),
    fail: (errorType) =>
      void span.setAttribute("error.type", errorType).setStatus({ code: SpanStatusCode.ERROR }),
    end: () => {
      if (span.isRecording()) span.end();
    },
  });

  const recorded = async <Value>(span: Span, work: () => Promise<Value>): Promise<Value> => {
    try {
      return await work();
    } catch (error) {
      span.fail(kindOfError(error));
      throw error;
    } finally {
      span.end();
    }
  };

  return {
    current: () => {
      const active = trace.getSpanContext(context.active());
      return active === undefined ? undefined : traceParentOf(otel, active);
    },
    isRecorded: () => trace.getActiveSpan()?.isRecording() === true,
    begin: (asked) => wrap(start(asked)),
    within: (asked, work) => {
      const span = start(asked);
      const wrapped = wrap(span);
      const inside = () => context.with(trace.setSpan(context.active(), span), () => work(wrapped));
      // What the sampler leaves out is carried on, and has no end to be noted.
      return span.isRecording() ? recorded(wrapped, inside) : inside();
    },
    apart: (work) => context.with(ROOT_CONTEXT, work),
  };
};

/** From a millisecond to ten seconds, as the semantic conventions advise. */
const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

const metersOf = ({ metrics }: Otel): Meters => {
  const meter = metrics.getMeter("borsello");
  const durations = new Map<DurationName, Api.Histogram>();
  const counters = new Map<CounterName, Api.Counter>();
  const durationOf = (name: DurationName): Api.Histogram => {
    const advice = { explicitBucketBoundaries: secondsBuckets };
    const known = durations.get(name) ?? meter.createHistogram(name, { unit: "s", advice });
    durations.set(name, known);
    return known;
  };
  const counterOf = (name: CounterName): Api.Counter => {
    const known = counters.get(name) ?? meter.createCounter(name, { unit: "{flow}" });
    counters.set(name, known);
    return known;
  };
  const given = (attributes: Attributes): Api.Attributes => ({ ...attributes });
  return {
    record: (name, seconds, attributes) => durationOf(name).record(seconds, given(attributes)),
    count: (name, attributes) => counterOf(name).add(1, given(attributes)),
    observe: (gauges: readonly Gauge[], read: () => Promise<readonly Reading[]>) => {
      const made = new Map(
        gauges.map(({ name, ...options }) => [name, meter.createObservableGauge(name, options)]),
      );
      meter.addBatchObservableCallback(
        async (result) => {
          for (const { name, value, attributes = {} } of await read()) {
            const gauge = made.get(name);
            if (gauge !== undefined) result.observe(gauge, value, given(attributes));
          }
        },
        [...made.values()],
      );
    },
  };
};

export interface Exporters {
  readonly spans: SdkTracing.SpanExporter;
  readonly metrics: Metrics.PushMetricExporter;
}

export interface OpenTelemetry {
  readonly recorder: Recorder;
  readonly meters: Meters;
  /** Sends what has not left yet. */
  readonly close: () => Promise<void>;
}

/** The SDK's own. */
const exportPatienceMs = 30_000;

/**
 * Without exporters, the usual variables say where it all goes. Of this process and machine it tells nothing but
 * what `OTEL_RESOURCE_ATTRIBUTES` says: a command line may hold secrets.
 */
export const openTelemetry = async (
  serviceName: string,
  exporters: Exporters | undefined,
  metricIntervalMs: number,
): Promise<OpenTelemetry> => {
  const { api, NodeSDK, metrics, resources } = await import("@opentelemetry/sdk-node");
  const sdk = new NodeSDK({
    serviceName,
    resourceDetectors: [resources.envDetector],
    logRecordProcessors: [],
    ...(exporters !== undefined && {
      traceExporter: exporters.spans,
      metricReaders: [
        new metrics.PeriodicExportingMetricReader({
          exporter: exporters.metrics,
          exportIntervalMillis: metricIntervalMs,
          exportTimeoutMillis: Math.min(metricIntervalMs, exportPatienceMs),
        }),
      ],
    }),
  });
  sdk.start();
  return { recorder: recorderOf(api), meters: metersOf(api), close: () => sdk.shutdown() };
};
