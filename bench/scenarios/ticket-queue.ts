/** What an operator's queue costs as it grows: the first page, filtered ones, and one far behind. */
import { Agent } from "node:http";
import { join } from "node:path";
import pg from "pg";
import { answerTime } from "../kit/answer-time.js";
import { median } from "../kit/load.js";
import type { Row, Scenario } from "../kit/scenario.js";
import { startPlatform, withTemporaryFolder, type PlatformProcess } from "../platform/process.js";
import { headersFor, operator } from "../platform/session.js";

interface Extent {
  readonly few: number;
  readonly many: number;
  readonly rounds: number;
}
const whole: Extent = { few: 1_000, many: 100_000, rounds: 300 };
const brief: Extent = { few: 1_000, many: 5_000, rounds: 30 };
const warmUps = 50;
const timesMax = 2;

/**
 * So many tickets in the queue, of two partners, every open status and every priority, and as many
 * that are closed; written as they would be had they come one by one, but for their events and flows.
 */
const fill = async (databaseUrl: string, count: number): Promise<void> => {
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    await database.query(
      `insert into borsello.ticket (case_number, partner_key, product, request_type, category, title,
         description, priority, status, sla, silence, patience, creation_date, expiration_date,
         created_by, asked_on, resolves_on, closure_date)
       select 'CAS-QUEUE-' || number, (array['acme', 'globex'])[1 + number % 2], 'wallet', 'Business',
         'Segnalazioni B2B', 'Number ' || number, repeat('A long story. ', 20), number / 2 % 4, status,
         '1 day', '4 days', '14 days', now(),
         now() + interval '1 hour' + make_interval(secs => number::bigint * 7919 % 1000003),
         'acme-client', case when status = 'WaitingForCustomer' then now() end,
         case when status = 'WaitingForCustomer' then now() + interval '14 days' end,
         case when status = 'Closed' then now() end
       from (select number, case when number > $1 then 'Closed'
           else (array['New', 'In progress', 'WaitingForCustomer'])[1 + number % 3] end as status
         from generate_series(1, 2 * $1) as number) as numbered`,
      [count],
    );
    // What autovacuum does within a minute.
    await database.query("vacuum analyze borsello.ticket");
  } finally {
    await database.end();
  }
};

interface Page {
  readonly what: string;
  readonly query: string;
  /** Whether it may not cost more as the queue grows; a page far behind lies behind more tickets. */
  readonly hasGoal: boolean;
}

const pagesOf = ({ few, many }: Extent): readonly Page[] => [
  { what: "first page, all that is open", query: "", hasGoal: true },
  { what: "first page, one status", query: "?status=InProgress", hasGoal: true },
  {
    what: "first page, one partner, status and priority",
    query: "?partner=acme&status=New&priority=2",
    hasGoal: true,
  },
  { what: "first page, one partner", query: "?partner=globex", hasGoal: true },
  { what: `page ${few / 50 - 1}`, query: `?page=${few / 50 - 1}`, hasGoal: true },
  {
    what: `page ${many / 50 - 1}, behind ${many - 50}`,
    query: `?page=${many / 50 - 1}`,
    hasGoal: false,
  },
];

interface Side {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly agent: Agent;
}

const sideOf = async ({ url, databaseUrl }: PlatformProcess, count: number): Promise<Side> => {
  await fill(databaseUrl, count);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return { url, headers: await headersFor(url, operator), agent };
};

/** Both take turns, so that whatever else the machine does falls on both. */
const measure = async (
  sides: readonly [few: Side, many: Side],
  { query }: Page,
  rounds: number,
): Promise<readonly [few: number, many: number]> => {
  const found: readonly [number[], number[]] = [[], []];
  for (let round = -warmUps; round < rounds; round += 1)
    for (const place of [0, 1] as const) {
      const { url, headers, agent } = sides[place];
      const address = `${url}/ticketing/operator/tickets${query}`;
      const ms = await answerTime(agent, { url: address, headers, status: 200 });
      if (round >= 0) found[place].push(ms);
    }
  return [median(found[0]), median(found[1])];
};

const thousands = (count: number): string => count.toLocaleString("en-US");

export const ticketQueue: Scenario = {
  name: "ticket-queue",
  title: "An operator's queue at a thousand and at a hundred thousand tickets",
  method:
    `Two platforms side by side, one with ${thousands(whole.few)} open tickets, one with ` +
    `${thousands(whole.many)}, each with as many closed ones; each page is asked for by turns, ` +
    `${whole.rounds} times over one connection; median milliseconds per answer of fifty tickets. Caller, ` +
    "platforms and databases share the machine.",
  run: async (say, { quick }) =>
    withTemporaryFolder(async (folder) => {
      const extent = quick ? brief : whole;
      const { few, many, rounds } = extent;
      const small = await startPlatform(join(folder, "few"));
      try {
        const large = await startPlatform(join(folder, "many"));
        try {
          const sides = [await sideOf(small, few), await sideOf(large, many)] as const;
          const rows: Row[] = [];
          for (const page of pagesOf(extent)) {
            const [ofFew, ofMany] = await measure(sides, page, rounds);
            const goal = page.hasGoal
              ? `goal at most ${timesMax}`
              : "no goal: what lies before it grows too";
            const row = {
              what: page.what,
              figure: `${ofFew.toFixed(2)} ms at ${thousands(few)}, ${ofMany.toFixed(2)} ms at ${thousands(many)}`,
              beside: `${(ofMany / ofFew).toFixed(2)} times, ${goal}`,
            };
            rows.push(row);
            say(`${row.what}: ${row.figure} (${row.beside})`);
          }
          for (const { agent } of sides) agent.destroy();
          return rows;
        } finally {
          await large.stop();
        }
      } finally {
        await small.stop();
      }
    }),
};
