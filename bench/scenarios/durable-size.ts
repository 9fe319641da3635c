/** What grows with size: long and wide orchestrations, finished and waiting instances, bytes on disk. */
import { withBenchPostgres } from "../durable/bench-postgres.js";
import { bytesRow, fanRow, stepsRow } from "../durable/size-of-one.js";
import { finishedRows } from "../durable/size-of-finished.js";
import { waitingRows } from "../durable/size-of-waiting.js";
import type { Row, Scenario } from "../kit/scenario.js";

export const durableSize: Scenario = {
  name: "durable-size",
  title: "Sizes of the durable engine",
  method:
    "Time per step: one orchestration at a time, three alternating pairs. Time per child: one orchestration of 1,000 children " +
    "beside 100 orchestrations of 10 at once, five alternating pairs. " +
    "Finished and waiting instances are copies, made by SQL, of one that the engine ran. Rates beside an empty engine: " +
    "16 in flight, five alternating pairs of 2 s slots, two hosts on the same PostgreSQL, medians of the pairs' ratios. " +
    "Waiting instances: a start from spawning the host until one of them has taken an event and ended.",
  run: async (say, { quick }) =>
    withBenchPostgres(async (postgres) => {
      const rows: Row[] = [];
      const measure = async (measured: Promise<readonly Row[]>): Promise<void> => {
        for (const row of await measured) {
          say(`${row.what}: ${row.figure}`);
          rows.push(row);
        }
      };
      await measure(stepsRow(postgres, quick));
      await measure(fanRow(postgres, quick));
      await measure(bytesRow(postgres, quick));
      await measure(finishedRows(postgres, quick));
      for (const count of quick ? [1_000] : [10_000, 100_000])
        await measure(waitingRows(postgres, count));
      return rows;
    }),
};
