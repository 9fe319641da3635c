/** Where the processor's files come from: a port, and the source that cuts what the processor's events told. */
import { createHash } from "node:crypto";
import { z } from "zod";
import type { ClearingFileType } from "../../domain/clearing/file-names.js";
import type { Database } from "../platform/database.js";

export interface IncomingFile {
  readonly incomingClearingId: string;
  readonly type: ClearingFileType;
}

/** What a file says of itself. */
export interface IncomingHeader {
  readonly records: bigint;
  /** Of its records in order, a line feed after each. */
  readonly sha256: Buffer;
}

export interface IncomingLine {
  /** 1, 2, 3 … */
  readonly ordinal: bigint;
  readonly record: string;
}

/** A file never changes once it was opened; only that makes it safe to read it twice, and in parts. */
export interface IncomingSource {
  open(file: IncomingFile): Promise<IncomingHeader>;
  /** The lines after a place, in order, at most so many; fewer only at the file's end. */
  lines(file: IncomingFile, after: bigint, linesMax: number): Promise<readonly IncomingLine[]>;
  /** The file was deleted: gives back some of what it took; resolves to whether that was all. */
  giveBack(file: IncomingFile, linesMax: number): Promise<boolean>;
}

/** Every line of a file, some thousands at a time. */
export async function* linesOf(
  source: Pick<IncomingSource, "lines">,
  file: IncomingFile,
  linesMax: number,
): AsyncGenerator<readonly IncomingLine[], void, undefined> {
  for (let after = 0n; ;) {
    const lines = await source.lines(file, after, linesMax);
    if (lines.length > 0) yield lines;
    const last = lines.at(-1);
    if (last === undefined || lines.length < linesMax) return;
    after = last.ordinal;
  }
}

/** The hash that a header declares, made while the lines go by. */
export const lineHash = () => {
  const hash = createHash("sha256");
  return {
    add: (record: string): void => {
      hash.update(record).update("\n");
    },
    digest: (): Buffer => hash.digest(),
  };
};

const linesPerPage = 1_000;

const Header = z.object({ records: z.bigint(), sha256: z.instanceof(Buffer) });
const Line = z.object({ ordinal: z.bigint(), record: z.string() });

const findHeader =
  "select records, sha256 from borsello.clearing_source_file where incoming_clearing_id = $1";

/** From a place on, so that no page looks again at what the pages before it took. */
const cutPage = `
  with page as materialized (
    select item_no from borsello.clearing_item
    where type = $2 and incoming_clearing_id is null and item_no > $3
    order by item_no limit $4 for update skip locked
  ), placed as (
    select item_no, row_number() over (order by item_no)
      + coalesce((select max(ordinal) from borsello.clearing_item
          where incoming_clearing_id = $1), 0) as ordinal
    from page
  )
  update borsello.clearing_item as i set incoming_clearing_id = $1, ordinal = placed.ordinal
  from placed where i.item_no = placed.item_no
  returning i.item_no as "itemNo"`;

const Cut = z.object({ itemNo: z.bigint() });

/** One at a time per file: the next page's places follow the last one's. */
const lockFile = "select pg_advisory_xact_lock(hashtextextended('clearing file ' || $1, 0))";

/** Only over all that was cut: somebody who opened the file at the same moment may have cut more. */
const writeHeader = `
  insert into borsello.clearing_source_file (incoming_clearing_id, records, sha256)
  select $1, $2, $3 where $2 = coalesce((select max(ordinal) from borsello.clearing_item
    where incoming_clearing_id = $1), 0)
  on conflict do nothing`;

/** Empty and closed for ever: somebody who is still about to open the file takes nothing into it. */
const leaveClosed = `
  insert into borsello.clearing_source_file (incoming_clearing_id, records, sha256)
  values ($1, 0, $2) on conflict (incoming_clearing_id) do update
  set records = excluded.records, sha256 = excluded.sha256`;

/**
 * Cuts all that waits into a file when it is opened. What arrives meanwhile may still come in, until a page
 * is not full; what comes later waits for the next file. The header closes the file: whoever comes back
 * before it was written goes on cutting.
 */
export const waitingItems = (database: Database): IncomingSource => {
  const findFile = (file: IncomingFile): Promise<IncomingHeader | undefined> =>
    database.row(Header, findHeader, [file.incomingClearingId]);

  const cut = ({ incomingClearingId, type }: IncomingFile, after: bigint) =>
    database.quietTransaction(async (tx) => {
      await tx.execute(lockFile, [incomingClearingId]);
      if ((await tx.row(Header, findHeader, [incomingClearingId])) !== undefined) return [];
      return tx.rows(Cut, cutPage, [incomingClearingId, type, after, linesPerPage]);
    });

  const cutAll = async (file: IncomingFile): Promise<void> => {
    for (let after = 0n; ;) {
      const items = await cut(file, after);
      if (items.length < linesPerPage) return;
      for (const { itemNo } of items) if (itemNo > after) after = itemNo;
    }
  };

  const close = (file: IncomingFile, { records, sha256 }: IncomingHeader): Promise<void> =>
    database.quietTransaction(async (tx) => {
      await tx.execute(lockFile, [file.incomingClearingId]);
      await tx.execute(writeHeader, [file.incomingClearingId, records, sha256]);
    });

  const source: IncomingSource = {
    open: async (file) => {
      for (;;) {
        const found = await findFile(file);
        if (found !== undefined) return found;
        await cutAll(file);
        const hash = lineHash();
        let records = 0n;
        for await (const lines of linesOf(source, file, linesPerPage))
          for (const { record } of lines) {
            hash.add(record);
            records += 1n;
          }
        await close(file, { records, sha256: hash.digest() });
      }
    },
    lines: ({ incomingClearingId }, after, linesMax) =>
      database.rows(
        Line,
        `select ordinal, record from borsello.clearing_item
         where incoming_clearing_id = $1 and ordinal > $2 order by ordinal limit $3`,
        [incomingClearingId, after, linesMax],
      ),
    giveBack: ({ incomingClearingId }, linesMax) =>
      database.quietTransaction(async (tx) => {
        await tx.execute(lockFile, [incomingClearingId]);
        const given = await tx.execute(
          `update borsello.clearing_item set incoming_clearing_id = null, ordinal = null
           where item_no in (select item_no from borsello.clearing_item
             where incoming_clearing_id = $1 order by ordinal limit $2)`,
          [incomingClearingId, linesMax],
        );
        if (given > 0) return false;
        await tx.execute(leaveClosed, [incomingClearingId, lineHash().digest()]);
        return true;
      }),
  };
  return source;
};
