/** Collections that are booked when their wallet, IBAN or mandate is not what it was: where the money lies, and goes. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { proveBook } from "../../../shared/database/accounting/prove.js";
import { receiveNotification } from "../../../shared/database/bank/notifications.js";
import { requestDisable } from "../../../shared/database/mandates/disabling.js";
import {
  closeWallet,
  reactivateWallet,
  suspendWallet,
} from "../../../shared/database/wallet/states.js";
import { deskOf, type HeldCollection } from "../../support/wallet/collection-desk.js";
import { moveToBankDay, type Collected } from "../../support/wallet/collections.js";
import {
  acme,
  made,
  openWalletTest,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

let wallets: WalletTest;
beforeAll(async () => {
  wallets = await openWalletTest();
  await moveToBankDay(wallets.database);
});
afterAll(() => wallets.end());

const { opened, collected, tells, mandate, balance, bank, suspense, depositsOf, heldFor } = deskOf(
  () => wallets.database,
);

describe("a booking that comes once", () => {
  const states = {
    "the mandate is disabled": async ({ walletId }: Collected) =>
      made(await requestDisable(wallets.database, acme, walletId)),
    "the IBAN is not validated any more": ({ walletId }: Collected) =>
      wallets.database.execute(
        "update borsello.wallet set is_iban_validated = false where wallet_id = $1",
        [walletId],
      ),
  };
  test.each(Object.entries(states))("%s is the customer's all the same", async (_, happen) => {
    const it = await opened();
    const requestId = await collected(it);
    await happen(it);
    await tells(requestId, "accepted", "booked");
    expect(await balance(it)).toBe(100);
  });

  const suspend = ({ walletId }: Collected) =>
    suspendWallet(wallets.database, acme, walletId).then(made);
  const close = ({ walletId }: Collected) =>
    closeWallet(wallets.database, acme, walletId, { requiresZeroBalance: false }).then(made);
  /** As the flow of a notification does it. */
  const process = ({ bankNotificationId }: HeldCollection) =>
    wallets.database.execute("select borsello.process_notification($1, '{}', null, null)", [
      bankNotificationId,
    ]);
  /** What the bank tells of the credit itself, besides the outcome of the request. */
  const notify = async (of: Collected, requestId: string): Promise<void> => {
    const { debtorName, debtorIban, mandateUniqueReference } = await mandate(of);
    const received = await receiveNotification(wallets.database, {
      ...{ type: "IncomingSdd", debtorName, debtorIban, creditorName: "Acme", amount: 100 },
      ...{ creditorIban: "IT14B0000000000000000000001", reason: mandateUniqueReference },
      ...{ transactionReference: requestId, paymentGatewayReference: null },
      receptionDate: "2026-01-15T09:30:00.000Z",
    });
    expect(received.result).toBe("stored");
  };

  test.each([
    ["not told by itself", []],
    ["told before its outcome", ["before"]],
    ["told after it", ["after"]],
  ] as const)(
    "the wallet is suspended waits in suspense and is credited from there at reactivation, once; %s",
    async (_, told) => {
      const it = await opened();
      const requestId = await collected(it);
      await suspend(it);
      const before = { suspense: await suspense(), bank: await bank() };
      if (told[0] === "before") await notify(it, requestId);
      await tells(requestId, "booked", "booked");
      if (told[0] === "after") await notify(it, requestId);
      expect(await balance(it)).toBe(0);
      expect((await suspense()) - before.suspense).toBe(100_00n);
      const [held] = (await heldFor(requestId)).filter(({ status }) => status === "Received");
      if (held === undefined) throw new Error("nothing is held");
      expect(held).toMatchObject({ type: "IncomingSdd", reconciliationType: "Mandate" });
      expect(held).toMatchObject({ failedRule: "Wallet" });
      expect(held.feedback).toContain("the wallet is Suspended");
      await process(held);
      expect(await balance(it)).toBe(0);
      made(await reactivateWallet(wallets.database, acme, it.walletId));
      await Promise.all([process(held), process(held)]);
      expect(await balance(it)).toBe(100);
      expect(await suspense()).toBe(before.suspense);
      expect(before.bank - (await bank())).toBe(100_00n);
      expect((await heldFor(requestId)).map(({ status }) => status)).not.toContain("Received");
      await tells(requestId, "returned");
      expect(await balance(it)).toBe(0);
      expect(await bank()).toBe(before.bank);
      expect(await depositsOf(it)).toMatchObject([{ feedback: "MD06" }]);
    },
  );

  test.each(["booked", "refused"] as const)(
    "the bank has told of the credit already, and then says %s: the money is there once",
    async (word) => {
      const it = await opened();
      const requestId = await collected(it);
      const before = { suspense: await suspense(), bank: await bank() };
      await notify(it, requestId);
      expect(await balance(it)).toBe(0);
      await tells(requestId, word);
      const isBooked = word === "booked";
      expect(await balance(it)).toBe(isBooked ? 100 : 0);
      expect((await suspense()) - before.suspense).toBe(isBooked ? 0n : 100_00n);
      expect(before.bank - (await bank())).toBe(100_00n);
      const [told] = await heldFor(requestId);
      expect(told).toMatchObject(isBooked ? { status: "Consumed" } : { status: "Received" });
      if (!isBooked) {
        // A person sees it; whatever is decided, a booking after that is the same money.
        expect(told?.feedback).toMatch(/refused.*a person decides/i);
        await wallets.database.execute(
          "select borsello.approve_notification($1, 'acme', null, 'test')",
          [told?.bankNotificationId],
        );
        await tells(requestId, "booked");
        expect(await balance(it)).toBe(100);
        expect(before.bank - (await bank())).toBe(100_00n);
      }
      await tells(requestId, "returned");
      expect(await balance(it)).toBe(0);
      expect(await bank()).toBe(before.bank);
      expect(await suspense()).toBe(before.suspense);
    },
  );

  const returnOf = async (requestId: string): Promise<string> =>
    (
      await wallets.database.row(
        z.object({ requestId: z.string() }),
        `select r.request_id as "requestId" from borsello.bank_request as r
           join borsello.bank_notification as n using (bank_notification_id)
         where n.named_request_id = $1 and kind = 'return'`,
        [requestId],
      )
    )?.requestId ?? "none";

  test.each([
    ["before", async (it: Collected) => [await suspend(it), await close(it)]],
    ["after", suspend],
  ] as const)("the wallet is closed is sent back (closed %s the booking)", async (when, happen) => {
    const it = await opened();
    const requestId = await collected(it);
    const before = { suspense: await suspense(), bank: await bank() };
    await happen(it);
    await tells(requestId, "booked");
    if (when === "after") await close(it);
    expect(await heldFor(requestId)).toMatchObject([{ status: "RejectionRequested" }]);
    await tells(await returnOf(requestId), "accepted", "booked");
    expect(await heldFor(requestId)).toMatchObject([
      { status: "Rejected", consumedCents: 100_00n },
    ]);
    expect({ suspense: await suspense(), bank: await bank() }).toEqual(before);
    expect(await depositsOf(it)).toEqual([]);
  });

  test("the wallet is suspended, and is returned from there: nothing was ever the customer's", async () => {
    const it = await opened();
    const requestId = await collected(it);
    made(await suspendWallet(wallets.database, acme, it.walletId));
    const before = { suspense: await suspense(), bank: await bank() };
    await tells(requestId, "booked", "returned", "returned");
    expect({ suspense: await suspense(), bank: await bank() }).toEqual(before);
    expect(await heldFor(requestId)).toMatchObject([
      { status: "Rejected", consumedCents: 100_00n, failedRule: null },
    ]);
    expect(await depositsOf(it)).toEqual([]);
    expect(await mandate(it)).toMatchObject({ lastError: "CollectionReturned: MD06" });
  });

  test("the wallet is suspended, approved for another wallet, is taken back from that one", async () => {
    const [it, other] = [await opened(), await opened()];
    const before = { suspense: await suspense(), bank: await bank() };
    const requestId = await collected(it);
    await suspend(it);
    await tells(requestId, "booked");
    const [held] = await heldFor(requestId);
    await wallets.database.execute("select borsello.approve_notification($1, 'acme', $2, 'test')", [
      held?.bankNotificationId,
      other.walletId,
    ]);
    expect(await balance(other)).toBe(100);
    await tells(requestId, "returned");
    expect([await balance(it), await balance(other)]).toEqual([0, 0]);
    expect({ suspense: await suspense(), bank: await bank() }).toEqual(before);
  });

  test("the wallet was deleted for good waits in suspense for a person", async () => {
    const it = await opened();
    const requestId = await collected(it);
    made(await suspendWallet(wallets.database, acme, it.walletId));
    made(await closeWallet(wallets.database, acme, it.walletId, { requiresZeroBalance: false }));
    await wallets.database.execute("select borsello.force_delete_wallet($1, 'test')", [
      it.walletId,
    ]);
    await tells(requestId, "booked");
    expect(await heldFor(requestId)).toMatchObject([
      {
        status: "Received",
        feedback: "Wallet: the wallet of this collection was deleted for good",
      },
    ]);
    await tells(requestId, "returned");
    expect(await heldFor(requestId)).toMatchObject([{ status: "Rejected" }]);
  });
});

test("what was sent back and is taken back besides is missing in suspense, where a person sees it", async () => {
  const it = await opened();
  const requestId = await collected(it);
  const before = { suspense: await suspense(), bank: await bank() };
  made(await suspendWallet(wallets.database, acme, it.walletId));
  await tells(requestId, "booked");
  made(await closeWallet(wallets.database, acme, it.walletId, { requiresZeroBalance: false }));
  const back = await wallets.database.row(
    z.object({ requestId: z.string() }),
    `select request_id as "requestId" from borsello.bank_request
     where wallet_id = $1 and kind = 'return'`,
    [it.walletId],
  );
  await tells(back?.requestId ?? "", "booked");
  await tells(requestId, "returned");
  expect((await suspense()) - before.suspense).toBe(-100_00n);
  expect((await bank()) - before.bank).toBe(100_00n);
  const [held] = await heldFor(requestId);
  expect(held).toMatchObject({ status: "Rejected" });
  expect(held?.feedback).toContain("which had been sent back before");
});

test("the books are right after all of this", async () => {
  const { findings } = await proveBook({ kind: "url", url: wallets.url });
  expect(findings).toEqual([]);
});
