/** What tickets cost where there are many: pages, long timelines, and what other partners see of them. */
import { Agent } from "node:http";
import { join } from "node:path";
import pg from "pg";
import { answerTime } from "../kit/answer-time.js";
import { median } from "../kit/load.js";
import { startPlatform, withTemporaryFolder } from "../platform/process.js";
import type { Row, Scenario } from "../kit/scenario.js";
import { acme, globex, headersFor } from "../platform/session.js";

const ticketsOfAcme = 10_000;
const entriesMax = 2_000;
const timesMax = 3;

/** Pairs of calls, one of each side at a time, so that both meet the same moments of the machine. */
interface Extent {
  readonly rounds: number;
}
const whole: Extent = { rounds: 500 };
const brief: Extent = { rounds: 50 };
const warmUps = 50;

const caseNumber = (number: number): string => `CAS-BENCH-${number}`;
const short = caseNumber(1);
const long = caseNumber(2);
const unknown = caseNumber(0);

/** Written as they would be had they come one by one, but for their events and flows. */
const fill = async (databaseUrl: string): Promise<void> => {
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    await database.query(
      `insert into borsello.ticket (case_number, partner_key, product, request_type, category,
         title, description, priority, sla, silence, patience, creation_date, expiration_date,
         created_by)
       select 'CAS-BENCH-' || number, 'acme', 'wallet', 'Business', 'Segnalazioni B2B',
         'Number ' || number, repeat('A long story. ', 20), 2, '1 day', '4 days', '14 days',
         now() - make_interval(secs => $1 - number), now() + interval '1 day', 'acme-client'
       from generate_series(1, $1) as number`,
      [ticketsOfAcme],
    );
    await database.query(
      `insert into borsello.ticket_timeline (case_number, created_by, created_on, text)
       select case_number, 'acme-client', entered_on, description
       from borsello.ticket`,
    );
    await database.query(
      `insert into borsello.ticket_timeline (case_number, created_by, created_on, text)
       select $1, 'acme-client', now(), 'Comment ' || number || ': is there anything new on this?'
       from generate_series(2, $2) as number`,
      [long, entriesMax],
    );
    // What autovacuum does within a minute.
    await database.query("vacuum analyze borsello.ticket, borsello.ticket_timeline");
  } finally {
    await database.end();
  }
};

interface Side {
  readonly path: string;
  readonly status: number;
  readonly of: "acme" | "globex";
}

interface Comparison {
  readonly what: string;
  readonly beside: string;
  readonly full: Side;
  readonly empty: Side;
}

const page = (of: Side["of"], number: number): Side => ({
  path: `tickets/list/New?page=${number}`,
  status: 200,
  of,
});
const ticket = (number: string, rest: string, of: Side["of"] = "acme", status = 200): Side => ({
  path: `tickets/${number}${rest}`,
  status,
  of,
});

const comparisons: readonly Comparison[] = [
  {
    what: "page 0 of 10,000 tickets",
    beside: "no tickets",
    full: page("acme", 0),
    empty: page("globex", 0),
  },
  {
    what: "page 900 of 10,000 tickets",
    beside: "no tickets",
    full: page("acme", 900),
    empty: page("globex", 0),
  },
  {
    what: "ticket with 2,000 timeline entries",
    beside: "one entry",
    full: ticket(long, ""),
    empty: ticket(short, ""),
  },
  {
    what: "timeline of 2,000 entries",
    beside: "one entry",
    full: ticket(long, "/timeline"),
    empty: ticket(short, "/timeline"),
  },
  {
    what: "404, another partner's ticket with 2,000 entries",
    beside: "unknown ticket",
    full: ticket(long, "/timeline", "globex", 404),
    empty: ticket(unknown, "/timeline", "globex", 404),
  },
];

type Headers = Readonly<Record<Side["of"], Readonly<Record<string, string>>>>;

const timeOf = (agent: Agent, url: string, headers: Headers, side: Side): Promise<number> =>
  answerTime(agent, {
    url: `${url}/ticketing/${side.path}`,
    headers: headers[side.of],
    status: side.status,
  });

const compare = async (
  url: string,
  headers: Headers,
  { full, empty }: Comparison,
  rounds: number,
): Promise<{ readonly full: number; readonly empty: number }> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const millis = { full: [] as number[], empty: [] as number[] };
  for (let round = -warmUps; round < rounds; round += 1) {
    const ofFull = await timeOf(agent, url, headers, full);
    const ofEmpty = await timeOf(agent, url, headers, empty);
    if (round < 0) continue;
    millis.full.push(ofFull);
    millis.empty.push(ofEmpty);
  }
  agent.destroy();
  return { full: median(millis.full), empty: median(millis.empty) };
};

export const tickets: Scenario = {
  name: "tickets",
  title: "Tickets where there are many",
  method:
    `One connection, ${whole.rounds} calls of the full case and of the empty one by turns; ` +
    "median milliseconds per answer, and how many times the empty one's they are. " +
    "Caller, platform and PostgreSQL share the machine. Timelines are read again and again, so all but " +
    "the first reading find what is remembered.",
  run: async (say, { quick }) =>
    withTemporaryFolder(async (folder) => {
      const platform = await startPlatform(join(folder, "data"));
      try {
        await fill(platform.databaseUrl);
        const { url } = platform;
        const { rounds } = quick ? brief : whole;
        const headers = {
          acme: await headersFor(url, acme),
          globex: await headersFor(url, globex),
        };
        const rows: Row[] = [];
        for (const comparison of comparisons) {
          const { what, beside } = comparison;
          const { full, empty } = await compare(url, headers, comparison, rounds);
          const times = `${(full / empty).toFixed(2)} times, goal at most ${timesMax}`;
          const row = {
            what,
            figure: `${full.toFixed(2)} ms`,
            beside: `${beside} ${empty.toFixed(2)} ms: ${times}`,
          };
          say(`${row.what}: ${row.figure}, ${row.beside}`);
          rows.push(row);
        }
        return rows;
      } finally {
        await platform.stop();
      }
    }),
};
