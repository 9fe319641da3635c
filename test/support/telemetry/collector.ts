/** A collector of OTLP over HTTP with JSON: keeps what it is sent, as flat spans and metrics. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { z } from "zod";

const Value = z.union([
  z.object({ stringValue: z.string() }).transform(({ stringValue }) => stringValue),
  z
    .object({ intValue: z.union([z.int(), z.string()]) })
    .transform(({ intValue }) => Number(intValue)),
  z.object({ doubleValue: z.number() }).transform(({ doubleValue }) => doubleValue),
  z.object({ boolValue: z.boolean() }).transform(({ boolValue }) => boolValue),
]);
const Attributes = z
  .array(z.object({ key: z.string(), value: Value }))
  .default([])
  .transform((list) => Object.fromEntries(list.map(({ key, value }) => [key, value])));

const Span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().default(""),
  name: z.string(),
  kind: z.int(),
  attributes: Attributes,
  status: z.object({ code: z.int().default(0) }),
});
export type CollectedSpan = z.output<typeof Span>;

const Traces = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: Attributes }),
      scopeSpans: z.array(z.object({ spans: z.array(Span) })),
    }),
  ),
});

const Points = z.object({ dataPoints: z.array(z.object({ attributes: Attributes })) });
const Metrics = z.object({
  resourceMetrics: z.array(
    z.object({
      scopeMetrics: z.array(
        z.object({
          metrics: z.array(
            z.object({
              name: z.string(),
              sum: Points.optional(),
              gauge: Points.optional(),
              histogram: Points.optional(),
            }),
          ),
        }),
      ),
    }),
  ),
});

export interface Collector {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** Attributes of each series, by the metric's name. */
  readonly metrics: ReadonlyMap<string, readonly Readonly<Record<string, unknown>>[]>;
  readonly resources: readonly Readonly<Record<string, unknown>>[];
  /** All that came, as it was sent. */
  readonly texts: readonly string[];
  stop(): void;
}

export const startCollector = async (): Promise<Collector> => {
  const spans: CollectedSpan[] = [];
  const metrics = new Map<string, Readonly<Record<string, unknown>>[]>();
  const resources: Readonly<Record<string, unknown>>[] = [];
  const texts: string[] = [];
  const take = (path: string, body: string): void => {
    texts.push(body);
    const json: unknown = JSON.parse(body);
    if (path === "/v1/traces") {
      for (const { resource, scopeSpans } of Traces.parse(json).resourceSpans) {
        resources.push(resource.attributes);
        spans.push(...scopeSpans.flatMap((scope) => scope.spans));
      }
      return;
    }
    for (const { scopeMetrics } of Metrics.parse(json).resourceMetrics)
      for (const { name, sum, gauge, histogram } of scopeMetrics.flatMap((scope) => scope.metrics))
        metrics.set(
          name,
          (sum ?? gauge ?? histogram)?.dataPoints.map(({ attributes }) => attributes) ?? [],
        );
  };
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      take(request.url ?? "", body);
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...{ url: `http://127.0.0.1:${port}`, spans, metrics, resources, texts },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
