/** Notifications that name a request of ours, before and after the bank's word on it: its money is there once. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { BankNotificationMessage } from "../../../shared/contracts/platform/bank-messages.js";
import { proveBook } from "../../../shared/database/accounting/prove.js";
import {
  approveNotification,
  rejectNotification,
} from "../../../shared/database/bank/notification-decisions.js";
import { advanceNotification } from "../../../shared/database/bank/notification-flow.js";
import { receiveNotification } from "../../../shared/database/bank/notifications.js";
import { availableCents } from "../../../shared/database/ledger/ledger.js";
import {
  advanceSettlement,
  settleLateOutcome,
} from "../../../shared/database/settlement/operations.js";
import { termsOf, type SettlementTerms } from "../../../shared/database/settlement/terms.js";
import {
  closeWallet,
  reactivateWallet,
  suspendWallet,
} from "../../../shared/database/wallet/states.js";
import { addBankDays } from "../../../shared/domain/bank/bank-days.js";
import { confirmOperation } from "../../support/settlement/confirmed-operations.js";
import {
  bankTells,
  collect,
  moveTo,
  moveToBankDay,
  openDueMandate,
  today,
  type Collected,
} from "../../support/wallet/collections.js";
import {
  acme,
  made,
  openValidatedWallet,
  openWalletTest,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

let wallets: WalletTest;
let terms: SettlementTerms;
let creditorIban: string;
beforeAll(async () => {
  wallets = await openWalletTest();
  terms = await termsOf(wallets.database, "acme", { silenceSeconds: 10, collectionAccount: null });
  creditorIban = "IT14B0000000000000000000001";
  await wallets.database.execute(
    `update borsello.partner set settings = settings || jsonb_build_object('ibanVerification',
       jsonb_build_object('destinationIban', $1::text)) where partner_key = 'acme'`,
    [creditorIban],
  );
  await moveToBankDay(wallets.database);
});
afterAll(async () => {
  await wallets.end();
});

const message = (changes: Partial<BankNotificationMessage>): BankNotificationMessage => ({
  ...{ type: "IncomingSdd", paymentGatewayReference: null, creditorName: null, creditorIban },
  ...{ debtorName: "Somebody", debtorIban: "IT60X0542811101000000123456", amount: 100 },
  ...{ transactionReference: randomUUID(), reason: "" },
  receptionDate: "2026-01-15T09:30:00.000Z",
  ...changes,
});
const arrive = async (changes: Partial<BankNotificationMessage>): Promise<string> => {
  const received = await receiveNotification(wallets.database, message(changes));
  if (received.result !== "stored") throw new Error(`it is ${received.result}`);
  return received.bankNotificationId;
};
/** As banks carry a request's id: without its hyphens. */
const naming = (requestId: string) => ({ reason: `E2E ${requestId.replaceAll("-", "")} RCUR` });

const Row = z.object({
  status: z.string(),
  feedback: z.string().nullable(),
  type: z.string(),
  operationId: z.string().nullable(),
});
const rowOf = (id: string) =>
  wallets.database.row(
    Row,
    `select status, feedback, reconciliation_type as type, operation_id as "operationId"
     from borsello.bank_notification where bank_notification_id = $1`,
    [id],
  );
const Named = z.object({ id: z.string(), status: z.string() });
const namedBy = (requestId: string) =>
  wallets.database.rows(
    Named,
    `select bank_notification_id as id, status from borsello.bank_notification
     where named_request_id = $1 order by bank_notification_id`,
    [requestId],
  );
const approve = (id: string, walletId: string | null = null) =>
  approveNotification(wallets.database, acme, id, walletId);
const reject = (id: string) => rejectNotification(wallets.database, acme, id);
const advance = (id: string) =>
  advanceNotification(wallets.database, id, {
    ...{ terms, platformAccount: null },
    report: (error) => {
      throw new Error(error);
    },
  });
const balance = async ({ walletId }: { readonly walletId: string }): Promise<number> =>
  Number(await availableCents(wallets.database, walletId)) / 100;
const bank = (requestId: string, ...words: Parameters<typeof bankTells>[2][]) =>
  bankTells(wallets.database, requestId, ...words);
const opened = () => openDueMandate(wallets.database);
const collected = (of: Collected) => collect(wallets.database, of);

describe("a collection's notification", () => {
  test("before the outcome waits in suspense, is nobody's to decide about, and the outcome draws it", async () => {
    const it = await opened();
    const requestId = await collected(it);
    const id = await arrive(naming(requestId));
    expect(await rowOf(id)).toMatchObject({
      ...{ status: "Received", type: "Mandate" },
      feedback: expect.stringMatching(/^Request: .*direct debit .* would use it$/) as string,
    });
    for (const decided of [await approve(id, it.walletId), await reject(id)])
      expect(decided).toMatchObject({ ok: false, code: "BankNotificationStatusInvalid" });
    await bank(requestId, "accepted", "booked", "booked");
    expect(await rowOf(id)).toMatchObject({
      ...{ status: "Consumed", type: "Mandate", feedback: null },
      operationId: expect.any(String) as string,
    });
    expect(await balance(it)).toBe(100);
  });

  test.each([
    ["by its id", (requestId: string) => naming(requestId)],
    [
      "by the bank's reference",
      (requestId: string) => ({ transactionReference: `BANK-${requestId}` }),
    ],
  ])(
    "after the outcome, %s, books nothing by itself; the next one is money of its own",
    async (_, by) => {
      const it = await opened();
      const requestId = await collected(it);
      await bank(requestId, "booked");
      const id = await arrive(by(requestId));
      expect(await rowOf(id)).toMatchObject({
        ...{ status: "Consumed", type: "Mandate", operationId: expect.any(String) as string },
      });
      expect(await balance(it)).toBe(100);
      const extra = await arrive(naming(requestId));
      expect(await rowOf(extra)).toMatchObject({
        ...{
          status: "Received",
          feedback: expect.stringMatching(/has its money already/) as string,
        },
      });
      made(await approve(extra, it.walletId));
      expect(await balance(it)).toBe(200);
    },
  );

  test("that names its mandate and amount alone is that of its open collection", async () => {
    const it = await opened();
    const requestId = await collected(it);
    const { reference } = (await wallets.database.row(
      z.object({ reference: z.string() }),
      `select mandate_unique_reference as reference from borsello.mandate where mandate_id = $1`,
      [it.mandateId],
    )) ?? { reference: "" };
    const other = await arrive({ reason: `MREF ${reference}`, amount: 99 });
    expect((await rowOf(other))?.feedback).toMatch(/^Mandate: /);
    const id = await arrive({ reason: `MREF ${reference}` });
    expect(await namedBy(requestId)).toMatchObject([{ id }]);
    await bank(requestId, "booked");
    expect(await rowOf(id)).toMatchObject({ status: "Consumed" });
    expect(await balance(it)).toBe(100);
  });

  test("of another amount, or of what the bank refused, waits for a person", async () => {
    const it = await opened();
    const requestId = await collected(it);
    const other = await arrive({ ...naming(requestId), amount: 60 });
    expect((await rowOf(other))?.feedback).toMatch(
      /^Request: .*another amount; 100(\.00)? would fit/,
    );
    const id = await arrive(naming(requestId));
    await bank(requestId, "refused");
    made(await reject(id));
    made(await approve(other, it.walletId));
    expect(await balance(it)).toBe(60);
  });

  test.each([
    ["first", true],
    ["after the outcome", false],
  ])(
    "for a suspended wallet, coming %s, is held once and credited at its reactivation, once",
    async (_, isFirst) => {
      const it = await opened();
      const requestId = await collected(it);
      made(await suspendWallet(wallets.database, acme, it.walletId));
      if (isFirst) await arrive(naming(requestId));
      await bank(requestId, "booked");
      if (!isFirst) await arrive(naming(requestId));
      const [held] = (await namedBy(requestId)).filter(({ status }) => status === "Received");
      expect(held).toBeDefined();
      expect(await balance(it)).toBe(0);
      made(await reactivateWallet(wallets.database, acme, it.walletId));
      await Promise.all([advance(held?.id ?? ""), advance(held?.id ?? "")]);
      expect((await namedBy(requestId)).map(({ status }) => status)).toEqual(
        isFirst ? ["Consumed"] : ["Consumed", "Consumed"],
      );
      expect(await balance(it)).toBe(100);
      expect(await rowOf(held?.id ?? "")).toMatchObject({ type: "Mandate" });
    },
  );

  test("for a closed wallet goes back, and a refused return leaves it to a person", async () => {
    const it = await opened();
    const requestId = await collected(it);
    const id = await arrive(naming(requestId));
    made(await suspendWallet(wallets.database, acme, it.walletId));
    made(await closeWallet(wallets.database, acme, it.walletId, { requiresZeroBalance: false }));
    expect(await rowOf(id)).toMatchObject({ status: "Received" });
    await bank(requestId, "booked");
    expect(await rowOf(id)).toMatchObject({ status: "RejectionRequested" });
    const returned = await wallets.database.row(
      z.object({ requestId: z.string() }),
      `select request_id as "requestId" from borsello.bank_request where bank_notification_id = $1`,
      [id],
    );
    await bank(returned?.requestId ?? "", "refused");
    expect((await rowOf(id))?.feedback).toMatch(/^ReturnRefused: AM04; /);
    expect(await approve(id)).toMatchObject({ ok: false, properties: { walletStatus: "Closed" } });
  });
});

/** A withdrawal that the bank has paid; its payment's request. */
const paid = async (walletId: string): Promise<string> => {
  const operationId = await confirmOperation(wallets.database, {
    ...{ walletId, type: "SctWithdrawal", cents: 20_00n, feesCents: 50n },
  });
  const requestOf = async (kind: string) =>
    (
      await wallets.database.row(
        z.object({ requestId: z.string() }),
        `select request_id as "requestId" from borsello.bank_request
         where operation_id = $1 and kind = $2`,
        [operationId, kind],
      )
    )?.requestId ?? "";
  await advanceSettlement(wallets.database, operationId, terms);
  await bank(await requestOf("transfer"), "accepted", "booked");
  await advanceSettlement(wallets.database, operationId, terms);
  const requestId = await requestOf("payment");
  await bank(requestId, "accepted", "booked");
  await advanceSettlement(wallets.database, operationId, terms);
  return requestId;
};

describe("a payment that bounces", () => {
  test.each([
    ["before", true, false],
    ["after", false, false],
    ["before", true, true],
    ["after", false, true],
  ])(
    "whose money is notified %s the bank's word is there once (%s; closed: %s)",
    async (_, isFirst, isClosed) => {
      const { walletId } = await openValidatedWallet(wallets.database);
      const requestId = await paid(walletId);
      const left = await balance({ walletId });
      if (isClosed) {
        made(await suspendWallet(wallets.database, acme, walletId));
        made(await closeWallet(wallets.database, acme, walletId, { requiresZeroBalance: false }));
      }
      const back = { ...naming(requestId), type: "IncomingSctStandard", amount: 20 } as const;
      if (isFirst) {
        const id = await arrive(back);
        expect(await approve(id, walletId)).toMatchObject({
          code: "BankNotificationStatusInvalid",
        });
      }
      await bank(requestId, "returned");
      await settleLateOutcome(wallets.database, requestId);
      await settleLateOutcome(wallets.database, requestId);
      if (!isFirst) await arrive(back);
      const found = await namedBy(requestId);
      const open = found.filter(({ status }) => status === "Received");
      if (!isClosed) {
        expect(found.map(({ status }) => status)).toEqual(["Consumed"]);
        expect(await balance({ walletId })).toBe(left + 20);
        return;
      }
      expect(open).toHaveLength(1);
      const [held] = open;
      expect(await advance(held?.id ?? "")).toMatchObject({ status: "Received" });
      made(await reject(held?.id ?? ""));
    },
  );
});

test("a transfer that only names a payment is a person's after a week, and that payment's bounce is there once", async () => {
  const { walletId } = await openValidatedWallet(wallets.database);
  const requestId = await paid(walletId);
  const left = await balance({ walletId });
  const id = await arrive({ ...naming(requestId), type: "IncomingSctStandard", amount: 20 });
  expect(await approve(id, walletId)).toMatchObject({ code: "BankNotificationStatusInvalid" });
  await moveTo(wallets.database, addBankDays(await today(wallets.database), 8));
  made(await approve(id, walletId));
  await bank(requestId, "returned");
  await settleLateOutcome(wallets.database, requestId);
  expect(await balance({ walletId })).toBe(left + 20);
});

test("after all of this the books hold what the notifications say", async () => {
  const { findings } = await proveBook({ kind: "url", url: wallets.url });
  // What wallets withdraw here was written into them without an audit row.
  const unaudited = /^it is Completed, and was last audited as nothing$/;
  expect(findings.filter(({ detail }) => !unaudited.test(detail))).toEqual([]);
});
