/** Payments confirmed through HTTP beside the same transfer as one bare call to the database. */
import { join } from "node:path";
import { closedLoop, quantile } from "../durable/closed-loop.js";
import { atLeast, atMost, verdict, type Goal } from "../kit/goal.js";
import { load, median } from "../kit/load.js";
import { startEcho, type EchoServer } from "../kit/processes.js";
import type { Row, Scenario } from "../kit/scenario.js";
import { startBareLedger, type BareLedger } from "../money/bare-ledger.js";
import { preparePgbench, type Pgbench } from "../money/pgbench.js";
import { steady } from "../money/steady.js";
import { groupSize, openTill, type Till } from "../money/till.js";
import { withTemporaryFolder } from "../platform/process.js";

interface Extent {
  readonly pairs: number;
  readonly seconds: number;
  readonly steadySeconds: number;
}

const full: Extent = { pairs: 5, seconds: 3, steadySeconds: 10 };
const brief: Extent = { pairs: 2, seconds: 1, steadySeconds: 2 };
const wallets = 10_000;
const few = 32;
const many = 256;

interface Sides {
  readonly till: Till;
  readonly bare: BareLedger;
  readonly pgbench: Pgbench | null;
  readonly echo: EchoServer;
}

/** One slot of each, neighbours in time; rates per second. */
interface Round {
  readonly bare: number;
  readonly few: number;
  readonly many: number;
  readonly hot: number;
  readonly pairs: number;
  readonly grouped: number;
  readonly pgbench: number;
  readonly echo: number;
}

const round = async ({ till, bare, pgbench, echo }: Sides, seconds: number): Promise<Round> => {
  /** What a slot leaves behind must not weigh on the next one. */
  const settled = async (slot: Promise<{ readonly perSecond: number }>): Promise<number> => {
    const { perSecond } = await slot;
    await till.settle();
    return perSecond;
  };
  return {
    bare: await settled(bare.slot(seconds)),
    few: await settled(till.confirm({ connections: few, seconds })),
    many: await settled(till.confirm({ connections: many, seconds })),
    hot: await settled(till.confirm({ connections: many, seconds }, "hot")),
    pairs: (await settled(till.pay({ connections: few, seconds }))) / 2,
    grouped: (await settled(till.confirmGroups({ connections: few, seconds }))) * groupSize,
    pgbench: pgbench === null ? Number.NaN : await pgbench.slot(seconds),
    echo: (
      await load({ url: echo.url, connections: few, seconds, method: "POST", body: '{"a":1}' })
    ).perSecond,
  };
};

/** A ratio within each round, its median, and what the goal says of it. */
const ratioRow = (
  rounds: readonly Round[],
  what: string,
  [mine, other]: readonly [keyof Round, keyof Round],
  beside: string,
  goal?: Goal,
): Row => {
  const ratio = median(rounds.map((one) => one[mine] / one[other]));
  const perSecond = median(rounds.map((one) => one[mine]));
  const judged = goal === undefined ? "" : `; ${verdict(goal, ratio)}`;
  return {
    what,
    figure: `${perSecond.toFixed(0)}/s`,
    beside: `${ratio.toFixed(2)} of ${beside}${judged}`,
  };
};

const bareName = "the bare transfer (L)";

const rateRows = (rounds: readonly Round[], hasPgbench: boolean): readonly Row[] => [
  {
    what: `${bareName}, ${few} waiting, 16 connections to the database`,
    figure: `${median(rounds.map(({ bare }) => bare)).toFixed(0)}/s`,
    beside: "the reference",
  },
  ratioRow(
    rounds,
    `payments confirmed, ${few} connections`,
    ["few", "bare"],
    bareName,
    atLeast("P1", 0.9),
  ),
  ratioRow(
    rounds,
    `payments confirmed, ${many} connections`,
    ["many", "bare"],
    bareName,
    atLeast("P2", 1.8),
  ),
  hasPgbench
    ? ratioRow(
        rounds,
        `the same beside pgbench`,
        ["many", "pgbench"],
        "pgbench TPC-B, 16 clients, prepared",
        atLeast("P2", 1.7),
      )
    : { what: "the same beside pgbench", figure: "not measured", beside: "it is not installed" },
  ratioRow(
    rounds,
    `payments confirmed at one store, ${many} connections`,
    ["hot", "many"],
    "those spread over 100 stores",
    atLeast("P3", 0.8),
  ),
  ratioRow(
    rounds,
    `payments initialised and confirmed, ${few} connections`,
    ["pairs", "few"],
    "those only confirmed",
    atLeast("P4", 0.55),
  ),
  ratioRow(
    rounds,
    `payments confirmed in groups of ${groupSize}, ${few} connections`,
    ["grouped", "few"],
    "those confirmed one by one",
    atLeast("P4", 3),
  ),
  ratioRow(rounds, "a bare node:http echo", ["echo", "bare"], bareName),
];

const ms = (value: number): string => `${value.toFixed(1)} ms`;

/** How long a confirmation takes at half of the measured maximum. */
const steadyRows = async (
  { till }: Sides,
  maximum: number,
  seconds: number,
): Promise<readonly Row[]> => {
  const nextPath = await till.paymentsToConfirm(Math.ceil((maximum / 2) * seconds) + 1);
  const nextUrl = (): string => till.platform.url + nextPath();
  const { headers } = till;
  const tookMs = await steady({ perSecond: maximum / 2, seconds, headers, nextUrl });
  await till.settle();
  await till.client.query("create table if not exists one_row (n integer)");
  const commit = await closedLoop({ inFlight: 1, seconds: 1 }, async () => {
    await till.client.query("insert into one_row values (1)");
  });
  const [p50, p99, worst] = [0.5, 0.99, 0.999].map((share) => quantile(tookMs, share));
  if (p50 === undefined || p99 === undefined || worst === undefined) return [];
  const row = (what: string, value: number, beside: string, goal: Goal, of: number): Row => ({
    what: `a confirmation at half load (${(maximum / 2).toFixed(0)}/s), ${what}`,
    figure: ms(value),
    beside: `${(value / of).toFixed(1)} times ${beside}; ${verdict(goal, value / of)}`,
  });
  return [
    row("p99", p99, `its p50 of ${ms(p50)}`, atMost("P6", 4), p50),
    row("p99", p99, `one commit of ${ms(commit.p50Ms)}`, atMost("P6", 10), commit.p50Ms),
    row("p99.9", worst, "its p50", atMost("P6", 50), p50),
  ];
};

const rivalRow: Row = {
  what: "payments confirmed beside pgledger's bare SQL (P5)",
  figure: "not measured",
  beside: "pgledger is not on npm, and the benches fetch from nowhere else",
};

export const money: Scenario = {
  name: "money",
  title: "Payments confirmed",
  method:
    `${full.pairs} rounds of one ${full.seconds} s slot each of everything below, medians, and medians of the ratios within a round. ` +
    `Confirmations go the whole way through HTTP on ${wallets.toLocaleString("en-US")} wallets: token, limits, double entry, audit, two events; ` +
    "the relay sends the events meanwhile, and a slot begins when those of the one before have left. " +
    "The reference L is one call of a function that locks two accounts, writes a transaction and two entries and changes two balances, " +
    "nothing else, on the same PostgreSQL. Load generator, platform, broker and PostgreSQL share the machine.",
  run: async (say, { quick }) =>
    withTemporaryFolder(async (folder) => {
      const { pairs, seconds, steadySeconds } = quick ? brief : full;
      const stops: (() => Promise<void>)[] = [];
      try {
        const till = await openTill(join(folder, "data"), wallets);
        stops.push(() => till.stop());
        const { databaseUrl } = till.platform;
        const bare = await startBareLedger(databaseUrl, "bare_ledger", wallets);
        stops.push(() => bare.stop());
        const pgbench = await preparePgbench(databaseUrl, "pgbench");
        const echo = await startEcho();
        stops.push(() => echo.stop());
        const sides = { till, bare, pgbench, echo };
        await round(sides, 1); // warm-up, not counted
        const rounds: Round[] = [];
        for (let n = 0; n < pairs; n += 1) {
          const one = await round(sides, seconds);
          rounds.push(one);
          say(
            Object.entries(one)
              .map(([name, rate]) => `${name} ${Number(rate).toFixed(0)}/s`)
              .join(", "),
          );
        }
        const maximum = median(rounds.map((one) => one.few));
        return [
          ...rateRows(rounds, pgbench !== null),
          rivalRow,
          ...(await steadyRows(sides, maximum, steadySeconds)),
        ];
      } finally {
        for (const stop of stops.reverse()) await stop();
      }
    }),
};
