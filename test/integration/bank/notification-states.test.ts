/** A bank notification matched, waiting, decided by a person (contract 4.4), on a real database. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  failNotification,
  receiveNotification,
} from "../../../shared/database/bank/notifications.js";
import { retryTransfers, returnWaiting } from "../../../shared/database/bank/retries.js";
import {
  countOf,
  receive,
  sctFor,
  writeWaitingWallet,
} from "../../support/wallet/bank-fixtures.js";
import {
  nameless,
  openNotificationTest,
  terms,
  type NotificationTest,
} from "../../support/wallet/notification-test.js";
import { acme, made } from "../../support/wallet/wallet-fixtures.js";

let bank: NotificationTest;
beforeAll(async () => {
  bank = await openNotificationTest();
});
afterAll(() => bank.end());

describe("a deposit is credited in the order of the contract:", () => {
  test.each([
    ["code alone, from whatever account and name", { debtorIban: "IT99A9", debtorName: "X Y" }],
    ["IBAN and name", { reason: "savings", debtorName: "Rossi Bianchi Maria" }],
  ])("%s", async (_, changes) => {
    const wallet = await bank.validated();
    const id = await bank.arrive(sctFor(wallet, { ...changes, type: "IncomingSctInstant" }));
    expect(await bank.statusOf(id)).toBe("Consumed");
    expect(await bank.balanceOf(wallet)).toBe(100n);
    await bank.booksAgree();
  });

  test("the reference of a mandate, where neither code nor account tells", async () => {
    const wallet = await bank.validated();
    const reference = `BRS${randomUUID().slice(0, 8)}`;
    await bank.execute(
      `insert into borsello.mandate (wallet_id, partner_key, mandate_unique_reference, debtor_name,
         debtor_iban, amount_cents, frequency, status)
       values ($1, 'acme', $2, 'Rossi', 'IT1', 1000, 'Monthly', 'Cancelled')`,
      [wallet.walletId, reference],
    );
    const changes = { debtorIban: "IT99A9", reason: `for (${reference}), please` };
    expect(await bank.statusOf(await bank.arrive(sctFor(wallet, changes)))).toBe("Consumed");
  });

  test("not to a wallet whose IBAN is not validated, nor through another partner's account", async () => {
    const open = await writeWaitingWallet(bank.database);
    expect(await bank.rowOf(await bank.arrive(sctFor(open, nameless)))).toMatchObject({
      ...{ status: "Received", feedback: expect.stringMatching(/^Code: /) as string },
    });
    const wallet = await bank.validated();
    const elsewhere = { ...nameless, creditorIban: "IT14B0000000000000000000002" };
    const lost = await receive(bank.database, sctFor(wallet, elsewhere));
    expect(lost).toMatchObject({ status: "Received", partnerKey: "globex", walletId: null });
    await bank.booksAgree();
  });

  test("twenty times at once it is credited once", async () => {
    const wallet = await bank.validated();
    const message = sctFor(wallet, nameless);
    await Promise.all(
      Array.from({ length: 20 }, () => receiveNotification(bank.database, message)),
    );
    expect(await bank.balanceOf(wallet)).toBe(4_000n);
    await bank.booksAgree();
  });

  test("what was stored and not matched when the platform went down, its repeat finishes", async () => {
    const wallet = await bank.validated();
    await bank.become(wallet, "Suspended");
    const message = sctFor(wallet, nameless);
    const id = await bank.arrive(message);
    await bank.become(wallet, "Active");
    await bank.execute(
      "update borsello.bank_notification set is_due = true where bank_notification_id = $1",
      [id],
    );
    await receiveNotification(bank.database, message);
    expect(await bank.statusOf(id)).toBe("Consumed");
    expect(await receiveNotification(bank.database, message)).toEqual({ result: "repeated" });
    expect(await bank.balanceOf(wallet)).toBe(4_000n);
  });
});

describe("what waits for its wallet", () => {
  const name = { ...nameless, debtorName: "Bianchi Anna" };
  test.each([
    ["is credited when that is active again", "Wallet", nameless, "status = 'Active'"],
    [
      "is credited when the holder's name fits",
      "DebtorName",
      name,
      "last_name = 'Bianchi', first_name = 'Anna', status = 'Active'",
    ],
  ])("%s", async (_, rule, changes, change) => {
    const wallet = await bank.validated();
    if (rule === "Wallet") await bank.become(wallet, "Suspended");
    const id = await bank.arrive(sctFor(wallet, changes));
    expect(await bank.rowOf(id)).toMatchObject({
      ...{ status: "Received", feedback: expect.stringMatching(`^${rule}: .*would fit`) as string },
    });
    expect(await bank.eventsOf(wallet.walletId, "BankNotificationReceived")).toHaveLength(1);
    await bank.execute(`update borsello.wallet set ${change} where wallet_id = $1`, [
      wallet.walletId,
    ]);
    await retryTransfers(bank.database, wallet.walletId);
    expect(await bank.eventsOf(wallet.walletId, "NotificationAdvanced")).toHaveLength(1);
    await Promise.all([bank.advance(id), bank.advance(id)]);
    expect(await bank.statusOf(id)).toBe("Consumed");
    expect(await bank.balanceOf(wallet)).toBe(4_000n);
    await bank.booksAgree();
  });

  test("goes back when that closes; what comes then waits for a person, who may send it back, too", async () => {
    const wallet = await bank.validated();
    await bank.become(wallet, "Suspended");
    const before = await bank.arrive(sctFor(wallet, nameless));
    await bank.become(wallet, "Closed");
    for (let time = 0; time < 2; time += 1)
      await returnWaiting(bank.database, acme, wallet.walletId);
    expect(await bank.statusOf(before)).toBe("RejectionRequested");
    expect(await bank.returnsOf(before)).toMatchObject([{ amount: 40 }]);
    const after = await bank.arrive(sctFor(wallet, nameless));
    expect(await bank.rowOf(after)).toMatchObject({
      ...{ status: "Received", feedback: expect.stringMatching(/^Wallet: .*Closed/) as string },
    });
    expect(await bank.approve(after)).toMatchObject({
      ...{ ok: false, code: "BankNotificationStatusInvalid" },
      properties: { walletStatus: "Closed" },
    });
    made(await bank.reject(after));
    await bank.tellReturn(after, "booked");
    expect(await bank.statusOf(after)).toBe("Rejected");
    await bank.booksAgree();
  });
});

describe("a person", () => {
  test("approves for a wallet: it is credited once, however often at once, and validates nothing", async () => {
    const wallet = await writeWaitingWallet(bank.database);
    const id = await bank.unmatched();
    const answers = await Promise.all(Array.from({ length: 8 }, () => bank.approve(id, wallet)));
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    expect(
      answers.filter((answer) => !answer.ok && answer.code === "BankNotificationConsumed"),
    ).toHaveLength(7);
    expect(await bank.balanceOf(wallet)).toBe(4_000n);
    expect(
      await countOf(
        bank.database,
        "select count(*) from borsello.wallet where wallet_id = $1 and is_iban_validated",
        [wallet.walletId],
      ),
    ).toBe(0);
    await bank.booksAgree();
  });

  test("approves what an IBAN validation still waits for: credited, and the validation waits on", async () => {
    const wallet = await writeWaitingWallet(bank.database);
    const id = await bank.arrive(sctFor(wallet, { debtorName: "Somebody Else" }));
    expect(made(await bank.approve(id))).toMatchObject({
      status: "Consumed",
      walletId: wallet.walletId,
    });
    await bank.booksAgree();
  });

  test("approves and rejects at once: one of them counts", async () => {
    for (let round = 0; round < 5; round += 1) {
      const wallet = await bank.validated();
      const id = await bank.unmatched();
      const decided = await Promise.all([bank.approve(id, wallet), bank.reject(id)]);
      expect(decided.filter(({ ok }) => ok)).toHaveLength(1);
    }
    await bank.booksAgree();
  });

  const states = {
    Received: () => bank.unmatched(),
    Accepted: async () => {
      const id = await bank.unmatched();
      await failNotification(bank.database, id, terms);
      return id;
    },
    Failed: async () => {
      const id = await bank.unmatched();
      await failNotification(bank.database, id, { ...terms, retrySeconds: [0] });
      return id;
    },
    Consumed: async () => {
      const id = await bank.unmatched();
      made(await bank.approve(id, await bank.validated()));
      return id;
    },
    RejectionRequested: async () => {
      const id = await bank.unmatched();
      made(await bank.reject(id));
      return id;
    },
    Rejected: async () => {
      const id = await bank.unmatched();
      made(await bank.reject(id));
      await bank.tellReturn(id, "accepted", "booked");
      return id;
    },
  } as const;
  const invalid = "BankNotificationStatusInvalid";
  test.each([
    ["Received", "Consumed", "RejectionRequested"],
    ["Accepted", invalid, "RejectionRequested"],
    ["Failed", "Consumed", "RejectionRequested"],
    ["Consumed", "BankNotificationConsumed", "BankNotificationConsumed"],
    ["RejectionRequested", invalid, invalid],
    ["Rejected", invalid, invalid],
  ] as const)("finds it %s: approve %s, reject %s", async (status, approved, rejected) => {
    const wallet = await bank.validated();
    const answerOf = async (
      decided: ReturnType<NotificationTest["approve"]> | ReturnType<NotificationTest["reject"]>,
    ) => {
      const answer = await decided;
      return answer.ok ? answer.value.status : answer.code;
    };
    expect(await answerOf(bank.approve(await states[status](), wallet))).toBe(approved);
    expect(await answerOf(bank.reject(await states[status]()))).toBe(rejected);
    await bank.booksAgree();
  });
});

test("after all of this the books hold what the notifications say", async () => {
  expect(await bank.misheld()).toEqual([]);
});
