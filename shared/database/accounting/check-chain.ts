/** The hash chain, computed anew from the rows: whatever was changed since it was sealed shows. */
import { createHash } from "node:crypto";
import { z } from "zod";
import type { Book, Report } from "./book.js";

/** A row's number and the hash of its text; for a row that is gone, as it was noted. */
interface Hashed {
  readonly number: bigint;
  readonly hash: Buffer;
}

const sha256 = (...parts: readonly (string | Uint8Array)[]): Buffer => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};

const rowsPerPage = 5_000;
const linksPerPage = 1_000;

const micros = (column: string): string => `(extract(epoch from ${column}) * 1000000)::bigint`;

const hashBytes = 32;

/** The numbers of the rows, and their hashes one behind the other. */
const pageOf = (number: string, texts: readonly string[], rows: string): string => `
  select coalesce(string_agg(${number}::text, ',' order by ${number}), '') as numbers,
    coalesce(string_agg(sha256(convert_to(concat_ws('|', ${texts.join(", ")}), 'UTF8')), ''
      order by ${number}), '') as hashes
  from ${rows}`;

/**
 * The texts that were hashed, as the migration of the proof writes them: said once more here, by the
 * server's own functions alone, since whoever can change rows can change ours, too.
 */
const selectAudit = pageOf(
  "audit_id",
  [
    ...["audit_id", micros("at"), "quote_literal(actor)", "quote_nullable(partner_key)"],
    ...["quote_literal(entity)", "quote_literal(entity_id)", "quote_literal(action)"],
    ...["quote_nullable(from_status)", "quote_nullable(to_status)", "quote_nullable(detail::text)"],
  ],
  `(
    select * from borsello.audit where audit_id > $1::bigint order by audit_id limit ${rowsPerPage}
  ) as page`,
);

const selectTransactions = pageOf(
  "transaction_id",
  [
    ...["transaction_id", "quote_nullable(operation_id::text)"],
    ...["quote_nullable(bank_notification_id::text)", "quote_nullable(reconciliation_id::text)"],
    ...["kind", "occurrence", micros("posted_at"), "posted_in::text", "entries"],
  ],
  `(
    select * from borsello.ledger_transaction
    where transaction_id > $1::bigint order by transaction_id limit ${rowsPerPage}
  ) as page cross join lateral (
    select string_agg(concat_ws(':', quote_literal(account.partner_key), account.kind,
      quote_literal(account.reference), entry.amount_cents), ',' order by entry.account_id) as entries
    from borsello.entry join borsello.account using (account_id)
    where entry.transaction_id = page.transaction_id
  ) as posted`,
);

const Hashes = z.object({
  numbers: z.string().transform((text) => (text === "" ? [] : text.split(","))),
  hashes: z.instanceof(Buffer),
});

/** Reads rows in the order of their numbers, a page at a time. */
const rowsInOrder = (book: Book, select: string, report: Report) => {
  let page: Hashed[] = [];
  let next = 0;
  let last = 0n;
  let isOver = false;
  const read = async (): Promise<void> => {
    const { numbers, hashes } = await book.row(Hashes, select, [last]);
    page = numbers.map((number, index) => ({
      number: BigInt(number),
      hash: hashes.subarray(index * hashBytes, (index + 1) * hashBytes),
    }));
    next = 0;
    last = page.at(-1)?.number ?? last;
    isOver = page.length < rowsPerPage;
    report.advance(page.length);
  };
  /** Calls `take` for all rows up to a number; each row is given once. */
  const upTo = async (through: bigint, take: (row: Hashed) => void): Promise<void> => {
    for (;;) {
      for (let row = page[next]; row !== undefined; row = page[next]) {
        if (row.number > through) return;
        take(row);
        next += 1;
      }
      if (isOver) return;
      await read();
    }
  };
  return { upTo };
};

const Link = z.object({
  linkId: z.string(),
  auditThrough: z.string(),
  transactionThrough: z.string(),
  auditRows: z.int(),
  transactions: z.int(),
  head: z.string(),
  hash: z.string(),
  isForgotten: z.boolean(),
});
type Link = z.infer<typeof Link>;
const Links = z.object({ links: z.array(Link) });

/** `head` is the text of the link itself that its hash begins with, after the hash before it. */
const selectLinks = `
  select coalesce(json_agg(json_build_object('linkId', link_id::text,
    'auditThrough', audit_through::text, 'transactionThrough', transaction_through::text,
    'auditRows', audit_rows, 'transactions', transactions,
    'head', concat_ws('|', link_id, audit_through, transaction_through, audit_rows, transactions,
      ${micros("sealed_at")}), 'hash', encode(hash, 'hex'), 'isForgotten', exists (
        select from borsello.forgotten_audit as f where f.link_id = page.link_id))
    order by link_id), '[]') as links
  from (
    select * from borsello.audit_link
    where link_id > $1::bigint order by link_id limit ${linksPerPage}
  ) as page`;

async function* linksInOrder(book: Book): AsyncGenerator<Link> {
  let last = "0";
  for (;;) {
    const { links } = await book.row(Links, selectLinks, [last]);
    yield* links;
    if (links.length < linksPerPage) return;
    last = links.at(-1)?.linkId ?? last;
  }
}

const Deleted = z.object({ sealed: z.record(z.string(), z.string()) });

/** Sealed transactions that went with a wallet that was deleted for good: outside production only. */
const deletedTransactions = async (book: Book): Promise<Hashed[]> => {
  const { sealed } = await book.row(
    Deleted,
    `select coalesce(json_object_agg(key, value), '{}') as sealed
     from borsello.audit, json_each_text(detail -> 'sealedTransactions')
     where entity = 'Wallet' and action = 'forceDelete'`,
  );
  return Object.entries(sealed)
    .map(([number, hash]) => ({ number: BigInt(number), hash: Buffer.from(hash, "hex") }))
    .sort((one, other) => (one.number < other.number ? -1 : 1));
};

const KeptHashes = z.object({ hashes: z.instanceof(Buffer) });

/** What stands for the audit rows of a link whose rows were forgotten. */
const forgottenHashes = async (book: Book, linkId: string): Promise<Buffer> => {
  const select = "select hashes from borsello.forgotten_audit where link_id = $1::bigint";
  return (await book.row(KeptHashes, select, [linkId])).hashes;
};

const Checkpoint = z.object({ linkId: z.string(), hash: z.string(), through: z.string() });
type Checkpoint = z.infer<typeof Checkpoint>;

/** The newest audit row that says how far rows were forgotten: it is in the chain like every other. */
const findCheckpoint = async (book: Book): Promise<Checkpoint | null> => {
  const { checkpoint } = await book.row(
    z.object({ checkpoint: Checkpoint.nullable() }),
    `select (
       select detail from borsello.audit
       where entity = 'Audit' and entity_id = 'chain' and action = 'forget'
       order by audit_id desc limit 1) as checkpoint`,
  );
  return checkpoint;
};

const genesis = "00".repeat(32);

const rangeOf = (name: string, after: string, through: string): string =>
  `${name} ${BigInt(after) + 1n} to ${through}`;

const Tail = z.object({ audits: z.bigint(), transactions: z.bigint() });

const noteTail = async (
  book: Book,
  report: Report,
  end: {
    readonly auditThrough: string;
    readonly transactionThrough: string;
    readonly hash: string;
  },
  deletedCount: number,
): Promise<void> => {
  const { audits, transactions } = await book.row(
    Tail,
    `select (select count(*) from borsello.audit where audit_id > $1::bigint) as audits,
       (select count(*) from borsello.ledger_transaction where transaction_id > $2::bigint)
         as transactions`,
    [end.auditThrough, end.transactionThrough],
  );
  report.note("end of the chain", end.hash);
  report.note("not sealed yet", `${audits} audit rows, ${transactions} transactions`);
  if (deletedCount > 0)
    report.note("sealed transactions deleted with their wallets", String(deletedCount));
};

/** `head`: a hash that was kept elsewhere, which the chain must still hold. */
export const checkChain =
  (head?: string) =>
  async (book: Book, report: Report): Promise<void> => {
    const audit = rowsInOrder(book, selectAudit, report);
    const ledger = rowsInOrder(book, selectTransactions, report);
    const deleted = await deletedTransactions(book);
    const deletedCount = deleted.length;
    const checkpoint = await findCheckpoint(book);
    if (checkpoint !== null)
      report.note(
        "audit rows forgotten",
        `through link ${checkpoint.linkId}, sealed at ${checkpoint.through}`,
      );
    let before = { linkId: "0", auditThrough: "0", transactionThrough: "0", hash: genesis };
    let hasHead = false;
    for await (const link of linksInOrder(book)) {
      const audited: Buffer[] = link.isForgotten ? [await forgottenHashes(book, link.linkId)] : [];
      await audit.upTo(BigInt(link.auditThrough), ({ hash }) => audited.push(hash));
      const posted: Hashed[] = [];
      const through = BigInt(link.transactionThrough);
      await ledger.upTo(through, (row) => posted.push(row));
      while (deleted[0] !== undefined && deleted[0].number <= through)
        posted.push(...deleted.splice(0, 1));
      posted.sort((one, other) => (one.number < other.number ? -1 : 1));
      const hash = sha256(
        Buffer.from(before.hash, "hex"),
        link.head,
        ...audited,
        ...posted.map((row) => row.hash),
      ).toString("hex");
      const isNext = BigInt(link.linkId) === BigInt(before.linkId) + 1n;
      if (hash !== link.hash || !isNext)
        report.find(
          `link ${link.linkId} of the chain`,
          `${rangeOf("audit rows", before.auditThrough, link.auditThrough)} ` +
            `(${link.isForgotten ? "forgotten" : audited.length}, sealed ${link.auditRows}), ` +
            `${rangeOf("transactions", before.transactionThrough, link.transactionThrough)} ` +
            `(${posted.length}, sealed ${link.transactions}), or the link itself, are not as they were sealed`,
        );
      const isTold =
        checkpoint !== null &&
        BigInt(link.linkId) <= BigInt(checkpoint.linkId) &&
        (link.linkId !== checkpoint.linkId || link.hash === checkpoint.hash);
      if (link.isForgotten && !isTold)
        report.find(
          `link ${link.linkId} of the chain`,
          "its audit rows are gone, and no checkpoint in the chain says that they were forgotten",
        );
      hasHead ||= link.hash === head;
      before = link;
    }
    await noteTail(book, report, before, deletedCount);
    if (head !== undefined && !hasHead)
      report.find("the chain", `it does not hold the hash ${head}, which was kept from it`);
  };
