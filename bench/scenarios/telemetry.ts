/** What being told about costs: the same calls without a log, with a line each, and with traces and metrics. */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { load, median, type LoadFigures } from "../kit/load.js";
import type { Row, Scenario } from "../kit/scenario.js";
import { openTill, type Till, type TillSettings } from "../money/till.js";
import { withTemporaryFolder } from "../platform/process.js";

const rounds = 5;
const slotSeconds = 3;
const connections = 32;
const wallets = 500;

/** Takes what it is sent and forgets it. */
const startSink = async (): Promise<{ readonly url: string; readonly stop: () => void }> => {
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(200).end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const stop = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, stop };
};

const callersTrace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

interface Call {
  readonly what: string;
  readonly slot: (till: Till) => Promise<LoadFigures>;
}

const slotLoad = { connections, seconds: slotSeconds };

const calls: readonly Call[] = [
  {
    what: "404, unknown wallet (asks the database)",
    slot: async ({ platform: { url }, headers }) => {
      const address = `${url}/wallet/wallets/${randomUUID()}`;
      const figures = await load({ ...slotLoad, url: address, headers });
      if (Object.keys(figures.byStatus).join() !== "404")
        throw new Error(`an unknown wallet: answered ${JSON.stringify(figures.byStatus)}`);
      return figures;
    },
  },
  { what: "payments initialised and confirmed (requests)", slot: (till) => till.pay(slotLoad) },
];

const figure = (all: readonly LoadFigures[]): string =>
  `${median(all.map(({ perSecond }) => perSecond)).toFixed(0)}/s, p99 ${median(all.map(({ p99Ms }) => p99Ms))} ms`;

/** The same call in all ways, in turn. */
const measured = async (ways: readonly Till[], call: Call, times: number): Promise<Row> => {
  const all = ways.map((): LoadFigures[] => []);
  for (const till of ways) await call.slot(till); // warm-up, not counted
  for (let round = 0; round < times; round += 1)
    for (const [place, till] of ways.entries()) {
      all[place]?.push(await call.slot(till));
      await till.settle();
    }
  const [quiet = [], ...others] = all;
  const ratio = (other: readonly LoadFigures[]): string =>
    median(
      other.map(({ perSecond }, round) => perSecond / (quiet[round]?.perSecond ?? Number.NaN)),
    ).toFixed(2);
  const [lines = [], carried = [], traced = [], sampled = []] = others;
  return {
    what: call.what,
    figure: figure(quiet),
    beside:
      `with a line each: ${ratio(lines)} of it; with callers' traces carried on: ${ratio(carried)}; all traces and metrics: ${ratio(traced)}, ${figure(traced)}; ` +
      `one trace in twenty: ${ratio(sampled)}`,
  };
};

export const telemetry: Scenario = {
  name: "telemetry",
  title: "Log lines, traces and metrics",
  method:
    `${connections} connections, ${rounds} rounds of slots of ${slotSeconds} s: without a line for each call, with one, without but for a caller's traceparent, with ` +
    "all traces and metrics sent to a collector that forgets them, and with one trace in twenty; medians, and medians of the " +
    "ratios within a round. The load generator and the collector run on the same machine.",
  run: async (say, { quick }) =>
    withTemporaryFolder(async (folder) => {
      const stops: (() => Promise<void> | void)[] = [];
      try {
        const sink = await startSink();
        stops.push(sink.stop);
        const traces = { LOG_LEVEL: "info", OTEL_EXPORTER_OTLP_ENDPOINT: sink.url };
        const sampler = { OTEL_TRACES_SAMPLER: "parentbased_traceidratio" };
        const settings: readonly TillSettings[] = [
          { environment: { LOG_LEVEL: "warn" } },
          { environment: { LOG_LEVEL: "info" } },
          { environment: { LOG_LEVEL: "warn" }, traceparent: callersTrace },
          { environment: traces },
          { environment: { ...traces, ...sampler, OTEL_TRACES_SAMPLER_ARG: "0.05" } },
        ];
        const ways: Till[] = [];
        for (const [place, one] of settings.entries()) {
          const till = await openTill(join(folder, String(place)), wallets, one);
          stops.push(() => till.stop());
          ways.push(till);
        }
        const rows: Row[] = [];
        for (const call of calls) {
          const row = await measured(ways, call, quick ? 2 : rounds);
          say(`${row.what}: ${row.figure}, ${row.beside}`);
          rows.push(row);
        }
        return rows;
      } finally {
        for (const stop of stops.reverse()) await stop();
      }
    }),
};
