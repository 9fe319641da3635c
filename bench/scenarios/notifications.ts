/** What the bank's notifications cost as they add up: credits a second, and how long one takes to its event. */
import { join } from "node:path";
import { median, percentile } from "../kit/load.js";
import type { Row, Scenario } from "../kit/scenario.js";
import { openCreditDesk, type CreditDesk } from "../money/credits.js";
import { withTemporaryFolder } from "../platform/process.js";

interface Extent {
  readonly few: number;
  readonly many: number;
  readonly pairs: number;
  /** Credits of a slot. */
  readonly rush: number;
  readonly paceSeconds: number;
}
const whole: Extent = { few: 1_000, many: 100_000, pairs: 7, rush: 1_000, paceSeconds: 5 };
const brief: Extent = { few: 100, many: 1_000, pairs: 1, rush: 100, paceSeconds: 1 };
const pacePerSecond = 50;
const leastShare = 0.9;

type Side = "few" | "many";
type Desks = Readonly<Record<Side, CreditDesk>>;

const sides: readonly Side[] = ["few", "many"];
const thousands = (count: number): string => count.toLocaleString("en-US");

/** Both take turns, so that whatever else the machine does falls on both. */
const inTurns = async <Value>(
  desks: Desks,
  pairs: number,
  slot: (desk: CreditDesk) => Promise<Value>,
): Promise<Readonly<Record<Side, Value[]>>> => {
  const found: Record<Side, Value[]> = { few: [], many: [] };
  for (let pair = -1; pair < pairs; pair += 1)
    for (const side of pair % 2 === 0 ? sides : sides.toReversed()) {
      const value = await slot(desks[side]);
      if (pair >= 0) found[side].push(value);
    }
  return found;
};

const rates = async (desks: Desks, { few, many, pairs, rush }: Extent): Promise<Row> => {
  const found = await inTurns(desks, pairs, (desk) => desk.rush(rush));
  const ratio = median(found.few.map((rate, pair) => (found.many[pair] ?? Number.NaN) / rate));
  return {
    what: `credits a second, after ${thousands(many)} notifications`,
    figure: `${median(found.many).toFixed(0)}/s`,
    beside:
      `${ratio.toFixed(2)} of the rate after ${thousands(few)}, ${median(found.few).toFixed(0)}/s; ` +
      `goal at least ${leastShare}: ${ratio >= leastShare ? "met" : "not met"}`,
  };
};

const delays = async (desks: Desks, { few, many, pairs, paceSeconds }: Extent): Promise<Row> => {
  const found = await inTurns(desks, pairs, (desk) => desk.pace(pacePerSecond, paceSeconds));
  const told = (side: Side): string => {
    const all = found[side].flat();
    return `${percentile(all, 0.99).toFixed(0)} ms (median ${median(all).toFixed(0)} ms)`;
  };
  return {
    what: `p99 from message to the partner's event of its credit, ${pacePerSecond} a second, after ${thousands(many)}`,
    figure: told("many"),
    beside: `after ${thousands(few)}: ${told("few")}; no goal`,
  };
};

export const notifications: Scenario = {
  name: "notifications",
  title: "Bank notifications after a thousand and after a hundred thousand",
  method:
    `Two platforms side by side, with ${thousands(whole.few)} and ${thousands(whole.many)} bank notifications behind them, ` +
    "received by the app's own SQL function, one of ten of which waits for a person, their audit sealed, tables vacuumed. Transfers that name the code of one of " +
    `500 wallets are sent through the broker: ${pacePerSecond} a second for ${whole.paceSeconds} s, each timed from when it was due until the partner has its event ` +
    `TransactionConfirmed; then, in further slots, ${thousands(whole.rush)} as fast as it takes them, until all are credited. What is credited is settled by the night's harvest. ${whole.pairs} alternating pairs of slots, the median of the pairs' ratios. The bank, the partner, ` +
    "platforms and databases share the machine.",
  run: async (say, { quick }) =>
    withTemporaryFolder(async (folder) => {
      const extent = quick ? brief : whole;
      const few = await openCreditDesk(join(folder, "few"), extent.few);
      try {
        const many = await openCreditDesk(join(folder, "many"), extent.many);
        try {
          say("both are filled");
          // First at a quiet pace: what a rush leaves to be done behind it would be timed, too.
          const paced = await delays({ few, many }, extent);
          return [await rates({ few, many }, extent), paced];
        } finally {
          await many.stop();
        }
      } finally {
        await few.stop();
      }
    }),
};
