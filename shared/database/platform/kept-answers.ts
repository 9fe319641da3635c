/** First answers to calls with an Idempotency-Key: one transaction takes a key, and keeps what it answered. */
import { z } from "zod";
import type { Queryable } from "./database.js";

/** A key belongs to a partner and a route. */
export interface KeyedRequest {
  readonly partnerKey: string;
  readonly routeId: string;
  readonly key: string;
  /** SHA-256 of what was asked, in hex. */
  readonly requestHash: string;
}

export interface KeptAnswer {
  readonly status: number;
  /** JSON, as the first caller got it. */
  readonly body: string;
}

const Taken = z.discriminatedUnion("state", [
  z.object({ state: z.literal(["free", "inUse", "reused"]) }),
  z.object({ state: z.literal("kept"), status: z.int(), body: z.string() }),
]);
export type TakenKey = z.output<typeof Taken>;

const valuesOf = ({ partnerKey, routeId, key, requestHash }: KeyedRequest) => [
  ...[partnerKey, routeId, key],
  Buffer.from(requestHash, "hex"),
];

/** The key is the transaction's until it ends, unless another one has it (`inUse`). */
export const takeKey = async (tx: Queryable, request: KeyedRequest): Promise<TakenKey> => {
  const taken = await tx.row(
    Taken,
    "select state, status, body from borsello.take_idempotency_key($1, $2, $3, $4)",
    valuesOf(request),
  );
  if (taken === undefined) throw new Error("A function without a set gave no row.");
  return taken;
};

/** For so many hours of platform time. The transaction must have taken the key. */
export const keepAnswer = async (
  tx: Queryable,
  request: KeyedRequest,
  { status, body }: KeptAnswer,
  hours: number,
): Promise<void> => {
  const kept = await tx.execute(
    `insert into borsello.kept_answer as k
       (partner_key, route, idempotency_key, request_hash, status, body, kept_until)
     values ($1, $2, $3, $4, $5, $6, borsello.platform_now() + make_interval(hours => $7))
     on conflict (partner_key, route, idempotency_key) do update set
       request_hash = excluded.request_hash, status = excluded.status, body = excluded.body,
       kept_until = excluded.kept_until
     where k.kept_until <= borsello.platform_now()`,
    [...valuesOf(request), status, body, hours],
  );
  if (kept !== 1) throw new Error("An Idempotency-Key was answered twice.");
};

/** The number of answers removed whose time is over: not more than `answersMax` at once. */
export const forgetExpiredAnswers = (database: Queryable, answersMax: number): Promise<number> =>
  database.execute(
    `delete from borsello.kept_answer where ctid in (
       select ctid from borsello.kept_answer where kept_until <= borsello.platform_now()
       order by kept_until limit $1 for update skip locked)`,
    [answersMax],
  );
