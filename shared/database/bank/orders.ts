/** Orders to the bank by file: kept when they are asked, each claimed by one file, released once. */
import { z } from "zod";
import { bankRequestKinds } from "../../contracts/platform/bank-messages.js";
import { partnerSettings } from "../../contracts/platform/partner-settings.js";
import type { Database, Queryable } from "../platform/database.js";

const Text = z.string().nullable();

const RequestFacts = z.object({
  requestId: z.uuid(),
  kind: z.enum(bankRequestKinds),
  status: z.string(),
  partnerKey: z.string(),
  settings: partnerSettings,
  cents: z.coerce.bigint().nullable(),
  payload: z.record(z.string(), z.unknown()),
  /** Of a transfer: whether it brings money to the account for customers' funds. */
  isIncome: z.boolean().nullable(),
  /** Of a return: who sent what is sent back, to which account, and with which reason. */
  senderName: Text,
  receivingIban: Text,
  sentReason: Text,
  mandate: z
    .object({
      mandateUniqueReference: z.string(),
      debtorName: z.string(),
      debtorIban: z.string(),
      signatureDate: Text,
      creditorIdentifier: Text,
      creditorName: Text,
    })
    .nullable(),
});
/** What is known of a request: its own row and the rows that it is about. */
export type RequestFacts = z.output<typeof RequestFacts>;

export const requestFacts = (
  database: Queryable,
  requestId: string,
): Promise<RequestFacts | undefined> =>
  database.row(
    RequestFacts,
    `select request_id as "requestId", r.kind, r.status, r.partner_key as "partnerKey", p.settings,
       borsello.cents(r.payload -> 'amount')::text as cents, r.payload, o.income as "isIncome",
       n.debtor_name as "senderName", n.creditor_iban as "receivingIban", n.reason as "sentReason",
       case when m.mandate_id is not null then json_build_object(
         'mandateUniqueReference', m.mandate_unique_reference, 'debtorName', m.debtor_name,
         'debtorIban', m.debtor_iban,
         'signatureDate', borsello.rome_date(m.sign_requested_at)::text,
         'creditorIdentifier', m.creditor_identifier, 'creditorName', m.creditor_name) end as mandate
     from borsello.bank_request as r join borsello.partner as p using (partner_key)
       left join borsello.operation as o on o.operation_id = r.operation_id
       left join borsello.bank_notification as n
         on n.bank_notification_id = r.bank_notification_id
       left join borsello.mandate as m on m.mandate_id = r.mandate_id
     where request_id = $1`,
    [requestId],
  );

export interface FreshOrder {
  readonly requestId: string;
  readonly message: "creditTransfers" | "directDebits";
  readonly partnerKey: string;
  readonly account: Readonly<Record<string, string>>;
  /** The first day on which the bank may do it. */
  readonly day: string;
  readonly content: Readonly<Record<string, string>>;
}

/** False: the same was asked before, and is in a file or on its way into one. */
export const keepOrder = async (database: Database, order: FreshOrder): Promise<boolean> => {
  const kept = await database.execute(
    `insert into borsello.bank_order (request_id, message, partner_key, account, day, content)
     values ($1, $2, $3, $4::jsonb, $5::date, $6::json) on conflict do nothing`,
    [
      order.requestId,
      order.message,
      order.partnerKey,
      JSON.stringify(order.account),
      order.day,
      JSON.stringify(order.content),
    ],
  );
  return kept === 1;
};

const Claimed = z.object({ fileId: z.uuid().nullable() });

/** Puts waiting orders into one file; undefined: none waits. */
export const claimOrderFile = async (
  database: Database,
  today: string,
  ordersMax: number,
): Promise<string | undefined> =>
  (
    await database.row(Claimed, `select borsello.claim_order_file($1::date, $2) as "fileId"`, [
      today,
      ordersMax,
    ])
  )?.fileId ?? undefined;

const OrderFile = z.object({
  fileId: z.uuid(),
  message: z.enum(["creditTransfers", "directDebits"]),
  partnerKey: z.string(),
  account: z.unknown(),
  day: z.string(),
  status: z.enum(["Claimed", "Releasing"]),
  attempt: z.int(),
  createdAt: z.string(),
});
export type OrderFile = z.output<typeof OrderFile>;

const fileColumns = `file_id as "fileId", message, partner_key as "partnerKey", account, day::text,
  status, attempt, borsello.iso(created_at) as "createdAt"`;

/** Files that are not released yet, oldest first. */
export const openOrderFiles = (database: Queryable, filesMax: number): Promise<OrderFile[]> =>
  database.rows(
    OrderFile,
    `select ${fileColumns} from borsello.bank_order_file where status <> 'Released'
     order by file_id limit $1`,
    [filesMax],
  );

/** Begins to write a file: whoever began before will not release theirs. Undefined: it is written. */
export const beginWriting = (database: Queryable, fileId: string): Promise<OrderFile | undefined> =>
  database.row(
    OrderFile,
    `update borsello.bank_order_file set attempt = attempt + 1
     where file_id = $1 and status = 'Claimed' returning ${fileColumns}`,
    [fileId],
  );

const Order = z.object({ requestId: z.uuid(), content: z.unknown() });

/** The orders of a file, in the order of their ids. */
export const ordersOf = (
  database: Queryable,
  fileId: string,
): Promise<{ requestId: string; content?: unknown }[]> =>
  database.rows(
    Order,
    `select request_id as "requestId", content from borsello.bank_order
     where file_id = $1 order by request_id`,
    [fileId],
  );

/** False: somebody else began to write it anew. */
export const noteWritten = async (
  database: Queryable,
  { fileId, attempt }: OrderFile,
): Promise<boolean> =>
  (await database.execute(
    `update borsello.bank_order_file set status = 'Releasing'
     where file_id = $1 and status = 'Claimed' and attempt = $2`,
    [fileId, attempt],
  )) === 1;

/** Hands a written file over, under the lock of its row; released: false where somebody else did. */
export const release = (
  database: Database,
  fileId: string,
  handOver: (file: OrderFile) => Promise<void>,
): Promise<boolean> =>
  database.transaction(async (tx) => {
    const file = await tx.row(
      OrderFile,
      `select ${fileColumns} from borsello.bank_order_file
       where file_id = $1 and status = 'Releasing' for update`,
      [fileId],
    );
    if (file === undefined) return false;
    await handOver(file);
    await tx.execute(
      `update borsello.bank_order_file
       set status = 'Released', released_at = borsello.platform_now() where file_id = $1`,
      [fileId],
    );
    return true;
  });

const Asked = z.object({
  requestId: z.uuid(),
  kind: z.enum(bankRequestKinds),
  cents: z.coerce.bigint().nullable(),
});
export type AskedOrder = z.output<typeof Asked>;

const askedColumns = `request_id as "requestId", kind,
  borsello.cents(payload -> 'amount')::text as cents`;

/** Those of these ids that the platform has asked the bank for. */
export const askedOf = (
  database: Queryable,
  requestIds: readonly string[],
): Promise<AskedOrder[]> =>
  database.rows(
    Asked,
    `select ${askedColumns} from borsello.bank_request where request_id = any($1::uuid[])`,
    [requestIds],
  );

/** A page of what was asked by one file, after a request id. */
export const askedByFile = (
  database: Queryable,
  fileId: string,
  after: string,
  ordersMax: number,
): Promise<AskedOrder[]> =>
  database.rows(
    Asked,
    `select ${askedColumns} from borsello.bank_request
     where request_id in (
       select request_id from borsello.bank_order where file_id = $1 and request_id > $2
       order by request_id limit $3)
     order by request_id`,
    [fileId, after, ordersMax],
  );
