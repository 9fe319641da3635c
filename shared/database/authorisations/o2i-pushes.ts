/** What an affiliate must still be told: kept until it has heard it, claimed by one sender at a time. */
import { createHash } from "node:crypto";
import { z } from "zod";
import type { O2iMessage } from "../../contracts/authorisations/affiliate.js";
import type { Queryable } from "../platform/database.js";

/** So long a late answer is listened for; what stays in doubt is reversed then. */
export const doubtSeconds = 30;

/** The same for the same transaction, so that it is reversed once however often it is asked for. */
const reversalIdOf = (transactionId: string): string =>
  `reversal-${createHash("sha256").update(transactionId).digest("hex").slice(0, 32)}`;

/** What tells an affiliate to reverse a request. */
export const reversalOf = <Request extends O2iMessage>(request: Request): Request => ({
  ...request,
  transactionId: reversalIdOf(request.transactionId),
  refTransactionId: request.transactionId,
  authorizationCode: null,
  responseCode: null,
});

export type PushKind = "advice" | "reversal";

export interface Push {
  readonly partnerKey: string;
  readonly kind: PushKind;
  readonly request: O2iMessage;
  readonly afterSeconds: number;
}

/** What waits already is told at the earlier of both times; what was told is not told again. */
export const pushLater = async (
  tx: Queryable,
  { partnerKey, kind, request, afterSeconds }: Push,
): Promise<void> => {
  await tx.execute(
    `insert into borsello.o2i_push as p (partner_key, transaction_id, kind, request, due_at)
     values ($1, $2, $3, $4, borsello.platform_now() + make_interval(secs => $5))
     on conflict (partner_key, transaction_id) do update
     set due_at = least(p.due_at, excluded.due_at) where p.status = 'Waiting' and p.attempts = 0`,
    [partnerKey, request.transactionId, kind, JSON.stringify(request), afterSeconds],
  );
};

/** Whether nothing of it was sent: then nobody is told any more. */
export const withdrawPush = async (
  tx: Queryable,
  partnerKey: string,
  transactionId: string,
): Promise<boolean> => {
  const key = [partnerKey, transactionId];
  await tx.execute(
    `delete from borsello.o2i_push
     where partner_key = $1 and transaction_id = $2 and status = 'Waiting' and attempts = 0`,
    key,
  );
  const left = await tx.execute(
    "select from borsello.o2i_push where partner_key = $1 and transaction_id = $2",
    key,
  );
  return left === 0;
};

const Claimed = z.object({
  partnerKey: z.string(),
  transactionId: z.string(),
  kind: z.enum(["advice", "reversal"]),
  request: z.looseObject({
    transactionId: z.string(),
    refTransactionId: z.string().nullable(),
    authorizationCode: z.string().nullable(),
    responseCode: z.string().nullable(),
  }),
  /** This one included. */
  attempts: z.int(),
});
export type ClaimedPush = z.output<typeof Claimed>;

/** Longer than it takes to ask: a sender that is killed leaves it to the next one after so long. */
const leaseSeconds = 30;

/** Those that are due, of each affiliate the first few: one that is not reached keeps nobody's from being sent. */
export const claimPushes = (database: Queryable, perAffiliate: number): Promise<ClaimedPush[]> =>
  database.rows(
    Claimed,
    `with due as (
       select first.* from borsello.partner as a cross join lateral (
         select partner_key, transaction_id from borsello.o2i_push
         where partner_key = a.partner_key and status = 'Waiting'
           and due_at <= borsello.platform_now()
         order by due_at limit $1 for update skip locked) as first
     )
     update borsello.o2i_push as p set attempts = p.attempts + 1,
       due_at = borsello.platform_now() + make_interval(secs => ${leaseSeconds})
     from due where p.partner_key = due.partner_key and p.transaction_id = due.transaction_id
     returning p.partner_key as "partnerKey", p.transaction_id as "transactionId", p.kind,
       p.request, p.attempts`,
    [perAffiliate],
  );

type Key = Pick<ClaimedPush, "partnerKey" | "transactionId">;

const end = async (
  database: Queryable,
  { partnerKey, transactionId }: Key,
  status: "Told" | "GivenUp",
  responseCode: string | null,
): Promise<void> => {
  await database.execute(
    `update borsello.o2i_push set status = $3, response_code = $4, request = null
     where partner_key = $1 and transaction_id = $2 and status = 'Waiting'`,
    [partnerKey, transactionId, status, responseCode],
  );
};

export const pushTold = (database: Queryable, key: Key, responseCode: string): Promise<void> =>
  end(database, key, "Told", responseCode);

export const pushGivenUp = (database: Queryable, key: Key): Promise<void> =>
  end(database, key, "GivenUp", null);

export const pushAgain = async (
  database: Queryable,
  { partnerKey, transactionId }: Key,
  afterSeconds: number,
): Promise<void> => {
  await database.execute(
    `update borsello.o2i_push set due_at = borsello.platform_now() + make_interval(secs => $3)
     where partner_key = $1 and transaction_id = $2 and status = 'Waiting'`,
    [partnerKey, transactionId, afterSeconds],
  );
};
