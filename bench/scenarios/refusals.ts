/** How fast a request is refused, beside the cheapest function of the same host and a bare node:http echo. */
import { randomUUID } from "node:crypto";
import { join, resolve } from "node:path";
import { atLeast, verdict } from "../kit/goal.js";
import { load, median, type LoadFigures, type LoadRequest } from "../kit/load.js";
import { startPlatform, withTemporaryFolder } from "../platform/process.js";
import { startEcho } from "../kit/processes.js";
import type { Row, Scenario } from "../kit/scenario.js";
import { acme, headersFor } from "../platform/session.js";

const pairs = 5;
const slotSeconds = 3;
const connections = 32;

interface Refusal {
  readonly what: string;
  readonly status: string;
  readonly request: Omit<LoadRequest, "connections" | "seconds">;
}

const refusalsOf = (url: string, headers: Readonly<Record<string, string>>): readonly Refusal[] => [
  {
    what: "401, no token",
    status: "401",
    request: { url: `${url}/wallet/wallets/${randomUUID()}` },
  },
  {
    what: "401, forged token",
    status: "401",
    request: {
      url: `${url}/wallet/wallets/${randomUUID()}`,
      headers: { ...headers, authorization: `${headers["authorization"] ?? ""}x` },
    },
  },
  {
    what: "404, unknown path",
    status: "404",
    request: { url: `${url}/wallet/nothing/here`, headers },
  },
  {
    what: "404, unknown wallet (asks the database)",
    status: "404",
    request: { url: `${url}/wallet/wallets/${randomUUID()}`, headers },
  },
  {
    what: "422, body off the schema",
    status: "422",
    request: { url: `${url}/wallet/wallets`, method: "POST", headers, body: '{"taxId":7}' },
  },
];

const slot = async (request: Refusal["request"]): Promise<LoadFigures> =>
  load({ ...request, connections, seconds: slotSeconds });

/** Where the comparisons answer: the cheapest function of the same host, and a server without one. */
interface Beside {
  readonly function: string;
  readonly bare: string;
}

const goal = atLeast("P11", 0.8, "of the cheapest function");

const measured = async (
  { what, status, request }: Refusal,
  beside: Beside,
): Promise<readonly Row[]> => {
  const refused: LoadFigures[] = [];
  const cheapest: LoadFigures[] = [];
  const ratios = { function: [] as number[], bare: [] as number[] };
  await slot(request); // warm-up, not counted
  for (let pair = 0; pair < pairs; pair += 1) {
    const mine = await slot(request);
    if (Object.keys(mine.byStatus).join() !== status)
      throw new Error(`${what}: answered ${JSON.stringify(mine.byStatus)}`);
    const constant = await slot({ ...request, url: beside.function });
    if (Object.keys(constant.byStatus).join() !== "200")
      throw new Error(`the cheapest function: answered ${JSON.stringify(constant.byStatus)}`);
    const bare = await slot({ ...request, url: beside.bare });
    refused.push(mine);
    cheapest.push(constant);
    ratios.function.push(mine.perSecond / constant.perSecond);
    ratios.bare.push(constant.perSecond / bare.perSecond);
  }
  const figure = (all: readonly LoadFigures[]): string =>
    `${median(all.map(({ perSecond }) => perSecond)).toFixed(0)}/s, p99 ${median(all.map(({ p99Ms }) => p99Ms))} ms`;
  const [ratio, ofModel] = [median(ratios.function), median(ratios.bare)];
  return [
    {
      what,
      figure: figure(refused),
      beside:
        `${ratio.toFixed(2)} of the cheapest function; ${verdict(goal, ratio)}; that function: ${figure(cheapest)}, ` +
        `${ofModel.toFixed(2)} of the bare echo: what the functions model costs`,
    },
  ];
};

export const refusals: Scenario = {
  name: "refusals",
  title: "Refused requests",
  method:
    `${connections} connections, ${pairs} alternating slots of ${slotSeconds} s each for a kind of refusal, the same request ` +
    "to a function that answers a constant on the same host, and the same to a bare node:http echo; medians, and the " +
    "medians of the ratios of neighbouring slots. The load generator runs on the same machine.",
  run: async (say) =>
    withTemporaryFolder(async (folder) => {
      const stops: (() => Promise<void>)[] = [];
      try {
        const platform = await startPlatform(join(folder, "data"));
        stops.push(() => platform.stop());
        const app = resolve("dist/bench/constant");
        const constant = await startPlatform(join(folder, "constant"), {}, app);
        stops.push(() => constant.stop());
        const echo = await startEcho();
        stops.push(() => echo.stop());
        const beside = { function: `${constant.url}/`, bare: echo.url };
        const rows: Row[] = [];
        for (const refusal of refusalsOf(platform.url, await headersFor(platform.url, acme)))
          for (const row of await measured(refusal, beside)) {
            say(`${row.what}: ${row.figure}, ${row.beside}`);
            rows.push(row);
          }
        return rows;
      } finally {
        for (const stop of stops.reverse()) await stop();
      }
    }),
};
