/** Card authorisations at a steady pace, by how their affiliate answers; beside them a second affiliate's. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { Client } from "pg";
import { percentile } from "../kit/load.js";
import { startAffiliate } from "../kit/processes.js";
import type { Row, Scenario } from "../kit/scenario.js";
import { steady } from "../money/steady.js";
import { fillCards } from "../cards/card-rows.js";
import { startPlatform, withTemporaryFolder } from "../platform/process.js";
import { acme, globex, headersFor, type Credentials } from "../platform/session.js";

const perSecond = 100;
const cards = 1_000;
/** More than wait at once where each takes both tries' two seconds. */
const socketsMax = 1_000;

interface Affiliate {
  readonly headers: Readonly<Record<string, string>>;
  readonly tokens: readonly string[];
}

/** Pays one euro with one card after the other. */
const pay = (platformUrl: string, { headers, tokens }: Affiliate, seconds: number) => {
  let next = 0;
  return steady({
    ...{ perSecond, seconds, headers, socketsMax },
    nextUrl: () => `${platformUrl}/card/o2i/requests`,
    nextBody: () => {
      next += 1;
      return JSON.stringify({
        transactionId: randomUUID(),
        cardToken: tokens[next % tokens.length],
        ...{ cardScheme: 1, type: 0, source: "P", mcc: 5411, merchantName: "Bottega" },
        ...{ transactionAmount: 1, transactionCurrency: 978, billingAmount: 1 },
        ...{ billingCurrency: 978, transactionDateTime: new Date().toISOString() },
      });
    },
  });
};

const figureOf = (tookMs: readonly number[]): string =>
  `median ${percentile(tookMs, 0.5).toFixed(1)} ms, p99 ${percentile(tookMs, 0.99).toFixed(1)} ms`;

const cases = [
  ["answers", "/"],
  ["takes 1.5 s for each answer", "/slow"],
  ["is down", null],
  ["takes requests and never answers", "/silent"],
] as const;

export const o2i: Scenario = {
  name: "o2i",
  title: "Card authorisations",
  method:
    `${perSecond} requests a second for one affiliate, each timed from when it was due, and at the same time as many for ` +
    `another affiliate that always answers at once; each over ${cards.toLocaleString("en-US")} cards, with a stand-in for what is not ` +
    "reached. Affiliates are servers in processes of their own. Each case begins with an endpoint that was not asked before. " +
    "Load generator, affiliates, platform and PostgreSQL share the machine.",
  run: async (say, { quick }) =>
    withTemporaryFolder(async (folder) => {
      const seconds = quick ? 2 : 20;
      const stops: (() => Promise<unknown>)[] = [];
      try {
        const platform = await startPlatform(join(folder, "data"));
        stops.push(() => platform.stop());
        const server = await startAffiliate();
        stops.push(() => server.stop());
        const client = new Client({ connectionString: platform.databaseUrl });
        await client.connect();
        stops.push(() => client.end());

        const affiliateOf = async (credentials: Credentials): Promise<Affiliate> => ({
          headers: await headersFor(platform.url, credentials),
          tokens: await fillCards(client, credentials.partner, cards),
        });
        const [first, second] = [await affiliateOf(acme), await affiliateOf(globex)];
        await client.query("analyze borsello.card");
        const setEndpoint = async ({ headers }: Affiliate, path: string | null): Promise<void> => {
          // Nothing listens at port 1.
          const endpoint = new URL(path ?? "/", path === null ? "http://127.0.0.1:1" : server.url);
          const body = JSON.stringify({ endpoint: endpoint.href, standIn: "91" });
          const answer = await fetch(`${platform.url}/sandbox/card/o2i`, {
            ...{ method: "PUT", headers, body },
          });
          if (answer.status !== 200) throw new Error(`the endpoint was refused: ${answer.status}`);
        };
        await setEndpoint(second, "/");
        await pay(platform.url, second, 2); // warm-up, not counted

        const rows: Row[] = [];
        const add = (row: Row): void => {
          say(`${row.what}: ${row.figure} (${row.beside})`);
          rows.push(row);
        };
        add({
          what: "one affiliate alone, which answers",
          figure: figureOf(await pay(platform.url, second, seconds)),
          beside: "the reference",
        });
        for (const [what, path] of cases) {
          await setEndpoint(first, path);
          const [mine, others] = await Promise.all([
            pay(platform.url, first, seconds),
            pay(platform.url, second, seconds),
          ]);
          add({
            what: `an affiliate that ${what}`,
            figure: figureOf(mine),
            beside: `the second affiliate meanwhile: ${figureOf(others)}`,
          });
        }
        return rows;
      } finally {
        for (const stop of stops.reverse()) await stop();
      }
    }),
};
