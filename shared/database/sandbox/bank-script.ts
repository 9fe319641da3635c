/** The sandbox bank's memory: what it was told to answer, and what it has answered. */
import { z } from "zod";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import { bankDecisions, type BankDecision } from "../../domain/bank/sandbox-script.js";
import type { Database, Queryable } from "../platform/database.js";

export interface BankScript {
  readonly partnerKey: string;
  readonly kind: string;
  /** Null: requests that concern no customer's or store's account. */
  readonly iban: string | null;
  readonly outcome: BankDecision;
  /** Why it refuses; null: the bank's usual reason. */
  readonly reasonCode: string | null;
}

export const writeScript = (database: Queryable, script: BankScript): Promise<number> =>
  database.execute(
    `insert into borsello.sandbox_bank_script (partner_key, kind, iban, outcome, reason_code)
     values ($1, $2, $3, $4, $5)
     on conflict (partner_key, kind, iban) do update
     set outcome = excluded.outcome, reason_code = excluded.reason_code`,
    [script.partnerKey, script.kind, script.iban, script.outcome, script.reasonCode],
  );

const Decided = z.object({
  outcome: z.enum(bankDecisions),
  reasonCode: z.string().nullable(),
  wasAnswered: z.boolean(),
});
export type Decided = z.infer<typeof Decided>;

export interface AskedBank {
  readonly requestId: string;
  readonly kind: string;
  readonly iban: string | null;
  readonly operationId: string | null;
  /** Where no script says otherwise. */
  readonly byDefault: BankDecision;
}

/** What the bank does about a request; it stays with what it has answered once. */
export const decide = async (database: Queryable, asked: AskedBank): Promise<Decided> => {
  const decided = await database.row(
    Decided,
    `with script as (
       select outcome, reason_code, 1 as place from borsello.sandbox_payment_script
       where operation_id = $4::uuid and $2 = 'payment'
       union all
       select script.outcome, script.reason_code, 2
       from borsello.sandbox_bank_script as script
         join borsello.bank_request as request using (partner_key, kind)
       where request.request_id = $1::uuid and script.kind = $2
         and script.iban is not distinct from $3
       union all
       select $5, null, 3
       order by place limit 1
     ), answered as (
       select outcome, reason_code from borsello.sandbox_bank_answer where request_id = $1::uuid
     ), noted as (
       insert into borsello.sandbox_bank_answer (request_id, outcome, reason_code)
       select $1::uuid, outcome, reason_code from script where outcome <> 'silent'
       on conflict do nothing
     )
     select outcome, reason_code as "reasonCode", true as "wasAnswered" from answered
     union all
     select outcome, reason_code, false from script where not exists (select from answered)`,
    [asked.requestId, asked.kind, asked.iban, asked.operationId, asked.byDefault],
  );
  if (decided === undefined) throw new Error(`the bank decided nothing about ${asked.requestId}`);
  return decided;
};

const Payment = z.object({
  partnerKey: z.string(),
  type: z.string(),
  status: z.string(),
  requestId: z.string().nullable(),
});

export type PaymentRefusal = "OperationNotFound" | "OperationStatusInvalid";

const isOver = (status: string): boolean =>
  /^(Initialized|Completing|Completed|Cancelled|Expired|Terminated|TransferFailed)$/.test(status) ||
  /^OutgoingPayment(Confirmed|Completed|Rejected)$/.test(status);

/**
 * Settles what the bank does with an operation's payment, asked for already or not. Resolves to the
 * request that now has its answer; null: there is none to answer yet, or the bank stays silent.
 */
export const scriptPayment = (
  database: Database,
  partnerKey: string,
  operationId: string,
  decision: { readonly outcome: BankDecision; readonly reasonCode: string | null },
): Promise<Outcome<string | null, PaymentRefusal>> =>
  database.transaction(async (tx) => {
    const found = await tx.row(
      Payment,
      `select o.partner_key as "partnerKey", o.type, o.status, (
         select request_id from borsello.bank_request as r
         where r.operation_id = o.operation_id and kind = 'payment'
           and r.status in ('Requested', 'Accepted')
         order by attempt desc limit 1) as "requestId"
       from borsello.operation as o where operation_id = $1`,
      [operationId],
    );
    if (found?.partnerKey !== partnerKey) return refusal("OperationNotFound", { operationId });
    const { type, status, requestId } = found;
    if (type !== "SctWithdrawal" || isOver(status))
      return refusal("OperationStatusInvalid", { type, status });
    const { outcome, reasonCode } = decision;
    await tx.execute(
      `insert into borsello.sandbox_payment_script (operation_id, outcome, reason_code)
       values ($1, $2, $3) on conflict (operation_id) do update
       set outcome = excluded.outcome, reason_code = excluded.reason_code`,
      [operationId, outcome, reasonCode],
    );
    if (requestId === null || outcome === "silent") return success(null);
    await tx.execute(
      `insert into borsello.sandbox_bank_answer values ($1, $2, $3) on conflict (request_id)
       do update set outcome = excluded.outcome, reason_code = excluded.reason_code`,
      [requestId, outcome, reasonCode],
    );
    return success(requestId);
  });
