/** Collections on a real database: when the bank is asked for them, once, and when they are left out. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { takeDueCollections } from "../../../shared/database/mandates/collections.js";
import {
  collectionState,
  inquireCollection,
  openCollections,
} from "../../../shared/database/mandates/open-collections.js";
import { lapseUnusedMandates } from "../../../shared/database/mandates/outcomes.js";
import { postponeDeposit } from "../../../shared/database/mandates/postponing.js";
import {
  addBankDays,
  bankDayAfter,
  bankDayBefore,
  isBankDay,
} from "../../../shared/domain/bank/bank-days.js";
import { depositDateFor, nextDeposit } from "../../../shared/domain/bank/deposit-dates.js";
import {
  bankTells,
  collect,
  collectionsOf,
  mandateNow,
  moveTo,
  moveToBankDay,
  openDueMandate,
  takeDue,
  today,
  type Collected,
} from "../../support/wallet/collections.js";
import { outboxOf } from "../../support/wallet/bank-fixtures.js";
import {
  acme,
  auditOf,
  made,
  openWalletTest,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

let wallets: WalletTest;
beforeAll(async () => {
  wallets = await openWalletTest();
});
afterAll(() => wallets.end());
beforeEach(() => moveToBankDay(wallets.database));

const asked = ({ mandateId }: Collected) => collectionsOf(wallets.database, mandateId);
const take = ({ mandateId }: Collected, limitCents?: bigint) =>
  takeDue(wallets.database, mandateId, limitCents);
const isoDaysAfter = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);

describe("a collection that is due", () => {
  test("is asked for with all that the bank wants to know, and the next one is on its agreed day", async () => {
    const opened = await openDueMandate(wallets.database, { amountCents: 25_50n });
    const before = await mandateNow(wallets.database, opened);
    const day = await today(wallets.database);
    expect(await take(opened)).toBe(1);
    const [request, ...others] = await asked(opened);
    expect(others).toEqual([]);
    expect(request?.payload).toEqual({
      mandateId: opened.mandateId,
      mandateUniqueReference: before.mandateUniqueReference,
      creditorIdentifier: "IT91ZZZACME000000000001",
      creditorName: "Acme",
      debtorName: before.debtorName,
      debtorIban: before.debtorIban,
      amount: 25.5,
      frequency: "Weekly",
      sequenceType: "RCUR",
      signatureDate: day,
      depositDate: before.nextDepositDate,
    });
    const anchor = before.nextDepositDate ?? "";
    const dates = { today: day, preNotificationDays: 5 };
    const next = nextDeposit({ anchor, frequency: "Weekly" }, anchor, dates);
    const after = await mandateNow(wallets.database, opened);
    expect(after).toMatchObject({
      nextDepositDate: next.depositDate,
      nextDepositRequestDate: next.requestDate,
      lastError: null,
    });
    expect(after.lastDepositRequestedDate).not.toBeNull();
    const told = (await outboxOf(wallets.database, opened.walletId)).slice(-2);
    expect(told).toMatchObject([
      { destinations: ["bank-requests"], body: { kind: "directDebit", ...request?.payload } },
      { subject: "CollectionRequested", body: { requestId: request?.requestId } },
    ]);
  });

  test("is asked for once, however many timers, triggers and changes of its date come at a time", async () => {
    const opened = await openDueMandate(wallets.database);
    const later = addBankDays(await today(wallets.database), 40);
    await Promise.all([
      take(opened),
      takeDue(wallets.database, null),
      postponeDeposit(wallets.database, acme, opened.walletId, later),
      take(opened),
      takeDue(wallets.database, null),
    ]);
    const requests = await asked(opened);
    const { nextDepositDate } = await mandateNow(wallets.database, opened);
    // Whoever changes the date first leaves nothing that is due; whoever asks first leaves the next date.
    expect(requests.length).toBeLessThanOrEqual(1);
    expect(nextDepositDate).toBe(later);
    expect(new Set(requests.map(({ requestId }) => requestId)).size).toBe(requests.length);
  });

  test("put off to a later date is asked for then, and counts from that date on", async () => {
    const opened = await openDueMandate(wallets.database);
    const later = addBankDays(await today(wallets.database), 9);
    made(await postponeDeposit(wallets.database, acme, opened.walletId, later));
    expect(await take(opened)).toBe(0);
    await moveTo(wallets.database, bankDayBefore(later));
    expect(await take(opened)).toBe(1);
    expect((await asked(opened)).map(({ payload }) => payload.depositDate)).toEqual([later]);
    const { nextDepositDate } = await mandateNow(wallets.database, opened);
    expect(nextDepositDate).toBe(bankDayAfter(isoDaysAfter(later, 7), 0));
  });

  test("meets one that is open: putting off moves the next one and leaves the open one as it is", async () => {
    const opened = await openDueMandate(wallets.database);
    const requestId = await collect(wallets.database, opened);
    const { nextDepositDate } = await mandateNow(wallets.database, opened);
    const same = await postponeDeposit(
      ...[wallets.database, acme, opened.walletId, nextDepositDate ?? ""],
    );
    expect(same).toMatchObject({ code: "DepositDateNotLater" });
    const later = addBankDays(nextDepositDate ?? "", 3);
    made(await postponeDeposit(wallets.database, acme, opened.walletId, later));
    await bankTells(wallets.database, requestId, "booked");
    expect(await asked(opened)).toMatchObject([{ requestId, status: "Booked" }]);
    expect((await mandateNow(wallets.database, opened)).nextDepositDate).toBe(later);
  });

  test("on a day on which banks are closed waits for the next bank day and loses nothing", async () => {
    const opened = await openDueMandate(wallets.database);
    let saturday = await today(wallets.database);
    while (new Date(saturday).getUTCDay() !== 6) saturday = isoDaysAfter(saturday, 1);
    await moveTo(wallets.database, saturday);
    expect(isBankDay(await today(wallets.database))).toBe(false);
    expect(await take(opened)).toBe(0);
    await moveToBankDay(wallets.database);
    const day = await today(wallets.database);
    const planned = (await mandateNow(wallets.database, opened)).nextDepositDate ?? "";
    expect(await take(opened)).toBe(1);
    const [request] = await asked(opened);
    expect(request?.payload.depositDate).toBe(depositDateFor(planned, day));
    expect((request?.payload.depositDate ?? "") > day).toBe(true);
  });

  test.each([
    ["the wallet is suspended", "wallet set status = 'Suspended'", "WalletNotActive"],
    ["its IBAN is not validated", "wallet set is_iban_validated = false", "IbanNotValidated"],
  ])("is left out until the next date where %s", async (_, change, why) => {
    const opened = await openDueMandate(wallets.database);
    await wallets.database.execute(`update borsello.${change} where wallet_id = $1`, [
      opened.walletId,
    ]);
    const before = await mandateNow(wallets.database, opened);
    expect([await take(opened), await take(opened)]).toEqual([0, 0]);
    const after = await mandateNow(wallets.database, opened);
    expect(await asked(opened)).toEqual([]);
    expect(after).toMatchObject({
      status: "Active",
      lastDepositRequestedDate: null,
      lastError: `CollectionSkipped: ${why}`,
    });
    expect((after.nextDepositDate ?? "") > (before.nextDepositDate ?? "")).toBe(true);
    const skips = await auditOf(wallets.database, opened.mandateId);
    expect(skips.filter(({ action }) => action === "skipDeposit")).toHaveLength(1);
  });

  test("is left out where the limit has no room, of which open collections take their part", async () => {
    const opened = await openDueMandate(wallets.database, { amountCents: 200_00n });
    const first = await collect(wallets.database, opened);
    const due = async () => {
      await moveTo(
        wallets.database,
        (await mandateNow(wallets.database, opened)).nextDepositRequestDate ?? "",
      );
      return take(opened, 300_00n);
    };
    expect(await due()).toBe(0);
    await bankTells(wallets.database, first, "booked");
    expect(await due()).toBe(0);
    expect((await mandateNow(wallets.database, opened)).lastError).toBe(
      "CollectionSkipped: LimitExceeded",
    );
    // What the debtor's bank took back leaves the limit, and there is room again.
    await bankTells(wallets.database, first, "returned");
    expect(await due()).toBe(1);
  });

  test("five weekly ones of the most that a mandate may collect fit into thirty days", async () => {
    const opened = await openDueMandate(wallets.database, { amountCents: 250_00n });
    for (let week = 0; week < 7; week += 1) {
      expect(await take(opened)).toBe(1);
      const last = (await asked(opened)).at(-1)?.requestId ?? "";
      await bankTells(wallets.database, last, "accepted", "booked");
      const { nextDepositRequestDate } = await mandateNow(wallets.database, opened);
      await moveTo(wallets.database, nextDepositRequestDate ?? "");
    }
    expect(await asked(opened)).toHaveLength(7);
  });

  test("of a refused one there is another at the next date, with an id of its own", async () => {
    const opened = await openDueMandate(wallets.database);
    const refused = await collect(wallets.database, opened);
    await bankTells(wallets.database, refused, "refused");
    const after = await mandateNow(wallets.database, opened);
    expect(after).toMatchObject({ status: "Active", lastError: "CollectionRefused: AM04" });
    expect(after.lastFailureDate).not.toBeNull();
    expect(await take(opened)).toBe(0);
    await moveTo(wallets.database, after.nextDepositRequestDate ?? "");
    expect(await take(opened)).toBe(1);
    const requests = await asked(opened);
    expect(requests.map(({ status }) => status)).toEqual(["Refused", "Requested"]);
    expect(new Set(requests.map(({ requestId }) => requestId)).size).toBe(2);
  });

  test("of another partner, or of a mandate that is not active, is nobody's to ask for", async () => {
    const opened = await openDueMandate(wallets.database);
    const globex = { partnerKey: "globex", actor: "timer", limitCents: 1_250_00n };
    const taken = await wallets.database.transaction((tx) =>
      takeDueCollections(tx, { ...globex, mandateId: opened.mandateId }),
    );
    expect(taken).toEqual({ asked: 0, seen: 0 });
    await wallets.database.execute(
      "update borsello.mandate set status = 'DisableRequested' where mandate_id = $1",
      [opened.mandateId],
    );
    expect(await take(opened)).toBe(0);
  });
});

describe("silence", () => {
  const Messages = z.object({ messages: z.int() });
  const messagesOf = async (requestId: string): Promise<number> =>
    (
      await wallets.database.row(
        Messages,
        `select count(*)::integer as messages from borsello.outbox
         where subject = 'BankRequest' and body ->> 'requestId' = $1`,
        [requestId],
      )
    )?.messages ?? 0;

  test("is no failure: the same id is asked for again, once however many ask", async () => {
    const opened = await openDueMandate(wallets.database);
    const requestId = await collect(wallets.database, opened);
    const state = () => collectionState(wallets.database, requestId, 10);
    const { dueAt, inquiries } = await state();
    await Promise.all(
      [1, 2, 3].map(() => inquireCollection(wallets.database, requestId, inquiries)),
    );
    expect(await messagesOf(requestId)).toBe(2);
    const again = await state();
    expect(again).toMatchObject({ status: "Requested", inquiries: 1 });
    const waits = (until: string | null, from: string | null) =>
      Date.parse(until ?? "") - Date.parse(from ?? "");
    expect(waits(again.dueAt, dueAt)).toBe(20_000);
    expect(await mandateNow(wallets.database, opened)).toMatchObject({
      ...{ status: "Active", lastError: null, lastFailureDate: null },
    });
    await bankTells(wallets.database, requestId, "booked");
    expect(await state()).toMatchObject({ status: "Booked", dueAt: null });
    await inquireCollection(wallets.database, requestId, 1);
    expect(await messagesOf(requestId)).toBe(2);
  });

  test("after an acceptance lasts until the deposit's day is over", async () => {
    const opened = await openDueMandate(wallets.database);
    const requestId = await collect(wallets.database, opened);
    await bankTells(wallets.database, requestId, "accepted");
    const { status, dueAt } = await collectionState(wallets.database, requestId, 10);
    const [request] = await asked(opened);
    expect(status).toBe("Accepted");
    expect((dueAt ?? "") > `${request?.payload.depositDate ?? ""}T20`).toBe(true);
    const open = await openCollections(wallets.database, null, 1_000);
    expect(open).toContainEqual({ requestId, partnerKey: "acme" });
    expect(await collectionState(wallets.database, opened.walletId, 10)).toMatchObject({
      ...{ status: "Unknown", dueAt: null },
    });
  });
});

test("a collection that was asked for keeps its mandate alive, whatever came of it", async () => {
  const [never, refused] = [
    await openDueMandate(wallets.database),
    await openDueMandate(wallets.database),
  ];
  await bankTells(wallets.database, await collect(wallets.database, refused), "refused");
  await wallets.database.execute(
    `update borsello.mandate set activation_date = activation_date - interval '37 months'
     where mandate_id = any($1)`,
    [[never.mandateId, refused.mandateId]],
  );
  await lapseUnusedMandates(wallets.database, 1_000);
  expect(await mandateNow(wallets.database, never)).toMatchObject({
    ...{ status: "Disabled", lastError: "MandateLapsed" },
  });
  expect(await mandateNow(wallets.database, refused)).toMatchObject({ status: "Active" });
});
