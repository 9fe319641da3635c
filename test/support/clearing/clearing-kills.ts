/** Kills the platform while a day is cleared, and holds its files against what the processor presented. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { z } from "zod";
import { checkClearingFiles, type CheckedFiles } from "../../../bench/cards/clearing-check.js";
import { writePresented, type ClearingLoad } from "../../../bench/cards/clearing-rows.js";
import { databaseDocuments } from "../../../functions/kit/document-store.js";
import { sweepDocuments } from "../../../functions/schedule/document-sweep.js";
import { triggerClearingRoute } from "../../../shared/contracts/clearing/flows.js";
import type { Database } from "../../../shared/database/platform/database.js";
import { clientOf, openStackDatabase, valueOf } from "../platform/api.js";
import { untilNone } from "../platform/progress.js";
import { seededBelow } from "../platform/seeded-random.js";
import { startTestStack, type TestStack } from "../platform/stack.js";
import { countOf } from "../wallet/bank-fixtures.js";

export interface ClearingRun extends ClearingLoad {
  readonly kills: number;
  readonly seed: number;
  /** Told of how many records have been imported or written. */
  readonly done?: (count: number) => void;
}

/** Each record is a step when it is imported, and another when its file is there. */
const stepsDone = (database: Database): Promise<number> =>
  countOf(
    database,
    `select (select coalesce(sum(imported_records), 0)::bigint from borsello.incoming_clearing)
       + (select coalesce(sum(written_records), 0)::bigint from borsello.outgoing_clearing
          where delivered_at is not null) as count`,
  );

/** Dies when so many steps are done, or some moments later. */
const killAt = async (
  stack: TestStack,
  database: Database,
  steps: number,
  laterMs: number,
): Promise<void> => {
  while ((await stepsDone(database)) < steps) await sleep(5);
  await sleep(laterMs);
  await stack.kill9();
  await stack.restart();
};

const Bookmark = z.object({ id: z.string(), status: z.string(), feedback: z.string().nullable() });

const bookmarkOf = (database: Database) =>
  database.row(
    Bookmark,
    `select clearing_bookmark_id as id, status, feedback from borsello.clearing_bookmark`,
  );

/** What was presented and is not cleared as it was presented, or is cleared and was never presented. */
const astray = `
  select count(*) from borsello.clearing_item as i
    full join borsello.clearing_record as r using (type, item_id)
  where i.item_id is null or r.item_id is null or i.partner_key <> r.partner_key
    or borsello.money(r.amount_cents + case when type = 'FEEMULTISCHEME' then r.fee_cents else 0 end)
      <> (i.record::json ->> 'amount')::numeric`;

const toldCompleted = `
  select count(*) from borsello.outbox where subject = 'ClearingCompleted'`;

const keptDocuments = `
  select count(distinct (document_key, write_id)) from borsello.document_piece
  where document_key like 'clearing/%'`;

const judge = async (
  stack: TestStack,
  database: Database,
  bookmarkId: string,
): Promise<CheckedFiles> => {
  const checked = await checkClearingFiles(stack, bookmarkId);
  expect(await countOf(database, astray)).toBe(0);
  await sweepDocuments({ database, documents: databaseDocuments(database) }, 0);
  expect(await countOf(database, keptDocuments), "no bytes stay of attempts that were cut").toBe(
    checked.files,
  );
  return checked;
};

/** Resolves to what was read of the affiliates' files. */
export const killUnderClearing = async ({
  kills,
  seed,
  done,
  ...load
}: ClearingRun): Promise<CheckedFiles> => {
  const stack = await startTestStack();
  const database = openStackDatabase(stack);
  const below = seededBelow(seed);
  const steps = 2 * (load.presentments + load.fees);
  try {
    await writePresented(stack.databaseUrl, "kills", load);
    valueOf(await clientOf(stack, "acme").call(triggerClearingRoute, { body: {} }));
    const places = Array.from({ length: kills }, () => below(Math.floor(steps * 0.9)));
    for (const place of places.sort((one, other) => one - other))
      await killAt(stack, database, place, below(50));
    let before = 0;
    await untilNone(async () => {
      const now = await stepsDone(database);
      if (now > before) done?.(now - before);
      before = Math.max(before, now);
      return steps - before;
    });
    await expect
      .poll(async () => (await bookmarkOf(database))?.status, { timeout: 45_000 })
      .toBe("Completed");
    const bookmarkId = (await bookmarkOf(database))?.id ?? "";
    expect(await countOf(database, toldCompleted)).toBe(load.affiliates.length);
    return await judge(stack, database, bookmarkId);
  } finally {
    await database.close();
    await stack.stop();
  }
};
