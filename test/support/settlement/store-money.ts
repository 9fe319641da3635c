/** What tests of stores' money start from: groups that harvests made, transfers that name them, the bank's word. */
import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { BankOutcomeMessage } from "../../../shared/contracts/platform/bank-messages.js";
import type { OperationType } from "../../../shared/domain/operations/families.js";
import { approveNotification } from "../../../shared/database/bank/notification-decisions.js";
import { receiveNotification } from "../../../shared/database/bank/notifications.js";
import { recordOutcome } from "../../../shared/database/bank/requests.js";
import type { Database } from "../../../shared/database/platform/database.js";
import { platformNow } from "../../../shared/database/platform/platform-time.js";
import { findRun, requestRun, workRun } from "../../../shared/database/settlement/runs.js";
import { termsOf } from "../../../shared/database/settlement/terms.js";
import { putStoreMandate } from "../../../shared/database/stores/mandates.js";
import { amountOf } from "../../../shared/domain/money.js";
import { acme, made } from "../wallet/wallet-fixtures.js";
import { confirmOperation } from "./confirmed-operations.js";

/** Where acme's stores pay to, in the sandbox. */
const collectionAccount = "IT83X0999903200ACME00000001";

const Group = z.object({
  reconciliationId: z.string(),
  code: z.string(),
  status: z.string(),
  openCents: z.bigint(),
  isGrowing: z.boolean(),
});
export type Group = z.infer<typeof Group>;

const groupColumns = `reconciliation_id as "reconciliationId", code, status, open_cents as "openCents",
  is_growing as "isGrowing"`;

/** The store's groups, in the order in which they were opened. */
export const groupsOf = (database: Database, storeId: string): Promise<Group[]> =>
  database.rows(
    Group,
    `select ${groupColumns} from borsello.reconciliation_group where store_id = $1
     order by reconciliation_id`,
    [storeId],
  );

export const groupBy = async (database: Database, reconciliationId: string): Promise<Group> => {
  const found = await database.row(
    Group,
    `select ${groupColumns} from borsello.reconciliation_group where reconciliation_id = $1`,
    [reconciliationId],
  );
  if (found === undefined) throw new Error(`no group ${reconciliationId}`);
  return found;
};

export interface AtStore {
  readonly walletId: string;
  readonly storeId: string;
  /** What the store is owed by it; negative: what it took in. */
  readonly cents: bigint;
  readonly day?: string;
}

/** An operation at the store, confirmed and in no harvesting yet. */
export const operateOn = (
  database: Database,
  { walletId, storeId, cents, day = "2026-01-15" }: AtStore,
): Promise<string> => {
  const type: OperationType = cents < 0n ? "CashDeposit" : "Payment";
  const amount = cents < 0n ? -cents : cents;
  const confirmedOn = `${day}T10:00:00.000Z`;
  return confirmOperation(database, { walletId, storeId, type, cents: amount, confirmedOn });
};

/** One of its own for the operation, as the flow leaves it where the transfer is done. */
export const harvest = async (
  database: Database,
  operationId: string,
  day = "2026-01-15",
): Promise<Group> => {
  const joined = await database.command(
    z.object({ reconciliationId: z.string() }),
    `with h as (
       insert into borsello.operation (operation_id, harvesting_id, partner_key, store_id, type,
         amount_cents, final_amount_cents, net_amount_cents, fees_amount_cents, status, funds_type,
         harvest_day)
       select fresh, fresh, partner_key, store_id, type, amount_cents, final_amount_cents,
         net_amount_cents, fees_amount_cents, 'TransferCompleted', funds_type, $2::date
       from borsello.operation, (select uuidv7() as fresh) as one where operation_id = $1
       returning *
     ), member as (
       update borsello.operation as o set harvesting_id = h.operation_id, status = 'Completed'
       from h where o.operation_id = $1
     )
     select borsello.join_reconciliation_group(h::borsello.operation) as "reconciliationId" from h`,
    [operationId, day],
  );
  const reconciliationId = joined?.reconciliationId ?? "";
  await database.execute(
    `update borsello.operation as h set reconciliation_id = $2, status = 'Completed'
     from borsello.operation as o
     where o.operation_id = $1 and h.operation_id = o.harvesting_id`,
    [operationId, reconciliationId],
  );
  return groupBy(database, reconciliationId);
};

/** A group, or more of the one that grows, by one operation of that day. */
export const owe = async (database: Database, at: AtStore): Promise<Group> =>
  harvest(database, await operateOn(database, at), at.day);

const Credit = z.object({
  bankNotificationId: z.string(),
  status: z.string(),
  feedback: z.string().nullable(),
  consumedCents: z.bigint(),
  storeId: z.string().nullable(),
  reconciliationCode: z.string().nullable(),
  reconciliationType: z.string(),
});
export type Credit = z.infer<typeof Credit>;

export const creditBy = async (database: Database, bankNotificationId: string): Promise<Credit> => {
  const found = await database.row(
    Credit,
    `select bank_notification_id as "bankNotificationId", status, feedback,
       consumed_amount_cents as "consumedCents", store_id as "storeId",
       reconciliation_code as "reconciliationCode", reconciliation_type as "reconciliationType"
     from borsello.bank_notification where bank_notification_id = $1`,
    [bankNotificationId],
  );
  if (found === undefined) throw new Error(`no notification ${bankNotificationId}`);
  return found;
};

export interface CreditFrom {
  /** The request of ours that it names: its outcome settles it. */
  readonly namedRequestId?: string | null;
  readonly debtorIban?: string;
}

/** A transfer of a store arrives, is booked to suspense, and is matched. */
export const credit = async (
  database: Database,
  cents: bigint,
  reason: string,
  { namedRequestId = null, debtorIban = "IT02A0000000000000000000000" }: CreditFrom = {},
): Promise<Credit> => {
  const received = await receiveNotification(database, {
    ...{ type: "IncomingReconciliation", debtorName: "Bottega Srl", debtorIban },
    ...{ creditorName: null, creditorIban: collectionAccount, amount: amountOf(cents) },
    reason: namedRequestId ?? reason,
    transactionReference: randomBytes(8).toString("hex"),
    paymentGatewayReference: null,
    receptionDate: await platformNow(database),
  });
  if (received.result !== "stored") throw new Error(`the transfer is ${received.result}`);
  return creditBy(database, received.bankNotificationId);
};

/** As a person approves it, whether that is refused or not. */
export const approve = async (database: Database, bankNotificationId: string): Promise<Credit> => {
  await approveNotification(database, acme, bankNotificationId, null);
  return creditBy(database, bankNotificationId);
};

/** An Active mandate of the store; resolves to its id. */
export const activateMandate = async (database: Database, storeId: string): Promise<string> => {
  const path = { dealerKey: "dealer-rome", storeId };
  const { mandateId } = made(await putStoreMandate(database, acme, path));
  await database.execute(
    `update borsello.mandate set status = 'Active', activation_date = borsello.platform_now()
     where mandate_id = $1`,
    [mandateId],
  );
  return mandateId;
};

/** A run of SddStoresCompensation, worked off; resolves to how many groups it asked for. */
export const compensate = async (database: Database, isScheduled = false): Promise<number> => {
  const terms = await termsOf(database, "acme", { silenceSeconds: 10, collectionAccount: null });
  const run = await requestRun(database, {
    ...{ partnerKey: "acme", flow: "SddStoresCompensation", actor: "test", type: null },
    ...{ subjectId: null, upTo: isScheduled ? "today" : "now", isScheduled, isIgnored: false },
  });
  if (run === undefined) return 0;
  while (!(await workRun(database, run.runId, terms)).isLast);
  return (await findRun(database, "acme", run.runId))?.items ?? 0;
};

const Request = z.object({
  requestId: z.string(),
  kind: z.string(),
  status: z.string(),
  payload: z.record(z.string(), z.unknown()),
});
export type GroupRequest = z.infer<typeof Request>;

/** What the bank was asked for a group, oldest first. */
export const requestsOf = (database: Database, reconciliationId: string): Promise<GroupRequest[]> =>
  database.rows(
    Request,
    `select request_id as "requestId", kind, status, payload from borsello.bank_request
     where reconciliation_id = $1 order by attempt`,
    [reconciliationId],
  );

/** The bank's word on the group's last request. */
export const tellBank = async (
  database: Database,
  reconciliationId: string,
  outcome: BankOutcomeMessage["outcome"],
  place = -1,
): Promise<void> => {
  const request = (await requestsOf(database, reconciliationId)).at(place);
  if (request === undefined) throw new Error("the bank was asked for nothing");
  await recordOutcome(database, {
    ...{ requestId: request.requestId, outcome, transactionReference: `BANK-${request.requestId}` },
    reasonCode: outcome === "refused" || outcome === "returned" ? "AM04" : null,
    bookingDate: outcome === "booked" ? "2026-01-16" : null,
  });
};

const Mismatch = z.object({
  storeId: z.string(),
  reconciliationId: z.string().nullable(),
  rule: z.string(),
  expected: z.bigint(),
  found: z.bigint(),
});

/** Where groups and the stores' accounts disagree. */
export const mismatches = (database: Database): Promise<z.infer<typeof Mismatch>[]> =>
  database.rows(
    Mismatch,
    `select store_id as "storeId", reconciliation_id as "reconciliationId", rule,
       expected_cents as expected, found_cents as found
     from borsello.store_mismatch`,
  );
