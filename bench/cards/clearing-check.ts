/** Fetches every file of a clearing and holds it against the database: bytes, records, sums. */
import { createHash, type Hash } from "node:crypto";
import { Client } from "pg";
import { z } from "zod";
import {
  clearingFileTypes,
  type ClearingFileType,
} from "../../shared/domain/clearing/file-names.js";
import { headersFor, operator } from "../platform/session.js";

const Outgoing = z.object({
  id: z.string(),
  affiliateKey: z.string(),
  type: z.enum(clearingFileTypes),
  fileName: z.string(),
  sha256: z.string(),
});
type Outgoing = z.output<typeof Outgoing>;

const Header = z.object({
  affiliateKey: z.string(),
  type: z.string(),
  fileName: z.string(),
  declaredRecordsInFile: z.int(),
});

const Line = z.object({
  affiliateKey: z.string(),
  billedAmount: z.number(),
  feeAmount: z.number(),
  interchangeDeduction: z.number(),
  feeDeduction: z.number(),
  financialFlowFlag: z.enum(["Debit", "Credit"]),
  reversalIndicator: z.boolean(),
});

/** By kind: the number of records, then cents of interchange, fees and deductions of both. */
type Sums = Record<string, [bigint, bigint, bigint, bigint, bigint]>;

async function* linesOf(
  body: AsyncIterable<Uint8Array>,
  hash: Hash,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body) {
    hash.update(chunk);
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
  if (rest !== "") throw new Error("the last line is cut");
}

const cents = (amount: number): bigint => BigInt(Math.round(amount * 100));

const add = (sums: Sums, line: z.output<typeof Line>): void => {
  const kind = line.financialFlowFlag + (line.reversalIndicator ? "Reversal" : "");
  const sum = (sums[kind] ??= [0n, 0n, 0n, 0n, 0n]);
  sum[0] += 1n;
  sum[1] += cents(line.billedAmount);
  sum[2] += cents(line.feeAmount);
  sum[3] += cents(line.interchangeDeduction);
  sum[4] += cents(line.feeDeduction);
};

const inOrder = (sums: Sums): string =>
  Object.entries(sums)
    .map(([kind, sum]) => `${kind} ${sum.join(" ")}`)
    .sort()
    .join(", ");

const expectSame = (what: string, found: unknown, due: unknown): void => {
  if (found !== due) throw new Error(`${what}: ${String(found)} instead of ${String(due)}`);
};

const readFile = async (
  address: string,
  headers: Readonly<Record<string, string>>,
  outgoing: Outgoing,
): Promise<Sums> => {
  const { fileName, affiliateKey } = outgoing;
  const answer = await fetch(address, { headers });
  if (answer.status !== 200 || answer.body === null)
    throw new Error(`${fileName}: ${answer.status} ${await answer.text()}`);
  const hash = createHash("sha256");
  const sums: Sums = {};
  let declared: number | undefined;
  let records = 0;
  for await (const text of linesOf(answer.body, hash)) {
    const value: unknown = JSON.parse(text);
    if (declared === undefined) {
      const header = Header.parse(value);
      expectSame("the header's name", header.fileName, fileName);
      expectSame("the header's affiliate", header.affiliateKey, affiliateKey);
      declared = header.declaredRecordsInFile;
      continue;
    }
    const line = Line.parse(value);
    expectSame(`an affiliate in ${fileName}`, line.affiliateKey, affiliateKey);
    add(sums, line);
    records += 1;
  }
  const sha256 = hash.digest();
  expectSame(`records in ${fileName}`, records, declared);
  expectSame(`hash of ${fileName}`, sha256.toString("hex"), outgoing.sha256);
  const digest = `sha-256=:${sha256.toString("base64")}:`;
  expectSame(`Repr-Digest of ${fileName}`, answer.headers.get("repr-digest"), digest);
  return sums;
};

const Row = z.object({
  affiliateKey: z.string(),
  kind: z.string(),
  sums: z.tuple([
    z.coerce.bigint(),
    z.coerce.bigint(),
    z.coerce.bigint(),
    z.coerce.bigint(),
    z.coerce.bigint(),
  ]),
});

/** What the clearing's own sums say, by affiliate and kind. */
const ownSums = `
  select o.partner_key as "affiliateKey", kind, array[sum(records), sum(interchange_cents),
    sum(s.fee_cents), sum(s.interchange_deduction_cents), sum(s.fee_deduction_cents)]::text[] as sums
  from borsello.outgoing_clearing as o
    join borsello.clearing_sum as s on s.clearing_id = o.outgoing_clearing_id
  where o.clearing_bookmark_id = $1 and o.type = $2 group by 1, 2`;

/** What its records add up to. */
const recordSums = `
  select partner_key as "affiliateKey", kind, array[count(*), sum(amount_cents), sum(fee_cents),
    sum(interchange_deduction_cents), sum(fee_deduction_cents)]::text[] as sums
  from borsello.clearing_record where clearing_bookmark_id = $1 and type = $2 group by 1, 2`;

export interface CheckedFiles {
  readonly files: number;
  readonly records: number;
}

/** Throws where anything differs; resolves to what was read. */
export const checkClearingFiles = async (
  { url, databaseUrl }: { readonly url: string; readonly databaseUrl: string },
  bookmarkId: string,
): Promise<CheckedFiles> => {
  const headers = await headersFor(url, operator);
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  const sumsBy = async (query: string, type: ClearingFileType): Promise<Map<string, string>> => {
    const sums = new Map<string, Sums>();
    for (const row of (await database.query(query, [bookmarkId, type])).rows) {
      const { affiliateKey, kind, sums: sum } = Row.parse(row);
      sums.set(affiliateKey, { ...sums.get(affiliateKey), [kind]: sum });
    }
    return new Map([...sums].map(([key, of]) => [key, inOrder(of)]));
  };
  try {
    let files = 0;
    let records = 0;
    for (const type of clearingFileTypes) {
      const { rows } = await database.query(
        `select outgoing_clearing_id as id, partner_key as "affiliateKey", type,
           file_name as "fileName", encode(sha256, 'hex') as sha256
         from borsello.outgoing_clearing
         where clearing_bookmark_id = $1 and type = $2 and delivered_at is not null`,
        [bookmarkId, type],
      );
      const [own, recorded] = [await sumsBy(ownSums, type), await sumsBy(recordSums, type)];
      expectSame(`files of ${type}`, rows.length, recorded.size);
      for (const outgoing of rows.map((row) => Outgoing.parse(row))) {
        const path = `/card/clearing/bookmarks/${bookmarkId}/outgoing/${outgoing.id}/file`;
        const sums = await readFile(url + path, headers, outgoing);
        const found = inOrder(sums);
        expectSame(`sums of ${outgoing.fileName}`, found, own.get(outgoing.affiliateKey));
        expectSame(`records of ${outgoing.fileName}`, found, recorded.get(outgoing.affiliateKey));
        files += 1;
        records += Object.values(sums).reduce((sum, [count]) => sum + Number(count), 0);
      }
    }
    return { files, records };
  } finally {
    await database.end();
  }
};
