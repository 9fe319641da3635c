/** How much of the outbox a round of the relay looks at: blocks of its rows and indexes. */
import { z } from "zod";
import type { Database } from "../../../shared/database/platform/database.js";

const Blocks = z.object({ blocks: z.coerce.number() });

const blocksRead = async (database: Database): Promise<number> => {
  await database.execute("select pg_stat_force_next_flush()");
  const found = await database.row(
    Blocks,
    `select heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read as blocks
     from pg_statio_user_tables where relid = 'borsello.outbox'::regclass`,
  );
  return found?.blocks ?? 0;
};

/** Of so many rounds the one in the middle: a connection may tell late of what it did before them. */
export const blocksPerRound = async (
  database: Database,
  rounds: number,
  round: (number: number) => Promise<void>,
): Promise<number> => {
  const costs: number[] = [];
  for (let number = 1; number <= rounds; number += 1) {
    const before = await blocksRead(database);
    await round(number);
    costs.push((await blocksRead(database)) - before);
  }
  return costs.sort((one, other) => one - other)[Math.floor(rounds / 2)] ?? Infinity;
};
