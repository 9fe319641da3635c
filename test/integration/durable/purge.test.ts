/** Purging finds all that has ended, however much that is, and nothing else. */
import type { Pool } from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { purgeMatching, removeInstances } from "../../../local/durable/storage/purge.js";
import { createSchema } from "../../../local/durable/storage/schema.js";
import { openPool } from "../../support/database/connections.js";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";

let database: TestDatabase;
let pool: Pool;

beforeEach(async () => {
  database = await createDatabase();
  pool = openPool(database.url);
  await createSchema(pool);
});
afterEach(async () => {
  await pool.end();
  await database.drop();
});

/** All have ended in the same moment. */
const insertFailed = async (count: number): Promise<void> => {
  await pool.query(
    `insert into durable.instance (hub, id, kind, execution_id, name, status, created_at,
       updated_at, completed_at)
     select 'hub', n, 'orchestration', 'e', 'flow', 'Failed', now(), now(), now()
     from generate_series(1, $1) n`,
    [count],
  );
};

test("by filter, thousands go that ended in one moment", async () => {
  await insertFailed(2_500);
  const filter = { hub: "hub", from: "-infinity", to: "infinity" };
  expect(await purgeMatching(pool, { ...filter, statuses: ["Completed"] })).toBe(0);
  expect(await purgeMatching(pool, { ...filter, statuses: ["Failed"] })).toBe(2_500);
});

test("an orchestration that was rewound since it was found to have ended stays", async () => {
  await insertFailed(1);
  const { rows } = await pool.query<{ key: string }>(
    "update durable.instance set status = 'Running', completed_at = null returning key",
  );
  expect(
    await removeInstances(
      pool,
      rows.map(({ key }) => key),
    ),
  ).toBe(0);
});
