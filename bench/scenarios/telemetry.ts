/** What being told about costs: the same calls with a line each, without one, and with traces and metrics. */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { cpuSecondsOf } from "../kit/processes.js";
import { load, median, type LoadFigures } from "../kit/load.js";
import type { Row, Scenario } from "../kit/scenario.js";
import { openTill, type Till, type TillSettings } from "../money/till.js";
import { withTemporaryFolder } from "../platform/process.js";

/** A process that has just begun to be called is still being compiled. */
const full = { warmUps: 3, rounds: 5 };
const brief = { warmUps: 1, rounds: 2 };
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

interface Way {
  readonly name: string;
  readonly settings: TillSettings;
}

/** As it comes stands first: the others are measured by it. */
const waysTo = (collector: string): readonly Way[] => {
  const line = { LOG_LEVEL: "info" };
  const traces = { ...line, OTEL_EXPORTER_OTLP_ENDPOINT: collector };
  const sampler = {
    OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
    OTEL_TRACES_SAMPLER_ARG: "0.05",
  };
  return [
    { name: "a line for each call", settings: { environment: line } },
    { name: "no line", settings: { environment: { LOG_LEVEL: "warn" } } },
    {
      name: "callers' traces carried on",
      settings: { environment: line, traceparent: callersTrace },
    },
    {
      name: "metrics, one trace in twenty",
      settings: { environment: { ...traces, ...sampler } },
    },
    { name: "metrics, all traces", settings: { environment: traces } },
  ];
};

interface Measured extends LoadFigures {
  readonly processorUs: number;
}

const slotOf = async (till: Till, { slot }: Call): Promise<Measured> => {
  const { pid } = till.platform;
  const before = await cpuSecondsOf(pid);
  const figures = await slot(till);
  const answers = Object.values(figures.byStatus).reduce((sum, count) => sum + count, 0);
  const processorUs = (((await cpuSecondsOf(pid)) - before) * 1e6) / answers;
  await till.settle();
  return { ...figures, processorUs };
};

/** The same call in all ways, in turn: a row for each. */
const measured = async (
  ways: readonly Way[],
  tills: readonly Till[],
  call: Call,
  { warmUps, rounds }: { readonly warmUps: number; readonly rounds: number },
): Promise<Row[]> => {
  const all = ways.map((): Measured[] => []);
  for (let round = -warmUps; round < rounds; round += 1)
    for (const [place, till] of tills.entries()) {
      const slot = await slotOf(till, call);
      if (round >= 0) all[place]?.push(slot);
    }
  const [asItComes = []] = all;
  return ways.map(({ name }, place) => {
    const slots = all[place] ?? [];
    const of = (field: "perSecond" | "p99Ms" | "processorUs"): number =>
      median(slots.map((slot) => slot[field]));
    const ratio = median(
      slots.map(({ perSecond }, round) => perSecond / (asItComes[round]?.perSecond ?? Number.NaN)),
    );
    return {
      what: `${call.what}: ${name}`,
      figure: `${of("perSecond").toFixed(0)}/s, p99 ${of("p99Ms")} ms, ${of("processorUs").toFixed(0)} µs of processor each`,
      beside: place === 0 ? "as it comes" : `${ratio.toFixed(2)} of the rate as it comes`,
    };
  });
};

export const telemetry: Scenario = {
  name: "telemetry",
  title: "Log lines, traces and metrics",
  method:
    `${connections} connections, ${full.rounds} rounds of slots of ${slotSeconds} s after ${full.warmUps} that do not count: with a line for each call ` +
    "and nothing else, which is how the platform comes; without a line; with a trace that its caller sent; with metrics and traces sent to a " +
    "collector that forgets them. Medians, and medians of the ratios within a round; processor time is that of the one process " +
    "of host, broker and app, without PostgreSQL. The load generator and the collector run on the same machine.",
  run: async (say, { quick }) =>
    withTemporaryFolder(async (folder) => {
      const stops: (() => Promise<void> | void)[] = [];
      try {
        const sink = await startSink();
        stops.push(sink.stop);
        const ways = waysTo(sink.url);
        const tills: Till[] = [];
        for (const [place, { settings }] of ways.entries()) {
          const till = await openTill(join(folder, String(place)), wallets, settings);
          stops.push(() => till.stop());
          tills.push(till);
        }
        const rows: Row[] = [];
        for (const call of calls) {
          const measuredRows = await measured(ways, tills, call, quick ? brief : full);
          for (const { what, figure, beside } of measuredRows) say(`${what}: ${figure}, ${beside}`);
          rows.push(...measuredRows);
        }
        return rows;
      } finally {
        for (const stop of stops.reverse()) await stop();
      }
    }),
};
