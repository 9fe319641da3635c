/** Traces and metrics as a collector gets them: one trace from a call to its flow's activities, nothing personal in any. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { ServiceBusClient } from "@azure/service-bus";
import { partnerConnectionString } from "../../bench/platform/topic-reader.js";
import { welfareDepositRoutes } from "../../shared/contracts/operations/families.js";
import {
  addressOf,
  clientOf,
  openStackDatabase,
  partnerNamed,
  send,
} from "../support/platform/api.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";
import {
  startCollector,
  type CollectedSpan,
  type Collector,
} from "../support/telemetry/collector.js";
import { someone } from "../support/wallet/wallet-fixtures.js";

let stack: TestStack;
let collector: Collector;
let sound: Readonly<Record<string, string>>;

beforeAll(async () => {
  collector = await startCollector();
  stack = await startTestStack({
    environment: {
      LOG_LEVEL: "info",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_BSP_SCHEDULE_DELAY: "50",
      OTEL_METRIC_EXPORT_INTERVAL: "500",
      OTEL_METRIC_EXPORT_TIMEOUT: "400",
    },
  });
  sound = {
    authorization: `Bearer ${await clientOf(stack, "acme").token()}`,
    authkey: partnerNamed("acme").authKey,
    partner: "acme",
    "content-type": "application/json",
  };
});

afterAll(async () => {
  await stack.stop();
  collector.stop();
});

let traces = 0;
/** A trace of the caller's, with the span in it that calls us. */
const newTrace = () => {
  const traceId = (traces += 1).toString(16).padStart(32, "a");
  return { traceId, spanId: "00f067aa0ba902b7", traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
};

const call = (method: string, path: string, traceparent: string | undefined, body?: unknown) =>
  send(stack, path, {
    method,
    headers: { ...sound, ...(traceparent !== undefined && { traceparent }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

const Wallet = z.object({ walletId: z.uuid() });

const openWallet = async (traceparent: string, owner = someone().owner): Promise<string> =>
  Wallet.parse((await call("POST", "/wallet/wallets", traceparent, owner)).body).walletId;

const spansOf = (traceId: string): CollectedSpan[] =>
  collector.spans.filter((span) => span.traceId === traceId);

/** The span of this name whose parent has that one. */
const below = (spans: readonly CollectedSpan[], name: string, parent: CollectedSpan | string) => {
  const parentSpanId = typeof parent === "string" ? parent : parent.spanId;
  const found = spans.filter((span) => span.name === name && span.parentSpanId === parentSpanId);
  expect(found, `${name} in ${JSON.stringify(spans.map((span) => span.name))}`).toHaveLength(1);
  return z.custom<CollectedSpan>((value) => value !== undefined).parse(found[0]);
};

const kinds = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 };

test("a call, its transaction, what it sends, its handling, the flow and the flow's activities are one trace", async () => {
  const { traceId, spanId, traceparent } = newTrace();
  const { owner } = someone();
  await openWallet(traceparent, owner);
  await expect
    .poll(() => spansOf(traceId).map(({ name }) => name), { timeout: 10_000 })
    .toEqual(expect.arrayContaining([expect.stringMatching(/^activity /)]));
  await expect.poll(() => spansOf(traceId).length, { timeout: 5_000 }).toBeGreaterThan(7);
  const spans = spansOf(traceId);
  const server = below(spans, "POST /wallet/wallets", spanId);
  expect(server).toMatchObject({
    kind: kinds.server,
    attributes: {
      "http.request.method": "POST",
      "http.route": "/wallet/wallets",
      "http.response.status_code": 200,
      "borsello.partner": "acme",
    },
  });
  const transaction = below(spans, "transaction", server);
  expect(transaction).toMatchObject({
    kind: kinds.client,
    attributes: { "db.system.name": "postgresql" },
  });
  below(spans, "send acme", transaction);
  const sent = below(spans, "send platform-events", transaction);
  expect(sent).toMatchObject({ kind: kinds.producer });
  const handled = below(spans, "process platform-events/Subscriptions/flows", sent);
  expect(handled).toMatchObject({
    kind: kinds.consumer,
    attributes: {
      "messaging.system": "servicebus",
      "messaging.destination.name": "platform-events",
      "messaging.servicebus.disposition_status": "complete",
    },
  });
  const started = below(spans, "start_flow walletOnboarding", handled);
  const activities = spans.filter(({ name }) => name.startsWith("activity "));
  for (const activity of activities) expect(activity.parentSpanId).toBe(started.spanId);
  // Each once: a replay of the flow's code does nothing again.
  const flows = spans.filter(({ name }) => name.startsWith("flow walletOnboarding"));
  for (const flow of flows) expect(flow.parentSpanId).toBe(started.spanId);
  const ids = spans.map((span) => span.spanId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(activities.map(({ name }) => name)).size).toBe(activities.length);
});

const Traced = z.object({ sessionId: z.string(), traceId: z.string().nullable() });

test("commands that go to the database together keep each its caller's trace, and who has none gets none", async () => {
  const wallets = await Promise.all(
    Array.from({ length: 12 }, async (_, place) => {
      const trace = newTrace();
      return { trace, place, walletId: await openWallet(newTrace().traceparent) };
    }),
  );
  const answers = await Promise.all(
    wallets.map(({ trace, walletId }) =>
      call("POST", addressOf(welfareDepositRoutes.initialise, { walletId }), trace.traceparent, {
        ...{ dealerKey: "dealer-rome", idempotencyKey: walletId.replaceAll("-", "") },
        ...{ amount: 10, tags: { till: "1" } },
      }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  const database = openStackDatabase(stack);
  const rows = await database.rows(
    Traced,
    `select session_id as "sessionId", substring(trace_parent, 4, 32) as "traceId"
     from borsello.outbox where subject = 'OperationInitialized'`,
  );
  await database.close();
  const expected = wallets.map(({ walletId, trace }) => [walletId, trace.traceId]);
  expect(Object.fromEntries(rows.map((row) => [row.sessionId, row.traceId]))).toEqual(
    Object.fromEntries(expected),
  );
});

test("a trace that its caller leaves out is carried to the event, and has no span with us", async () => {
  const { traceId, spanId } = newTrace();
  const walletId = await openWallet(`00-${traceId}-${spanId}-00`);
  const database = openStackDatabase(stack);
  const [row] = await database.rows(
    z.object({ traceParent: z.string() }),
    `select trace_parent as "traceParent" from borsello.outbox
     where session_id = $1 and subject = 'WalletCreated'`,
    [walletId],
  );
  await database.close();
  expect(row?.traceParent).toMatch(new RegExp(`^00-${traceId}-[\\da-f]{16}-00$`));
  // What came after it has arrived, so it would have, too.
  const later = newTrace();
  await call("GET", "/health", later.traceparent);
  await expect.poll(() => spansOf(later.traceId)).not.toHaveLength(0);
  expect(spansOf(traceId)).toEqual([]);
});

test("the log's line has the trace that the collector got, the caller's or a new one", async () => {
  await call("GET", "/wallet/nothing-here", undefined);
  const Line = z.looseObject({ route: z.string(), traceId: z.string() });
  const found = () =>
    stack
      .output()
      .split("\n")
      .filter((line) => line.includes('"/wallet/{*path}"'))
      .map((line) => Line.parse(JSON.parse(line)));
  await expect.poll(found).toHaveLength(1);
  await expect.poll(() => spansOf(found()[0]?.traceId ?? "")).toHaveLength(1);
  expect(spansOf(found()[0]?.traceId ?? "")).toMatchObject([
    { name: "GET /wallet/{*path}", status: { code: 0 }, parentSpanId: "" },
  ]);
});

test("a partner reads its call's trace on the event, under both names", async () => {
  const { traceId, traceparent } = newTrace();
  const walletId = await openWallet(traceparent);
  const bus = new ServiceBusClient(partnerConnectionString(stack.brokerConnectionString, "acme"));
  const receiver = bus.createReceiver("acme", "acme");
  const find = async () => {
    for (;;)
      for (const message of await receiver.receiveMessages(50, { maxWaitTimeInMs: 1_000 }))
        if (message.sessionId === walletId) return message.applicationProperties;
  };
  const Given = z.looseObject({ traceparent: z.string(), "Diagnostic-Id": z.string() });
  const given = Given.parse(await find());
  expect(given.traceparent.slice(3, 35)).toBe(traceId);
  expect(given["Diagnostic-Id"]).toBe(given.traceparent);
  await bus.close();
});

test("metrics have few labels, and tell of calls, messages, flows and what waits", async () => {
  const names = [
    ...["http.server.request.duration", "messaging.process.duration", "borsello.flow.started"],
    ...["borsello.outbox.waiting", "borsello.outbox.oldest", "borsello.ledger.mismatches"],
    ...["borsello.flow.open", "db.client.connection.count"],
  ];
  await expect
    .poll(() => [...collector.metrics.keys()], { timeout: 5_000 })
    .toEqual(expect.arrayContaining(names));
  const labels = [...collector.metrics.values()].flat().flatMap((series) => Object.entries(series));
  const allowed = new Set([
    ...["http.request.method", "http.route", "http.response.status_code", "error.type"],
    ...["messaging.system", "messaging.operation.name", "messaging.operation.type"],
    ...["messaging.destination.name", "messaging.destination.subscription.name"],
    ...["messaging.servicebus.disposition_status", "borsello.flow.name", "borsello.flow.outcome"],
    "borsello.flow.state",
    ...["db.client.connection.state", "db.client.connection.pool.name"],
  ]);
  for (const [name, value] of labels) {
    expect(allowed).toContain(name);
    expect(String(value)).not.toMatch(/[\da-f]{8}-[\da-f]{4}/);
  }
});

test("nothing that the collector got is anybody's business, nor says how the process was started", () => {
  const all = collector.texts.join("\n");
  for (const secret of [
    "@example.com",
    "+39333",
    "IT60",
    "eyJ",
    "acme-local",
    "postgres://",
    "Rossi",
  ])
    expect(all).not.toContain(secret);
  for (const resource of collector.resources)
    expect(Object.keys(resource).sort()).toEqual([
      ...["service.name", "telemetry.sdk.language", "telemetry.sdk.name", "telemetry.sdk.version"],
    ]);
});
