/** What growth costs a payment: the rate of confirmations on ten times the wallets, the bytes that each leaves. */
import { join } from "node:path";
import { atLeast, atMost, verdict } from "../kit/goal.js";
import { median } from "../kit/load.js";
import type { Row, Scenario } from "../kit/scenario.js";
import { openTill, type Till } from "../money/till.js";
import { withTemporaryFolder } from "../platform/process.js";

interface Extent {
  readonly small: number;
  readonly grown: number;
  readonly pairs: number;
  readonly seconds: number;
}

const full: Extent = { small: 10_000, grown: 100_000, pairs: 5, seconds: 3 };
const brief: Extent = { small: 2_000, grown: 10_000, pairs: 2, seconds: 1 };
const connections = 32;

const thousands = (count: number): string => count.toLocaleString("en-US");

const rates = async (
  tills: Readonly<Record<"small" | "grown", Till>>,
  { small, grown, pairs, seconds }: Extent,
): Promise<Row> => {
  const slot = async (till: Till, length: number): Promise<number> => {
    const { perSecond } = await till.confirm({ connections, seconds: length });
    await till.settle();
    return perSecond;
  };
  const found: { readonly small: number; readonly grown: number }[] = [];
  for (let pair = -1; pair < pairs; pair += 1) {
    const length = pair < 0 ? 1 : seconds;
    const one = { small: await slot(tills.small, length), grown: await slot(tills.grown, length) };
    if (pair >= 0) found.push(one);
  }
  const ratio = median(found.map((one) => one.grown / one.small));
  const rate = (read: (one: (typeof found)[number]) => number): string =>
    `${median(found.map(read)).toFixed(0)}/s`;
  return {
    what: `payments confirmed, ${thousands(grown)} wallets and ${thousands(3 * grown)} entries`,
    figure: rate((one) => one.grown),
    beside:
      `${ratio.toFixed(2)} of the rate at ${thousands(small)} wallets, ${rate((one) => one.small)}; ` +
      verdict(atLeast("G1", 0.9), ratio),
  };
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
    `Two platforms side by side, with ${thousands(full.small)} and ${thousands(full.grown)} wallets and their books, written by SQL; ` +
    `payments confirmed through HTTP with ${connections} connections, ${full.pairs} alternating pairs of ${full.seconds} s slots, the median of the pairs' ratios. ` +
    "Bytes: what the tables with their indexes have grown by, vacuumed, for each payment of a slot that initialises and confirms them. " +
    "A hundred times the wallets are not measured: to write them takes longer than all the rest.",
  run: async (say, { quick }) =>
    withTemporaryFolder(async (folder) => {
      const extent = quick ? brief : full;
      const small = await openTill(join(folder, "small"), extent.small);
      try {
        const grown = await openTill(join(folder, "grown"), extent.grown);
        try {
          say("both are grown");
          const rows = [await rates({ small, grown }, extent)];
          rows.push(await bytesPerPayment(grown, 2 * extent.seconds));
          return rows;
        } finally {
          await grown.stop();
        }
      } finally {
        await small.stop();
      }
    }),
};
