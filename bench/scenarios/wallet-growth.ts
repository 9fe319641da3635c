/** The same calls at a thousand wallets and at a million: what growth costs a caller. */
import { join } from "node:path";
import { Client } from "pg";
import { median } from "../kit/load.js";
import { startPlatform, withTemporaryFolder, type PlatformProcess } from "../platform/process.js";
import type { Row, Scenario } from "../kit/scenario.js";
import { acme, headersFor } from "../platform/session.js";
import { growTo, rareName } from "../platform/wallet-rows.js";

type Size = "small" | "grown";
const bothSizes = ["small", "grown"] as const;

interface Extent {
  readonly sizes: Readonly<Record<Size, number>>;
  readonly rounds: number;
}

const full: Extent = { sizes: { small: 1_000, grown: 1_000_000 }, rounds: 200 };
const brief: Extent = { sizes: { small: 1_000, grown: 20_000 }, rounds: 20 };
const warmUps = 20;

interface Side {
  readonly platform: PlatformProcess;
  readonly headers: Readonly<Record<string, string>>;
  /** Some of its wallets, drawn by lot. */
  readonly walletIds: readonly string[];
  readonly wallets: number;
}

interface Call {
  readonly what: string;
  /** Whether the goal of less than twice the time holds for it. */
  readonly goal: boolean;
  readonly request: (side: Side, round: number) => readonly [path: string, body?: object];
}

const search = (body: object): readonly [string, object] => ["/wallet/wallets/search", body];

const calls: readonly Call[] = [
  {
    what: "get a wallet",
    goal: true,
    request: ({ walletIds }, round) => [
      `/wallet/wallets/${walletIds[round % walletIds.length] ?? ""}`,
    ],
  },
  {
    what: "search by tax id",
    goal: true,
    request: ({ wallets }, round) => search({ taxId: `grown${1 + ((round * 7919) % wallets)}` }),
  },
  {
    what: `search by a part of a name (${rareName.wallets} found)`,
    goal: true,
    request: () => search({ lastName: rareName.part.slice(1, 7) }),
  },
  { what: "list, first page", goal: true, request: () => ["/wallet/wallets"] },
  {
    what: "list, last page",
    goal: true,
    request: ({ wallets }) => [`/wallet/wallets?pageNumber=${Math.floor(wallets / 50) - 1}`],
  },
  {
    what: "list of the last 30 days",
    goal: true,
    request: () => {
      const fromDate = new Date(Date.now() - 30 * 86_400_000).toISOString();
      return [`/wallet/wallets?fromDate=${fromDate}`];
    },
  },
  { what: "search for suspended ones", goal: true, request: () => search({ isSuspended: true }) },
  { what: "statistics of the partner", goal: true, request: () => ["/wallet/statistics/wallets"] },
  {
    what: "statistics of a dealer",
    goal: true,
    request: () => ["/wallet/statistics/wallets/dealer-rome"],
  },
  {
    what: "search by a part that 1 in 200 names has",
    goal: false,
    request: () => search({ lastName: "bac" }),
  },
];

const timed = async (side: Side, call: Call, round: number): Promise<number> => {
  const [path, body] = call.request(side, round);
  const startedAt = performance.now();
  const answer = await fetch(side.platform.url + path, {
    method: body === undefined ? "GET" : "POST",
    headers: side.headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const ms = performance.now() - startedAt;
  if (answer.status !== 200) throw new Error(`${call.what}: ${answer.status} ${text}`);
  return ms;
};

const someWallets = async (databaseUrl: string): Promise<readonly string[]> => {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ id: string }>(
    "select wallet_id as id from borsello.wallet order by random() limit 500",
  );
  await client.end();
  return rows.map(({ id }) => id);
};

const grow = async (platform: PlatformProcess, wallets: number): Promise<Side> => {
  await growTo(platform.databaseUrl, 0, wallets);
  return {
    platform,
    wallets,
    headers: await headersFor(platform.url, acme),
    walletIds: await someWallets(platform.databaseUrl),
  };
};

/** Both sides take turns, so that whatever else the machine does falls on both. */
const measure = async (
  sides: Readonly<Record<Size, Side>>,
  call: Call,
  rounds: number,
): Promise<Readonly<Record<Size, number>>> => {
  const found: Record<Size, number[]> = { small: [], grown: [] };
  for (let round = -warmUps; round < rounds; round += 1)
    for (const size of bothSizes) {
      const ms = await timed(sides[size], call, round + warmUps);
      if (round >= 0) found[size].push(ms);
    }
  return { small: median(found.small), grown: median(found.grown) };
};

const thousands = (count: number): string => count.toLocaleString("en-US");

const rowOf = (
  { what, goal }: Call,
  sizes: Extent["sizes"],
  { small, grown }: Readonly<Record<Size, number>>,
): Row => ({
  what,
  figure: `${small.toFixed(2)} ms at ${thousands(sizes.small)}, ${grown.toFixed(2)} ms at ${thousands(sizes.grown)}`,
  beside: `× ${(grown / small).toFixed(2)}; ${goal ? "goal: less than × 2" : "no goal: what is found grows too"}`,
});

export const walletGrowth: Scenario = {
  name: "wallet-growth",
  title: "The same calls at a thousand and at a million wallets",
  method:
    `Two platforms side by side, one with ${thousands(full.sizes.small)} wallets of the partner, one with ` +
    `${thousands(full.sizes.grown)}, written by SQL; each call alternates between them ${full.rounds} times, one at a ` +
    "time over HTTP; medians. Caller, platforms and databases share the machine.",
  run: async (say, { quick }) =>
    withTemporaryFolder(async (folder) => {
      const { sizes, rounds } = quick ? brief : full;
      const small = await startPlatform(join(folder, "small"));
      try {
        const grown = await startPlatform(join(folder, "grown"));
        try {
          const sides = {
            small: await grow(small, sizes.small),
            grown: await grow(grown, sizes.grown),
          };
          say("both are grown");
          const rows: Row[] = [];
          for (const call of calls) {
            const row = rowOf(call, sizes, await measure(sides, call, rounds));
            rows.push(row);
            say(`${row.what}: ${row.figure} (${row.beside})`);
          }
          return rows;
        } finally {
          await grown.stop();
        }
      } finally {
        await small.stop();
      }
    }),
};
