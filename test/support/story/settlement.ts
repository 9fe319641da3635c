/** The day is settled: harvested, owed and paid by the shop; money comes from the bank, and the books are proved. */
import * as statements from "../../../shared/contracts/accounting/bank-statements.js";
import * as notifications from "../../../shared/contracts/accounting/bank-notifications.js";
import { getProofRoute } from "../../../shared/contracts/accounting/proof.js";
import { listOperationsRoute } from "../../../shared/contracts/operations/lists.js";
import { sendBankNotificationRoute } from "../../../shared/contracts/sandbox/bank.js";
import { triggerMandateDepositRequestRoute } from "../../../shared/contracts/settlement/deposit-trigger.js";
import * as flows from "../../../shared/contracts/settlement/flows.js";
import * as harvestings from "../../../shared/contracts/settlement/harvestings.js";
import { listPendingReconciliationsRoute } from "../../../shared/contracts/settlement/reconciliations.js";
import * as told from "../../../shared/contracts/story/story.js";
import {
  keepStatement,
  keepStatementEntries,
} from "../../../shared/database/accounting/bank-statements.js";
import type { Database } from "../../../shared/database/platform/database.js";
import { toPlatform } from "./calendar.js";
import type { Customer, Shop } from "./onboarding.js";
import type { Story } from "./teller.js";

/** Payments at the shop, those by card, cash in and out, points, welfare. */
const harvestedOfTheDay = 6;

const settlesDay = async (
  { at, tell, call, until, name }: Story,
  { storeId }: Shop,
): Promise<void> => {
  await at("2025-03-06T02:30");
  const query = { status: "Completed" } as const;
  await until(
    () => call(harvestings.countHarvestingsRoute, { query }),
    ({ value }) => value === harvestedOfTheDay,
  );
  await tell(harvestings.countHarvestingsRoute, { query });
  const ofDay = await tell(harvestings.listHarvestingsRoute, { query: { type: "CashDeposit" } });
  name(ofDay.items[0]?.reconciliationId ?? "", told.reconciliationId);
  const run = await tell(flows.triggerHarvestingsRoute, { query: { type: "CashDeposit" } });
  const params = { runId: run.runId };
  await until(
    () => call(flows.getFlowRunRoute, { params }),
    ({ status }) => status === "Completed",
  );
  await tell(flows.getFlowRunRoute, { params });
  await tell(flows.triggerAccountingOperationsRoute, {});
  const owed = await tell(listPendingReconciliationsRoute, { params: { storeId } });
  name(owed[0]?.reconciliationCode ?? "", told.reconciliationCode);
};

/** A transfer that fits no wallet is approved by a person, another one is sent back. */
const decidesTransfers = async (
  { at, tell, call, until, name }: Story,
  { walletId }: Customer,
): Promise<void> => {
  await at("2025-03-07T09:00");
  for (const [amount, reason] of [
    [30, "Per il nipote"],
    [12, "Rimborso spese"],
  ] as const)
    await call(sendBankNotificationRoute, {
      body: {
        ...{ type: "IncomingSctInstant", debtorName: "Rosa Bianchi", amount, reason },
        ...{ debtorIban: told.strangersIban, creditorIban: told.collectionIban },
      },
    });
  const query = { status: "Received" } as const;
  const waiting = await until(
    () => call(notifications.listBankNotificationsRoute, { query }),
    ({ items }) => items.length === 2 && items.every(({ feedback }) => feedback !== null),
  );
  await tell(notifications.listBankNotificationsRoute, { query });
  const [present, refund] = [30, 12].map((amount) => {
    const found = waiting.items.find((item) => item.amount === amount);
    if (found === undefined) throw new Error(`no transfer of ${amount}`);
    return { bankNotificationId: found.bankNotificationId };
  });
  if (present === undefined || refund === undefined) return;
  name(present.bankNotificationId, told.bankNotificationId);
  const approval = { params: present, body: { walletId } };
  await tell(notifications.approveBankNotificationRoute, approval);
  await tell(notifications.rejectBankNotificationRoute, { params: refund });
  await until(
    () => call(notifications.listBankNotificationsRoute, { query: { status: "Rejected" } }),
    ({ totalCount }) => totalCount === 1,
  );
  const again = { query: { type: "IncomingSctInstant" } };
  await tell(flows.triggerBankNotificationsRoute, again);
};

/** The monthly deposit by the mandate. */
const collects = async (
  { at, tell, call, until }: Story,
  { walletId, mandateId }: Customer,
): Promise<void> => {
  await at("2025-03-10T04:00");
  await tell(triggerMandateDepositRequestRoute, { query: { mandateId } });
  const query = { type: "SddDeposit" };
  await until(
    () => call(listOperationsRoute, { params: { walletId }, query }),
    ({ items }) => items.length === 1,
  );
};

/** The bank sends a statement of the collection account: without the collection, with interest that nobody knew of. */
const provesBooks = async ({ at, tell }: Story, database: Database): Promise<void> => {
  await at("2025-03-10T08:00");
  await tell(getProofRoute, {});
  await at("2025-03-10T18:00");
  const [fromDay, toDay] = [toPlatform("2025-03-10"), toPlatform("2025-03-10")];
  const account = { iban: told.collectionIban, reference: "2025-069" };
  const balances = { openingCents: 600n, closingCents: 750n };
  const statementId = await keepStatement(database, { ...account, fromDay, toDay, ...balances });
  await keepStatementEntries(database, statementId ?? "", [
    {
      ...{ line: 1, cents: "150", bookingDate: toDay, requestId: null, reference: "INT-2025-03" },
      ...{ gatewayReference: null, name: null, iban: null, reason: "Interest" },
    },
  ]);
  const { items } = await tell(statements.listBankStatementsRoute, {});
  const params = { statementId: items[0]?.statementId ?? "" };
  await tell(statements.getBankStatementRoute, { params });
};

export const settle = async (
  story: Story,
  customer: Customer,
  shop: Shop,
  database: Database,
): Promise<void> => {
  await settlesDay(story, shop);
  await decidesTransfers(story, customer);
  await collects(story, customer);
  await provesBooks(story, database);
};
