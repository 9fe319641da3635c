/** Whether the database has what deletes wallets for good: outside production only. */
import { readFile } from "node:fs/promises";
import type { Queryable } from "../platform/database.js";

const execute = async (queryable: Queryable, file: string): Promise<void> => {
  await queryable.execute(await readFile(new URL(file, import.meta.url), "utf8"));
};

/** Outside production, before the first call. */
export const allowForceDelete = (queryable: Queryable): Promise<void> =>
  execute(queryable, "allow-force-delete.sql");

/** In production, where the database may have served for tests before. */
export const forbidForceDelete = (queryable: Queryable): Promise<void> =>
  execute(queryable, "forbid-force-delete.sql");
