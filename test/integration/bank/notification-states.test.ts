/** The states of a bank notification (contract 4.4) on a real database: matched, decided, failed, sent back. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { BankNotificationMessage } from "../../../shared/contracts/platform/bank-messages.js";
import {
  approveNotification,
  rejectNotification,
} from "../../../shared/database/bank/notification-decisions.js";
import {
  advanceNotification,
  dueNotificationTypes,
} from "../../../shared/database/bank/notification-flow.js";
import { findRun, requestRun, workRun } from "../../../shared/database/settlement/runs.js";
import { proveBook } from "../../../shared/database/accounting/prove.js";
import {
  failNotification,
  receiveNotification,
} from "../../../shared/database/bank/notifications.js";
import { recordOutcome } from "../../../shared/database/bank/requests.js";
import { retryTransfers, returnWaiting } from "../../../shared/database/bank/retries.js";
import { availableCents } from "../../../shared/database/ledger/ledger.js";
import {
  countOf,
  openBankTest,
  outboxOf,
  receive,
  sctFor,
  writeWaitingWallet,
} from "../../support/wallet/bank-fixtures.js";
import type { BankTest, WaitingWallet } from "../../support/wallet/bank-fixtures.js";
import { acme, made } from "../../support/wallet/wallet-fixtures.js";

let bank: BankTest;
beforeAll(async () => {
  bank = await openBankTest();
});
afterAll(() => bank.end());

const terms = {
  silenceSeconds: 10,
  retrySeconds: [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 36_000],
};
const means = { terms, platformAccount: null, report: () => undefined };
const execute = (text: string, values: readonly unknown[] = []) =>
  bank.database.execute(text, values);

const validated = async (): Promise<WaitingWallet> => {
  const wallet = await writeWaitingWallet(bank.database);
  await execute("update borsello.iban_validation set status = 'Validated' where wallet_id = $1", [
    wallet.walletId,
  ]);
  await execute("update borsello.wallet set is_iban_validated = true where wallet_id = $1", [
    wallet.walletId,
  ]);
  return wallet;
};
const become = ({ walletId }: WaitingWallet, status: string) =>
  execute("update borsello.wallet set status = $2 where wallet_id = $1", [walletId, status]);

const nameless: Partial<BankNotificationMessage> = { reason: "savings", amount: 40 };
const arrive = async (message: BankNotificationMessage): Promise<string> =>
  (await receive(bank.database, message)).bankNotificationId;

const Row = z.object({
  status: z.string(),
  feedback: z.string().nullable(),
  consumed: z.bigint(),
  attempts: z.int(),
});
const rowOf = async (id: string): Promise<z.infer<typeof Row>> => {
  const row = await bank.database.row(
    Row,
    `select status, feedback, consumed_amount_cents as consumed, attempts
     from borsello.bank_notification where bank_notification_id = $1`,
    [id],
  );
  if (row === undefined) throw new Error("no such notification");
  return row;
};
const statusOf = async (id: string): Promise<string> => (await rowOf(id)).status;

const approve = (id: string, wallet: WaitingWallet | null = null) =>
  approveNotification(bank.database, acme, id, wallet?.walletId ?? null);
const reject = (id: string) => rejectNotification(bank.database, acme, id);
const advance = (id: string) => advanceNotification(bank.database, id, means);
const pass = (seconds: number) =>
  execute("update borsello.sandbox_clock set offset_ms = offset_ms + $1::bigint * 1000", [seconds]);

const Request = z.object({ requestId: z.string(), amount: z.number(), inquiries: z.int() });
const returnsOf = (id: string) =>
  bank.database.rows(
    Request,
    `select request_id as "requestId", (payload ->> 'amount')::float as amount, inquiries
     from borsello.bank_request where bank_notification_id = $1 order by attempt`,
    [id],
  );
const tell = async (
  requestId: string,
  outcome: "accepted" | "booked" | "refused" | "returned",
): Promise<void> => {
  await recordOutcome(bank.database, {
    ...{ requestId, outcome, transactionReference: `SB-${requestId}` },
    reasonCode: outcome === "refused" || outcome === "returned" ? "AC04" : null,
    bookingDate: outcome === "booked" ? "2026-01-16" : null,
  });
};
/** The last return that was asked for, told so by the bank. */
const tellReturn = async (id: string, ...outcomes: Parameters<typeof tell>[1][]): Promise<void> => {
  const last = (await returnsOf(id)).at(-1);
  if (last === undefined) throw new Error("no return was asked for");
  for (const outcome of outcomes) await tell(last.requestId, outcome);
};

/** By partner and kind: what notifications still hold must be what the books have in suspense. */
const differences = `
  select count(*) from (
    select partner_key, sum(cents) from (
      select partner_key, amount_cents - consumed_amount_cents as cents
      from borsello.bank_notification where is_booked
      union all
      select account.partner_key, -entry.amount_cents
      from borsello.entry join borsello.account using (account_id) where kind = 'Suspense'
    ) as line group by 1 having sum(cents) <> 0
  ) as wrong`;
const booksAgree = async (): Promise<void> => {
  expect(await countOf(bank.database, differences)).toBe(0);
};

const eventsOf = async (session: string, subject: string) =>
  (await outboxOf(bank.database, session)).filter((row) => row.subject === subject);

const unmatched = async (): Promise<string> =>
  arrive(sctFor(await writeWaitingWallet(bank.database), nameless));

describe("a deposit is credited in the order of the contract:", () => {
  test.each([
    ["code alone, from whatever account and name", { debtorIban: "IT99A9", debtorName: "X Y" }],
    ["IBAN and name", { reason: "savings", debtorName: "Rossi Bianchi Maria" }],
  ])("%s", async (_, changes) => {
    const wallet = await validated();
    const id = await arrive(sctFor(wallet, { ...changes, type: "IncomingSctInstant" }));
    expect(await statusOf(id)).toBe("Consumed");
    expect(await availableCents(bank.database, wallet.walletId)).toBe(100n);
    await booksAgree();
  });

  test("the reference of a mandate, where neither code nor account tells", async () => {
    const wallet = await validated();
    const reference = `BRS${randomUUID().slice(0, 8)}`;
    await execute(
      `insert into borsello.mandate (wallet_id, partner_key, mandate_unique_reference, debtor_name,
         debtor_iban, amount_cents, frequency, status)
       values ($1, 'acme', $2, 'Rossi', 'IT1', 1000, 'Monthly', 'Cancelled')`,
      [wallet.walletId, reference],
    );
    const changes = { debtorIban: "IT99A9", reason: `for (${reference}), please` };
    expect(await statusOf(await arrive(sctFor(wallet, changes)))).toBe("Consumed");
  });

  test("not to a wallet whose IBAN is not validated, nor through another partner's account", async () => {
    const open = await writeWaitingWallet(bank.database);
    expect(await rowOf(await arrive(sctFor(open, nameless)))).toMatchObject({
      ...{ status: "Received", feedback: expect.stringMatching(/^Code: /) as string },
    });
    const wallet = await validated();
    const elsewhere = { ...nameless, creditorIban: "IT14B0000000000000000000002" };
    const lost = await receive(bank.database, sctFor(wallet, elsewhere));
    expect(lost).toMatchObject({ status: "Received", partnerKey: "globex", walletId: null });
    await booksAgree();
  });

  test("twenty times at once it is credited once", async () => {
    const wallet = await validated();
    const message = sctFor(wallet, nameless);
    await Promise.all(
      Array.from({ length: 20 }, () => receiveNotification(bank.database, message)),
    );
    expect(await availableCents(bank.database, wallet.walletId)).toBe(4_000n);
    await booksAgree();
  });

  test("what was stored and not matched when the platform went down, its repeat finishes", async () => {
    const wallet = await validated();
    await become(wallet, "Suspended");
    const message = sctFor(wallet, nameless);
    const id = await arrive(message);
    await become(wallet, "Active");
    await execute(
      "update borsello.bank_notification set is_due = true where bank_notification_id = $1",
      [id],
    );
    await receiveNotification(bank.database, message);
    expect(await statusOf(id)).toBe("Consumed");
    expect(await receiveNotification(bank.database, message)).toEqual({ result: "repeated" });
    expect(await availableCents(bank.database, wallet.walletId)).toBe(4_000n);
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
    const wallet = await validated();
    if (rule === "Wallet") await become(wallet, "Suspended");
    const id = await arrive(sctFor(wallet, changes));
    expect(await rowOf(id)).toMatchObject({
      ...{ status: "Received", feedback: expect.stringMatching(`^${rule}: .*would fit`) as string },
    });
    expect(await eventsOf(wallet.walletId, "BankNotificationReceived")).toHaveLength(1);
    await execute(`update borsello.wallet set ${change} where wallet_id = $1`, [wallet.walletId]);
    await retryTransfers(bank.database, wallet.walletId);
    expect(await eventsOf(wallet.walletId, "NotificationAdvanced")).toHaveLength(1);
    await Promise.all([advance(id), advance(id)]);
    expect(await statusOf(id)).toBe("Consumed");
    expect(await availableCents(bank.database, wallet.walletId)).toBe(4_000n);
    await booksAgree();
  });

  test("goes back when that closes; what comes then waits for a person, who may send it back, too", async () => {
    const wallet = await validated();
    await become(wallet, "Suspended");
    const before = await arrive(sctFor(wallet, nameless));
    await become(wallet, "Closed");
    for (let time = 0; time < 2; time += 1)
      await returnWaiting(bank.database, acme, wallet.walletId);
    expect(await statusOf(before)).toBe("RejectionRequested");
    expect(await returnsOf(before)).toMatchObject([{ amount: 40 }]);
    const after = await arrive(sctFor(wallet, nameless));
    expect(await rowOf(after)).toMatchObject({
      ...{ status: "Received", feedback: expect.stringMatching(/^Wallet: .*Closed/) as string },
    });
    expect(await approve(after)).toMatchObject({
      ...{ ok: false, code: "BankNotificationStatusInvalid" },
      properties: { walletStatus: "Closed" },
    });
    made(await reject(after));
    await tellReturn(after, "booked");
    expect(await statusOf(after)).toBe("Rejected");
    await booksAgree();
  });
});

describe("a person", () => {
  test("approves for a wallet: it is credited once, however often at once, and validates nothing", async () => {
    const wallet = await writeWaitingWallet(bank.database);
    const id = await unmatched();
    const answers = await Promise.all(Array.from({ length: 8 }, () => approve(id, wallet)));
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    expect(
      answers.filter((answer) => !answer.ok && answer.code === "BankNotificationConsumed"),
    ).toHaveLength(7);
    expect(await availableCents(bank.database, wallet.walletId)).toBe(4_000n);
    expect(
      await countOf(
        bank.database,
        "select count(*) from borsello.wallet where wallet_id = $1 and is_iban_validated",
        [wallet.walletId],
      ),
    ).toBe(0);
    await booksAgree();
  });

  test("approves what an IBAN validation still waits for: credited, and the validation waits on", async () => {
    const wallet = await writeWaitingWallet(bank.database);
    const id = await arrive(sctFor(wallet, { debtorName: "Somebody Else" }));
    expect(made(await approve(id))).toMatchObject({
      status: "Consumed",
      walletId: wallet.walletId,
    });
    await booksAgree();
  });

  test("approves and rejects at once: one of them counts", async () => {
    for (let round = 0; round < 5; round += 1) {
      const wallet = await validated();
      const id = await unmatched();
      const decided = await Promise.all([approve(id, wallet), reject(id)]);
      expect(decided.filter(({ ok }) => ok)).toHaveLength(1);
    }
    await booksAgree();
  });

  const states = {
    Received: unmatched,
    Accepted: async () => {
      const id = await unmatched();
      await failNotification(bank.database, id, terms);
      return id;
    },
    Failed: async () => {
      const id = await unmatched();
      await failNotification(bank.database, id, { ...terms, retrySeconds: [0] });
      return id;
    },
    Consumed: async () => {
      const id = await unmatched();
      made(await approve(id, await validated()));
      return id;
    },
    RejectionRequested: async () => {
      const id = await unmatched();
      made(await reject(id));
      return id;
    },
    Rejected: async () => {
      const id = await unmatched();
      made(await reject(id));
      await tellReturn(id, "accepted", "booked");
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
    const wallet = await validated();
    const answerOf = async (decided: ReturnType<typeof approve> | ReturnType<typeof reject>) => {
      const answer = await decided;
      return answer.ok ? answer.value.status : answer.code;
    };
    expect(await answerOf(approve(await states[status](), wallet))).toBe(approved);
    expect(await answerOf(reject(await states[status]()))).toBe(rejected);
    await booksAgree();
  });
});

describe("what is rejected", () => {
  test("and booked by the bank is Rejected and told, once", async () => {
    const id = await unmatched();
    made(await reject(id));
    await tellReturn(id, "accepted", "booked", "booked");
    expect(await rowOf(id)).toMatchObject({ status: "Rejected", consumed: 4_000n });
    expect(await eventsOf(id, "WireTransferCompleted")).toMatchObject([
      { body: { operationId: null, walletId: null, partnerKey: "acme", amount: 40 } },
    ]);
    await booksAgree();
  });

  test("and refused is Received, told so, and rejected anew by another request", async () => {
    const id = await unmatched();
    made(await reject(id));
    await tellReturn(id, "refused", "refused");
    expect(await rowOf(id)).toMatchObject({
      ...{
        status: "Received",
        feedback: expect.stringMatching(/^ReturnRefused: AC04; /) as string,
      },
    });
    expect(await eventsOf(id, "BankNotificationReceived")).toHaveLength(2);
    made(await reject(id));
    const asked = await returnsOf(id);
    expect(new Set(asked.map(({ requestId }) => requestId)).size).toBe(2);
    await tellReturn(id, "booked");
    expect(await statusOf(id)).toBe("Rejected");
    await booksAgree();
  });

  test.each([
    ["in order", ["accepted", "booked", "returned"]],
    ["twice", ["booked", "returned", "returned"]],
    ["overtaking its booking", ["returned", "booked"]],
  ] as const)("and comes back, %s, is Received with its money in suspense", async (_, outcomes) => {
    const id = await unmatched();
    made(await reject(id));
    await tellReturn(id, ...outcomes);
    expect(await rowOf(id)).toMatchObject({ status: "Received", consumed: 0n });
    await booksAgree();
    const wallet = await validated();
    made(await approve(id, wallet));
    expect(await availableCents(bank.database, wallet.walletId)).toBe(4_000n);
    await booksAgree();
  });

  test.each([
    ["before", true],
    ["after", false],
  ])(
    "whose bounce arrives as a notification %s the bank's word, is there once",
    async (_, isFirst) => {
      const id = await unmatched();
      made(await reject(id));
      await tellReturn(id, "booked");
      const requestId = (await returnsOf(id))[0]?.requestId ?? "";
      const back = sctFor(await validated(), {
        ...{ debtorIban: "IT99A9", amount: 40, reason: `RETURN ${requestId.replaceAll("-", "")}` },
      });
      let bounced = "";
      if (isFirst) {
        bounced = await arrive(back);
        expect(await rowOf(bounced)).toMatchObject({
          ...{ status: "Received", feedback: expect.stringMatching(/^Request: /) as string },
        });
      }
      await tellReturn(id, "returned");
      if (!isFirst) bounced = await arrive(back);
      expect(await statusOf(bounced)).toBe("Consumed");
      expect(await rowOf(id)).toMatchObject({ status: "Received", consumed: 0n });
      await booksAgree();
      // Another one that names it is money that nobody knows of yet.
      const extra = await arrive({ ...back, transactionReference: randomUUID() });
      expect(await rowOf(extra)).toMatchObject({
        ...{
          status: "Received",
          feedback: expect.stringMatching(/^Request: .*a person/) as string,
        },
      });
      await booksAgree();
    },
  );

  test("and unanswered is asked for again by the same id, each time after a longer silence", async () => {
    const id = await unmatched();
    made(await reject(id));
    const first = await advance(id);
    expect(first.status).toBe("RejectionRequested");
    expect((await advance(id)).dueAt).toBe(first.dueAt);
    await pass(11);
    await advance(id);
    await advance(id);
    expect(await returnsOf(id)).toMatchObject([{ inquiries: 1 }]);
    await tellReturn(id, "booked");
    expect(await advance(id)).toMatchObject({ status: "Rejected", dueAt: null });
  });
});

test("an error of the platform is tried again at its times, and leaves it Failed at last, rejectable", async () => {
  const wallet = await validated();
  await execute(`create function borsello.break_down() returns trigger language plpgsql as
    $$ begin raise exception 'broken for % here', new.wallet_id; end $$`);
  await execute(`create trigger broken before insert on borsello.operation for each row
    when (new.wallet_id = '${wallet.walletId}') execute function borsello.break_down()`);
  const received = await receive(bank.database, sctFor(wallet, nameless));
  expect(received).toMatchObject({
    status: "Received",
    error: expect.stringContaining("broken") as string,
  });
  const id = received.bankNotificationId;
  await failNotification(bank.database, id, terms);
  expect(await rowOf(id)).toMatchObject({ status: "Accepted", attempts: 1 });
  expect(await advance(id)).toMatchObject({ status: "Accepted", isDue: false });
  for (let attempt = 2; attempt <= 8; attempt += 1) {
    await pass(86_400);
    await advance(id);
    expect((await rowOf(id)).attempts).toBe(attempt);
  }
  const failed = await rowOf(id);
  expect(failed).toMatchObject({ status: "Failed", consumed: 0n });
  expect(failed.feedback).not.toContain("broken");
  await booksAgree();
  await execute("drop trigger broken on borsello.operation");
  await pass(86_400);
  expect(await advance(id)).toMatchObject({ status: "Failed", dueAt: null });
  made(await approve(id, wallet));
  await booksAgree();
});

describe("a run", () => {
  const ask = (isScheduled: boolean, subjectId: string | null = null) =>
    requestRun(bank.database, {
      ...{ partnerKey: "acme", flow: "BankNotifications", type: "IncomingSctStandard" },
      ...{ actor: "somebody", subjectId, upTo: "now", isScheduled, isIgnored: false },
    });
  const runTerms = {
    ...terms,
    collectionAccount: null,
    safeguardingAccount: null,
    harvestedTypes: [],
  };
  const work = async (run: Awaited<ReturnType<typeof ask>>): Promise<void> => {
    while (!(await workRun(bank.database, run?.runId ?? "", runTerms)));
  };
  const told = async ({ walletId }: WaitingWallet) =>
    (await eventsOf(walletId, "NotificationAdvanced")).length;

  test("of the timer and one of a trigger at a time hand what is due to its flow, which works once", async () => {
    const wallet = await validated();
    await become(wallet, "Suspended");
    const id = await arrive(sctFor(wallet, nameless));
    await become(wallet, "Active");
    await retryTransfers(bank.database, wallet.walletId);
    expect(await dueNotificationTypes(bank.database)).toContainEqual({
      ...{ partnerKey: "acme", type: "IncomingSctStandard" },
    });
    const before = await told(wallet);
    const runs = await Promise.all([ask(true), ask(true), ask(false)]);
    expect(runs.filter((run) => run !== undefined)).toHaveLength(2);
    await Promise.all(runs.filter((run) => run !== undefined).map(work));
    expect((await told(wallet)) - before).toBeGreaterThan(0);
    await Promise.all([advance(id), advance(id), advance(id)]);
    expect(await availableCents(bank.database, wallet.walletId)).toBe(4_000n);
    await booksAgree();
  });

  test("of one has it matched anew with what has changed since; of one that is over is Ignored", async () => {
    const wallet = await writeWaitingWallet(bank.database);
    const id = await arrive(sctFor(wallet, nameless));
    await execute("update borsello.iban_validation set status = 'Validated' where wallet_id = $1", [
      wallet.walletId,
    ]);
    await execute("update borsello.wallet set is_iban_validated = true where wallet_id = $1", [
      wallet.walletId,
    ]);
    await work(await ask(false, id));
    await advance(id);
    expect(await statusOf(id)).toBe("Consumed");
    const over = await ask(false, id);
    await work(over);
    expect(await findRun(bank.database, "acme", over?.runId ?? "")).toMatchObject({
      status: "Ignored",
      items: 0,
    });
  });
});

test("after all of this the books hold what the notifications say", async () => {
  const { findings } = await proveBook({ kind: "url", url: bank.url });
  expect(findings.filter(({ check }) => check === "notifications")).toEqual([]);
});
