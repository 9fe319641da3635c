/** What growth costs a payment: the rate of confirmations on ten and a hundred times the wallets, the bytes that each leaves. */
import { join } from "node:path";
import { atLeast, atMost, verdict } from "../kit/goal.js";
import { median } from "../kit/load.js";
import type { Row, Scenario } from "../kit/scenario.js";
import { openTill, type Till } from "../money/till.js";
import { withTemporaryFolder } from "../platform/process.js";

/** How many wallets each platform has. */
interface Wallets {
  readonly small: number;
  readonly grown: number;
  readonly vast: number;
}

interface Extent extends Wallets {
  readonly pairs: number;
  readonly seconds: number;
}

const full: Extent = { small: 10_000, grown: 100_000, vast: 1_000_000, pairs: 5, seconds: 3 };
const brief: Extent = { small: 2_000, grown: 5_000, vast: 10_000, pairs: 2, seconds: 1 };
const connections = 32;
/** Of the rate at the small one (goal G1). */
const leastShare = { grown: 0.9, vast: 0.85 } as const;

const thousands = (count: number): string => count.toLocaleString("en-US");

type Tills = Readonly<Record<keyof Wallets, Till>>;
type Rates = Readonly<Record<keyof Wallets, number>>;

const rates = async (tills: Tills, extent: Extent): Promise<readonly Row[]> => {
  const slot = async (till: Till, length: number): Promise<number> => {
    const { perSecond } = await till.confirm({ connections, seconds: length });
    await till.settle();
    return perSecond;
  };
  const found: Rates[] = [];
  for (let round = -1; round < extent.pairs; round += 1) {
    const length = round < 0 ? 1 : extent.seconds;
    const one = {
      small: await slot(tills.small, length),
      grown: await slot(tills.grown, length),
      vast: await slot(tills.vast, length),
    };
    if (round >= 0) found.push(one);
  }
  const rate = (size: keyof Wallets): string =>
    `${median(found.map((one) => one[size])).toFixed(0)}/s`;
  return (["grown", "vast"] as const).map((size) => {
    const ratio = median(found.map((one) => one[size] / one.small));
    const count = extent[size];
    return {
      what: `payments confirmed, ${thousands(count)} wallets and ${thousands(3 * count)} entries`,
      figure: rate(size),
      beside:
        `${ratio.toFixed(2)} of the rate at ${thousands(extent.small)} wallets, ${rate("small")}; ` +
        verdict(atLeast("G1", leastShare[size]), ratio),
    };
  });
};

type Sizes = ReadonlyMap<string, number>;

/** Bytes of each table with its indexes, once what is dead has been cleared away. */
const sizesOf = async ({ client }: Till): Promise<Sizes> => {
  await client.query("vacuum analyze");
  const { rows } = await client.query<{ name: string; bytes: string }>(
    `select relname as name, pg_total_relation_size(oid) as bytes from pg_class
     where relnamespace = 'borsello'::regnamespace and relkind = 'r'`,
  );
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]));
};

const bytesPerPayment = async (till: Till, seconds: number): Promise<Row> => {
  const before = await sizesOf(till);
  const { byStatus } = await till.pay({ connections, seconds });
  await till.settle();
  const after = await sizesOf(till);
  const payments = (byStatus["200"] ?? 0) / 2;
  const each = [...after]
    .map(([name, bytes]) => ({ name, bytes: (bytes - (before.get(name) ?? 0)) / payments }))
    .filter(({ bytes }) => bytes >= 1)
    .sort((a, b) => b.bytes - a.bytes);
  const all = each.reduce((sum, { bytes }) => sum + bytes, 0);
  const parts = each.map(({ name, bytes }) => `${name} ${bytes.toFixed(0)}`).join(", ");
  return {
    what: "bytes on disk for a payment initialised and confirmed, with its audit rows and three events",
    figure: all.toFixed(0),
    beside: `${verdict(atMost("G5", 1_229, "bytes"), all)}; ${parts}`,
  };
};

export const moneyGrowth: Scenario = {
  name: "money-growth",
  title: "What growth costs a payment",
  method:
    `Three platforms side by side, with ${thousands(full.small)}, ${thousands(full.grown)} and ${thousands(full.vast)} wallets and their books, written by SQL; ` +
    `payments confirmed through HTTP with ${connections} connections, ${full.pairs} rounds of a ${full.seconds} s slot each, the median of the ratios within a round. ` +
    "Bytes: what the tables of the second with their indexes have grown by, vacuumed, for each payment of a slot that initialises and confirms them.",
  run: async (say, { quick }) =>
    withTemporaryFolder(async (folder) => {
      const extent = quick ? brief : full;
      const open: Till[] = [];
      const openAt = async (size: keyof Wallets): Promise<Till> => {
        const till = await openTill(join(folder, size), extent[size]);
        open.push(till);
        say(`${thousands(extent[size])} wallets are written`);
        return till;
      };
      try {
        const vast = await openAt("vast");
        const grown = await openAt("grown");
        const small = await openAt("small");
        const rows = await rates({ small, grown, vast }, extent);
        return [...rows, await bytesPerPayment(grown, 2 * extent.seconds)];
      } finally {
        for (const till of open) await till.stop();
      }
    }),
};
