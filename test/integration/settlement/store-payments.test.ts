/** What stores transfer by their codes, in every state of what they name (contract 4.4, 4.6). */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import {
  approveNotification,
  rejectNotification,
} from "../../../shared/database/bank/notification-decisions.js";
import { recordOutcome } from "../../../shared/database/bank/requests.js";
import { accountCents } from "../../support/settlement/confirmed-operations.js";
import {
  activateMandate,
  approve,
  compensate,
  credit,
  creditBy,
  groupBy,
  groupsOf,
  mismatches,
  owe,
  tellBank,
  type Group,
} from "../../support/settlement/store-money.js";
import { openStore } from "../../support/stores/store-fixtures.js";
import {
  acme,
  made,
  openValidatedWallet,
  openWalletTest,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

let opened: WalletTest;
let walletId: string;
beforeAll(async () => {
  opened = await openWalletTest();
  ({ walletId } = await openValidatedWallet(opened.database));
});
afterAll(() => opened.end());

const newStore = async (): Promise<string> => (await openStore(opened.database)).storeId;
const oweFor = (storeId: string, cents: bigint, day?: string): Promise<Group> =>
  owe(opened.database, { walletId, storeId, cents, ...(day === undefined ? {} : { day }) });
const pay = (cents: bigint, ...codes: readonly string[]) =>
  credit(opened.database, cents, `Reconciliation ${codes.join(" ")}`);
const again = ({ reconciliationId }: Group): Promise<Group> =>
  groupBy(opened.database, reconciliationId);
const storeCents = (storeId: string) => accountCents(opened.database, "Store", storeId);
const suspense = () => accountCents(opened.database, "Suspense", "received");

describe("a group of a day", () => {
  test("grows and shrinks with its harvests, until a credit names it", async () => {
    const storeId = await newStore();
    const first = await oweFor(storeId, -100_00n);
    expect(await oweFor(storeId, 30_00n)).toEqual({ ...first, openCents: -70_00n });
    expect(await oweFor(storeId, -5_00n)).toEqual({ ...first, openCents: -75_00n });
    await pay(10_00n, first.code);
    const second = await oweFor(storeId, -8_00n);
    expect(second.code).not.toBe(first.code);
    expect(await groupsOf(opened.database, storeId)).toEqual([
      { ...first, openCents: -75_00n, isGrowing: false },
      { ...second, openCents: -8_00n, isGrowing: true },
    ]);
  });

  test("that comes out even is reconciled by itself, and what follows opens another", async () => {
    const storeId = await newStore();
    const first = await oweFor(storeId, -40_00n);
    expect(await oweFor(storeId, 40_00n)).toMatchObject({ code: first.code, status: "Reconciled" });
    const second = await oweFor(storeId, 1_00n);
    expect(second).toMatchObject({ status: "Pending", openCents: 1_00n });
    expect(second.code).not.toBe(first.code);
  });

  test("is one of its store and its day", async () => {
    const [storeId, other] = [await newStore(), await newStore()];
    const groups = [
      await oweFor(storeId, -1_00n),
      await oweFor(storeId, -1_00n, "2026-01-16"),
      await oweFor(other, -1_00n),
    ];
    expect(new Set(groups.map(({ code }) => code)).size).toBe(3);
  });
});

describe("a transfer that names a group", () => {
  test("of as much as the store owes settles it, whatever spaces and letters it is written with", async () => {
    const storeId = await newStore();
    const { code, ...group } = await oweFor(storeId, -100_00n);
    const before = await suspense();
    const spaced = `${code.slice(0, 4)} ${code.slice(4).toLowerCase()}`;
    const paid = await credit(opened.database, 100_00n, `from Bottega, rc: ${spaced}/thanks`);
    expect(paid).toMatchObject({
      ...{ status: "Consumed", consumedCents: 100_00n, feedback: null, storeId },
      ...{ reconciliationCode: code, reconciliationType: "StoreReconciliation" },
    });
    expect(await again({ ...group, code })).toMatchObject({ status: "Reconciled", openCents: 0n });
    expect([await storeCents(storeId), (await suspense()) - before]).toEqual([0n, 0n]);
  });

  test("and others with its code are added up", async () => {
    const storeId = await newStore();
    const group = await oweFor(storeId, -100_00n);
    const parts = [await pay(40_00n, group.code), await pay(25_00n, group.code)];
    for (const part of parts) expect(part).toMatchObject({ status: "Received", storeId });
    expect(parts[1]?.feedback).toBe(
      `Reconciliation: ${group.code} asks for 100.00, and what names it holds 65.00; the rest with ` +
        "the same code would fit, or an approval, which lowers what is to pay",
    );
    expect((await creditBy(opened.database, parts[0]?.bankNotificationId ?? "")).feedback).toBe(
      parts[1]?.feedback,
    );
    expect(await storeCents(storeId)).toBe(-100_00n);
    expect(await pay(35_00n, group.code)).toMatchObject({ status: "Consumed" });
    for (const { bankNotificationId } of parts)
      expect(await creditBy(opened.database, bankNotificationId)).toMatchObject({
        ...{ status: "Consumed", feedback: null },
      });
    expect(await again(group)).toMatchObject({ status: "Reconciled" });
  });

  test("and others pays them all", async () => {
    const storeId = await newStore();
    const groups = [await oweFor(storeId, -10_00n), await oweFor(storeId, -20_00n, "2026-01-16")];
    const codes = groups.map(({ code }) => code);
    expect(await pay(30_00n, ...codes)).toMatchObject({ status: "Consumed" });
    for (const group of groups) expect(await again(group)).toMatchObject({ status: "Reconciled" });
  });

  test("and others is added up with what names only one of them", async () => {
    const storeId = await newStore();
    const groups = [await oweFor(storeId, -10_00n), await oweFor(storeId, -20_00n, "2026-01-16")];
    const [first = "", second = ""] = groups.map(({ code }) => code);
    expect(await pay(12_00n, first, second)).toMatchObject({ status: "Received" });
    expect(await pay(18_00n, second)).toMatchObject({ status: "Consumed" });
    for (const group of groups) expect(await again(group)).toMatchObject({ status: "Reconciled" });
  });

  test("of too much is used in part; an approval uses the rest for the store's next group", async () => {
    const storeId = await newStore();
    const group = await oweFor(storeId, -100_00n);
    const paid = await pay(130_00n, group.code);
    expect(paid).toMatchObject({ status: "PartiallyConsumed", consumedCents: 100_00n });
    expect(
      await approveNotification(opened.database, acme, paid.bankNotificationId, null),
    ).toMatchObject({
      ...{ ok: false, code: "BankNotificationStatusInvalid" },
      properties: {
        reconciliation:
          `Reconciliation: group ${group.code} is paid already; the code of a group that waits for ` +
          "its payment would fit, or an approval, which uses it for the store's next one",
      },
    });
    const next = await oweFor(storeId, -45_00n, "2026-01-16");
    expect(await approve(opened.database, paid.bankNotificationId)).toMatchObject({
      ...{ status: "Consumed", consumedCents: 130_00n, feedback: null },
    });
    expect(await again(next)).toMatchObject({ status: "Pending", openCents: -15_00n });
  });

  test("of too little waits; an approval consumes it and lowers what is to pay", async () => {
    const storeId = await newStore();
    const group = await oweFor(storeId, -100_00n);
    const paid = await pay(60_00n, group.code);
    const also = await pay(10_00n, group.code);
    expect(paid.status).toBe("Received");
    expect(await approve(opened.database, paid.bankNotificationId)).toMatchObject({
      status: "Consumed",
    });
    expect(await again(group)).toMatchObject({ status: "Pending", openCents: -40_00n });
    expect((await creditBy(opened.database, also.bankNotificationId)).feedback).toContain(
      "asks for 40.00, and what names it holds 10.00",
    );
    expect(await pay(30_00n, group.code)).toMatchObject({ status: "Consumed" });
    expect(await again(group)).toMatchObject({ status: "Reconciled" });
    expect(await storeCents(storeId)).toBe(0n);
  });

  test("that is paid already waits for a person, who may use it for the next one", async () => {
    const storeId = await newStore();
    const group = await oweFor(storeId, -100_00n);
    await pay(100_00n, group.code);
    const twice = await pay(100_00n, group.code);
    expect(twice).toMatchObject({ status: "Received", consumedCents: 0n, storeId });
    expect(twice.feedback).toContain(`group ${group.code} is paid already`);
    const next = await oweFor(storeId, -100_00n, "2026-01-16");
    expect(await approve(opened.database, twice.bankNotificationId)).toMatchObject({
      status: "Consumed",
    });
    expect(await again(next)).toMatchObject({ status: "Reconciled" });
  });

  test("that is owed to the store moves nothing", async () => {
    const storeId = await newStore();
    const group = await oweFor(storeId, 50_00n);
    const paid = await pay(50_00n, group.code);
    expect(paid.feedback).toContain(`group ${group.code} is owed to the store, not by it`);
    expect(await approve(opened.database, paid.bankNotificationId)).toMatchObject({
      ...{ status: "Received", consumedCents: 0n },
    });
    expect(await again(group)).toEqual(group);
  });

  test.each([
    ["refused", "Consumed", "Reconciled"],
    ["returned", "Consumed", "Reconciled"],
    ["booked", "Received", "Reconciled"],
  ] as const)(
    "that is being collected waits: %s leaves it %s",
    async (outcome, transfer, status) => {
      const storeId = await newStore();
      const group = await oweFor(storeId, -70_00n);
      await activateMandate(opened.database, storeId);
      await compensate(opened.database);
      expect(await again(group)).toMatchObject({ status: "Collecting" });
      const paid = await pay(70_00n, group.code);
      expect(paid).toMatchObject({ status: "Received", storeId });
      expect(paid.feedback).toContain(`a direct debit of group ${group.code} is out`);
      expect(await approve(opened.database, paid.bankNotificationId)).toMatchObject({
        status: "Received",
      });
      await tellBank(opened.database, group.reconciliationId, outcome);
      const left = await creditBy(opened.database, paid.bankNotificationId);
      expect(left.status).toBe(transfer);
      expect(left.feedback ?? "is paid already").toContain("is paid already");
      expect(await again(group)).toMatchObject({ status, openCents: 0n });
      expect(await storeCents(storeId)).toBe(0n);
    },
  );

  test("of another partner, of none, or of several stores waits for a person", async () => {
    const groups = [
      await oweFor(await newStore(), -1_00n),
      await oweFor(await newStore(), -2_00n),
    ] as const;
    const none = "the reason holds the code of no reconciliation group of the partner";
    expect((await pay(1_00n, "RC23456789AB")).feedback).toContain(none);
    const several = await pay(3_00n, groups[0].code, groups[1].code);
    expect(several).toMatchObject({ status: "Received", storeId: null });
    expect(several.feedback).toContain("codes of groups of several stores");
    await opened.database.execute(
      "update borsello.reconciliation_group set partner_key = 'globex' where code = $1",
      [groups[0].code],
    );
    expect((await pay(1_00n, groups[0].code)).feedback).toContain(none);
    await opened.database.execute(
      "update borsello.reconciliation_group set partner_key = 'acme' where code = $1",
      [groups[0].code],
    );
  });

  test("and was rejected is summed with nothing, even where the bank does not send it back", async () => {
    const storeId = await newStore();
    const group = await oweFor(storeId, -50_00n);
    const { bankNotificationId } = await pay(20_00n, group.code);
    made(await rejectNotification(opened.database, acme, bankNotificationId));
    expect(await pay(30_00n, group.code)).toMatchObject({ status: "Received" });
    const request = await opened.database.row(
      z.object({ requestId: z.string() }),
      `select request_id as "requestId" from borsello.bank_request where bank_notification_id = $1`,
      [bankNotificationId],
    );
    await recordOutcome(opened.database, {
      ...{ requestId: request?.requestId ?? "", outcome: "refused", reasonCode: "AC04" },
      ...{ transactionReference: null, bookingDate: null },
    });
    const refused = await creditBy(opened.database, bankNotificationId);
    expect(refused).toMatchObject({ status: "Received" });
    expect(refused.feedback).toContain("ReturnRefused: AC04");
    expect(await pay(20_00n, group.code)).toMatchObject({ status: "Consumed" });
    expect(await creditBy(opened.database, bankNotificationId)).toEqual(refused);
    expect(await again(group)).toMatchObject({ status: "Reconciled" });
  });

  test("of none, from the account of a store's owner, is used for what that store owes once approved", async () => {
    const ownerIban = "IT28W8000000292100645211151";
    const { storeId } = await openStore(opened.database, { ownerIban });
    const group = await oweFor(storeId, -10_00n);
    const paid = await credit(opened.database, 10_00n, "what we owe", { debtorIban: ownerIban });
    expect(paid).toMatchObject({ status: "Received", storeId, reconciliationCode: null });
    expect(paid.feedback).toContain("or an approval, which uses it for what the store of");
    expect(await approve(opened.database, paid.bankNotificationId)).toMatchObject({
      ...{ status: "Consumed", storeId },
    });
    expect(await again(group)).toMatchObject({ status: "Reconciled" });
  });

  test("at the same moment as others is summed with them, each cent used once", async () => {
    for (let round = 0; round < 3; round += 1) {
      const storeId = await newStore();
      const group = await oweFor(storeId, -100_00n);
      const next = await oweFor(storeId, -50_00n, "2026-01-16");
      const paid = await Promise.all([
        ...Array.from({ length: 5 }, () => pay(20_00n, group.code)),
        ...Array.from({ length: 2 }, () => pay(25_00n, next.code)),
      ]);
      for (const { bankNotificationId } of paid)
        expect(await creditBy(opened.database, bankNotificationId)).toMatchObject({
          status: "Consumed",
        });
      expect(await again(group)).toMatchObject({ status: "Reconciled" });
      expect(await again(next)).toMatchObject({ status: "Reconciled" });
      expect(await storeCents(storeId)).toBe(0n);
    }
  });
});

test("after all of this the stores' accounts are what their groups say", async () => {
  expect(await mismatches(opened.database)).toEqual([]);
});
