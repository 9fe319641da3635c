/** A collection that the bank has not decided: what its flow reads, and how it is asked about again. */
import { z } from "zod";
import type { Database, Queryable } from "../platform/database.js";

const State = z.object({
  status: z.enum(["Requested", "Accepted", "Booked", "Refused", "Returned", "Unknown"]),
  reasonCode: z.string().nullable(),
  /** How often the bank was asked again. */
  inquiries: z.int(),
  /** When it is asked again; null: it has decided. */
  dueAt: z.iso.datetime().nullable(),
});
export type CollectionState = z.infer<typeof State>;

/**
 * Silence is no failure: the bank is asked for the same after `silenceSeconds`, then after twice as long each
 * time. What it has accepted it books on the day of the deposit, so that nothing is asked before that is over.
 */
export const collectionState = async (
  database: Queryable,
  requestId: string,
  silenceSeconds: number,
): Promise<CollectionState> =>
  (await database.row(
    State,
    `select status, reason_code as "reasonCode", inquiries, borsello.iso(case
       when status = 'Requested' then silent_until
       when status = 'Accepted' then greatest(silent_until,
         ((payload ->> 'depositDate')::date + 1)::timestamp at time zone 'Europe/Rome')
       end) as "dueAt"
     from (
       select *, requested_at
         + make_interval(secs => $2::integer * (2 ^ least(inquiries + 1, 20) - 1)) as silent_until
       from borsello.bank_request where request_id = $1 and kind = 'directDebit'
     ) as request`,
    [requestId, silenceSeconds],
  )) ?? { status: "Unknown", reasonCode: null, inquiries: 0, dueAt: null };

/** Sends the same request again; two callers who have seen the same send it once. */
export const inquireCollection = (
  database: Database,
  requestId: string,
  inquiries: number,
): Promise<void> =>
  database.transaction(async (tx) => {
    const seen = await tx.execute(
      `select from borsello.bank_request where request_id = $1 and inquiries = $2
         and status in ('Requested', 'Accepted') for no key update`,
      [requestId, inquiries],
    );
    if (seen === 1) await tx.execute("select borsello.inquire($1)", [requestId]);
  });

const Open = z.object({ requestId: z.string(), partnerKey: z.string() });
export type OpenCollection = z.output<typeof Open>;

/** Those of wallets, for which a flow should wait, by id from `after` on. */
export const openCollections = (
  database: Queryable,
  after: string | null,
  limit: number,
): Promise<OpenCollection[]> =>
  database.rows(
    Open,
    `select request_id as "requestId", partner_key as "partnerKey" from borsello.bank_request
     where kind = 'directDebit' and status in ('Requested', 'Accepted')
       and reconciliation_id is null and ($1::uuid is null or request_id > $1)
     order by request_id limit $2`,
    [after, limit],
  );
