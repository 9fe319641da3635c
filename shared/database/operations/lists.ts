/** Operations of a wallet as callers read them. The caller has checked whose wallet it is. */
import { z } from "zod";
import { Operation } from "../../contracts/operations/operations.js";
import { transitionsMax, type Transition } from "../../contracts/operations/lists.js";
import type { Page, Paginated } from "../../contracts/pages.js";
import type { DateRange } from "../../domain/date-range.js";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import type { Queryable } from "../platform/database.js";

/** What is undefined is not asked for. */
export interface OperationFilter {
  readonly type?: string | undefined;
  readonly status?: string | undefined;
  readonly fundsType?: string | undefined;
  readonly storeId?: string | undefined;
  readonly operationGroupId?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
}

export interface OperationPage extends Paginated<Operation> {
  readonly nextCursor: string | null;
}

const cursorOf = (operationId: string): string =>
  Buffer.from(operationId.replaceAll("-", ""), "hex").toString("base64url");

/** PostgreSQL reads a UUID's digits without hyphens, too. */
const afterCursor = (cursor: string): string => Buffer.from(cursor, "base64url").toString("hex");

const PageRow = z.object({ totalCount: z.int(), items: z.array(Operation) });

const matching = `borsello.operation as o
  where wallet_id = $1 and ($2::timestamptz is null or creation_date >= $2)
    and ($3::timestamptz is null or creation_date <= $3)
    and ($4::text is null or type = $4) and ($5::text is null or status = $5)
    and ($6::text is null or funds_type = $6) and ($7::uuid is null or store_id = $7)
    and ($8::uuid is null or operation_group_id = $8)
    and ($9::text is null or idempotency_key = $9)
    and ($10::jsonb is null or tags::jsonb @> $10)`;

/** One more than the page holds is read, which tells whether another page follows. */
const listStatement = `
  select (select count(*) from ${matching})::integer as "totalCount", array(
    select borsello.operation_record(o) from ${matching}
      and ($11::uuid is null or (creation_date, operation_id) > (
        (select creation_date from borsello.operation
         where operation_id = $11 and wallet_id = $1), $11))
    order by creation_date, operation_id
    limit $12::bigint + 1 offset $12::bigint * $13::bigint) as items`;

/** After `cursor`, else the page of that number; in order of creation, then of identifiers. */
export const listOperations = async (
  database: Queryable,
  walletId: string,
  { fromDate, toDate }: DateRange,
  filter: OperationFilter,
  { pageSize, pageNumber }: Page,
  cursor: string | undefined,
): Promise<OperationPage> => {
  const { type, status, fundsType, storeId, operationGroupId, idempotencyKey, tags } = filter;
  const found = await database.row(PageRow, listStatement, [
    ...[walletId, fromDate, toDate, type ?? null, status ?? null, fundsType ?? null],
    ...[storeId ?? null, operationGroupId ?? null, idempotencyKey ?? null],
    tags === undefined ? null : JSON.stringify(tags),
    cursor === undefined ? null : afterCursor(cursor),
    pageSize,
    cursor === undefined ? pageNumber : 0,
  ]);
  const { totalCount, items } = found ?? { totalCount: 0, items: [] };
  const shown = items.slice(0, pageSize);
  const last = shown.at(-1);
  const nextCursor =
    items.length > shown.length && last !== undefined ? cursorOf(last.operationId) : null;
  return { totalCount, limitCount: pageSize, items: shown, nextCursor };
};

const RecordRow = z.object({ record: Operation });

export const findOperation = async (
  database: Queryable,
  walletId: string,
  operationId: string,
): Promise<Outcome<Operation, "OperationNotFound">> => {
  const found = await database.row(
    RecordRow,
    `select borsello.operation_record(o) as record from borsello.operation as o
     where operation_id = $2 and wallet_id = $1`,
    [walletId, operationId],
  );
  return found === undefined
    ? refusal("OperationNotFound", { operationId })
    : success(found.record);
};

const Status = Operation.shape.status;
const TransitionRow = z.object({
  from: Status.nullable(),
  to: Status,
  at: z.string(),
  actor: z.string(),
  attempt: z.int(),
  feedback: z.string().nullable(),
  nextRetry: z.string().nullable(),
});

/** The changes of status that its audit rows tell of. */
export const operationTransitions = (
  database: Queryable,
  operationId: string,
): Promise<Transition[]> =>
  database.rows(
    TransitionRow,
    `select "from", "to", borsello.iso(at) as at, actor, attempt, feedback, "nextRetry"
     from (
       select audit_id, from_status as "from", to_status as "to", at, actor,
         coalesce((detail ->> 'attempts')::integer, 0) as attempt,
         detail ->> 'feedback' as feedback, detail ->> 'nextAttemptAt' as "nextRetry"
       from borsello.audit
       where entity = 'Operation' and entity_id = $1::uuid::text
         and to_status is not null and from_status is distinct from to_status
       order by audit_id desc limit $2
     ) as latest
     order by audit_id`,
    [operationId, transitionsMax],
  );
