/** Whether every bucket's balance is the sum of its entries: it should be, at any time. */
import { z } from "zod";
import type { Queryable } from "../platform/database.js";

const Counted = z.object({ count: z.int() });

/** Reads all entries. */
export const countMismatches = async (database: Queryable): Promise<number> => {
  const counted = await database.row(
    Counted,
    "select count(*)::int as count from borsello.bucket_mismatch",
  );
  if (counted === undefined) throw new Error("A count without groups gave no row.");
  return counted.count;
};
