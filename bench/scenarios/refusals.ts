/** How fast a request is refused, beside a bare node:http echo in the same run. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
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

export const refusals: Scenario = {
  name: "refusals",
  title: "Refused requests",
  method:
    `${connections} connections, ${pairs} alternating pairs of ${slotSeconds} s slots for each kind of refusal and the ` +
    "echo (same method and body); medians, and the median of the pairs' ratios. The load generator runs on the same machine.",
  run: async (say) =>
    withTemporaryFolder(async (folder) => {
      const platform = await startPlatform(join(folder, "data"));
      const echo = await startEcho();
      try {
        const rows: Row[] = [];
        for (const { what, status, request } of refusalsOf(
          platform.url,
          await headersFor(platform.url, acme),
        )) {
          await slot(request); // warm-up, not counted
          const mine: LoadFigures[] = [];
          const ratios: number[] = [];
          for (let pair = 0; pair < pairs; pair += 1) {
            const refused = await slot(request);
            const bare = await slot({ ...request, url: echo.url });
            if (Object.keys(refused.byStatus).join() !== status)
              throw new Error(`${what}: answered ${JSON.stringify(refused.byStatus)}`);
            mine.push(refused);
            ratios.push(refused.perSecond / bare.perSecond);
          }
          const figure = `${median(mine.map(({ perSecond }) => perSecond)).toFixed(0)}/s, p99 ${median(mine.map(({ p99Ms }) => p99Ms))} ms`;
          const beside = `${median(ratios).toFixed(2)} of the echo; goal P11 0.80`;
          say(`${what}: ${figure}, ${beside}`);
          rows.push({ what, figure, beside });
        }
        return rows;
      } finally {
        await echo.stop();
        await platform.stop();
      }
    }),
};
