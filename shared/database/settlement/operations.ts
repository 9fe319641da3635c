/** Operations and harvestings as settlement moves them: each call goes as far as it can, doing it twice is doing it once. */
import { z } from "zod";
import { Operation } from "../../contracts/operations/operations.js";
import type { SettlementTerms } from "./terms.js";
import type { Database, Queryable } from "../platform/database.js";

export const findOperation = async (
  database: Queryable,
  partnerKey: string,
  operationId: string,
): Promise<Operation | undefined> =>
  (
    await database.row(
      z.object({ record: Operation }),
      `select borsello.operation_record(o) as record from borsello.operation as o
       where operation_id = $1 and partner_key = $2`,
      [operationId, partnerKey],
    )
  )?.record;

const Advanced = z.object({
  status: z.string(),
  feedback: z.string().nullable().default(null),
  attempts: z.int().default(0),
  isBehind: z.boolean().default(false),
  dueAt: z.iso.datetime().nullable().default(null),
});
export type Advanced = z.output<typeof Advanced>;

/** Goes on as far as the bank's answers and the time allow; the status is Unknown where there is none. */
export const advanceSettlement = async (
  database: Database,
  operationId: string,
  terms: SettlementTerms,
): Promise<Advanced> => {
  const found = await database.command(
    z.object({ advanced: Advanced }),
    "select borsello.advance_settlement($1, $2) as advanced",
    [operationId, JSON.stringify(terms)],
  );
  if (found === undefined) throw new Error("A settlement was not advanced.");
  return found.advanced;
};

const Moved = z.object({ moved: z.int() });

/** Takes so many members as far as their harvesting is; resolves to how many moved. */
export const followHarvesting = async (
  database: Database,
  harvestingId: string,
  membersMax: number,
): Promise<number> =>
  (
    await database.command(Moved, "select borsello.follow_harvesting($1, $2) as moved", [
      harvestingId,
      membersMax,
    ])
  )?.moved ?? 0;

/** What the bank did after its operation had gone on; true where a person should look. */
export const settleLateOutcome = async (database: Database, requestId: string): Promise<boolean> =>
  (
    await database.command(
      z.object({ alarming: z.boolean() }),
      "select borsello.settle_late_outcome($1) as alarming",
      [requestId],
    )
  )?.alarming ?? false;

const Unsettled = z.object({
  operationId: z.string(),
  partnerKey: z.string(),
  flow: z.enum(["harvesting", "accountingOperation", "outgoingPayment"]),
});
export type Unsettled = z.infer<typeof Unsettled>;

/** What a flow should be at work on, as the index `operation_settling` says it. */
export const isSettling = `
  (harvesting_id is null or wallet_id is null) and status in (
    'TransferInitializeRequested', 'TransferInitialized', 'TransferInitializeUnaccomplished',
    'TransferConfirmRequested', 'TransferConfirmed', 'TransferConfirmUnaccomplished',
    'TransferCompleted', 'OutgoingPaymentInitializeRequested', 'OutgoingPaymentInitialized',
    'OutgoingPaymentInitializeUnaccomplished', 'OutgoingPaymentConfirmRequested',
    'OutgoingPaymentConfirmed', 'OutgoingPaymentConfirmUnaccomplished',
    'OutgoingPaymentCompleted', 'Completing')`;

/** That, by id from `after` on. */
export const unsettledOperations = (
  database: Queryable,
  after: string | null,
  limit: number,
): Promise<Unsettled[]> =>
  database.rows(
    Unsettled,
    `select operation_id as "operationId", partner_key as "partnerKey",
       borsello.settlement_flow(o) as flow
     from borsello.operation as o
     where ${isSettling} and ($1::uuid is null or operation_id > $1)
     order by operation_id limit $2`,
    [after, limit],
  );
