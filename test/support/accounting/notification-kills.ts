/** Kills the platform while bank notifications arrive and are rejected, and holds its books against the bank's. */
import { setTimeout as sleep } from "node:timers/promises";
import { ServiceBusClient } from "@azure/service-bus";
import { expect } from "vitest";
import { z } from "zod";
import { rejectBankNotificationRoute } from "../../../shared/contracts/accounting/bank-notifications.js";
import {
  bankQueues,
  type BankNotificationMessage,
} from "../../../shared/contracts/platform/bank-messages.js";
import { proveBook } from "../../../shared/database/accounting/prove.js";
import type { Database } from "../../../shared/database/platform/database.js";
import { wrongInBooks } from "../operations/books.js";
import { clientOf, openStackDatabase } from "../platform/api.js";
import { untilNone } from "../platform/progress.js";
import { seededBelow } from "../platform/seeded-random.js";
import { startTestStack, type TestStack } from "../platform/stack.js";
import {
  composeMail,
  type Credit,
  type End,
  type Mail,
  type MailSize,
} from "./notification-mail.js";

export interface NotificationRun extends MailSize {
  readonly kills: number;
  readonly seed: number;
  /** Told of how many messages have been sent. */
  readonly done?: (count: number) => void;
}

const batchSize = 40;
const repeatMs = 100;
const patienceMs = 4_000;

/** The bank's end of the queue: what a death cuts is sent again, wholly. */
const openPost = (stack: TestStack) => {
  const connect = () => {
    const client = new ServiceBusClient(stack.brokerConnectionString, {
      retryOptions: { maxRetries: 0, timeoutInMs: patienceMs },
    });
    return { client, sender: client.createSender(bankQueues.notifications) };
  };
  let line = connect();
  let ids = 0;
  // A client whose broker was killed may wait for it without end.
  const hangUp = () => Promise.race([line.client.close(), sleep(patienceMs)]);
  return {
    send: async (messages: readonly BankNotificationMessage[]): Promise<void> => {
      for (;;) {
        const batch = messages.map((body) => ({
          ...{ body, messageId: `mail-${(ids += 1)}`, contentType: "application/json" },
        }));
        try {
          await line.sender.sendMessages(batch);
          return;
        } catch {
          await hangUp();
          await sleep(repeatMs);
          line = connect();
        }
      }
    },
    close: hangUp,
  };
};

const Counted = z.object({ count: z.int() });

const countOf = async (database: Database, text: string): Promise<number> =>
  (await database.row(Counted, text))?.count ?? 0;

const arrived = "select count(*)::int as count from borsello.bank_notification";

const toReject = `
  select bank_notification_id as id from borsello.bank_notification
  where transaction_reference = any($1) and status = 'Received' and feedback is not null limit 20`;

/** A person at work: what is to go back is rejected as soon as it waits, through every death. */
const rejectAll = async (
  stack: TestStack,
  database: Database,
  credits: readonly Credit[],
  ended: AbortSignal,
): Promise<void> => {
  const references = credits
    .filter(({ end }) => end === "sentBack")
    .map(({ message }) => message.transactionReference);
  const acme = clientOf(stack, "acme");
  while (!ended.aborted) {
    const waiting = await database.rows(z.object({ id: z.string() }), toReject, [references]);
    try {
      for (const { id } of waiting)
        await acme.call(rejectBankNotificationRoute, { params: { bankNotificationId: id } });
    } catch (error) {
      // fetch's own failure is a connection that a death has cut.
      if (!(error instanceof TypeError)) throw error;
    }
    await sleep(repeatMs);
  }
};

const queued = `
  select count(*)::int as count from broker.message join broker.entity using (entity_id)
  where path like 'bank-notifications%'`;
const undone = `
  select count(*)::int as count from borsello.bank_notification
  where status not in ('Consumed', 'Rejected')
    and not (status = 'Received' and transaction_reference = any($1) and feedback is not null)`;

/** Once everything is where it stays; `moved` hears of what has come nearer to that. */
const settle = async (
  database: Database,
  { credits }: Mail,
  moved: (count: number) => void,
): Promise<void> => {
  const told = (count: () => Promise<number>): (() => Promise<number>) => {
    let before = 0;
    return async () => {
      const left = await count();
      if (left < before) moved(before - left);
      before = left;
      return left;
    };
  };
  await untilNone(told(async () => credits.length - (await countOf(database, arrived))));
  await untilNone(told(() => countOf(database, queued)));
  const kept = credits
    .filter(({ end }) => end === "suspense")
    .map(({ message }) => message.transactionReference);
  await untilNone(
    told(async () => (await database.row(Counted, undone, [kept]))?.count ?? credits.length),
  );
};

const Ends = z.object({
  reference: z.string(),
  status: z.string(),
  cents: z.bigint(),
  credits: z.int(),
  wallet: z.string().nullable(),
  store: z.string().nullable(),
  sentBack: z.bigint(),
});

/** What became of each credit, by its money's movements: in one pass, however many there are. */
const endsOf = (database: Database) =>
  database.rows(
    Ends,
    `with credited as (
       select n.bank_notification_id, count(*)::int as credits,
         min(o.wallet_id::text) filter (where o.net_amount_cents = n.amount_cents) as wallet
       from borsello.operation as o join borsello.bank_notification as n using (bank_notification_id)
       group by 1
     ), returned as (
       select t.bank_notification_id, sum(entry.amount_cents)::bigint as cents
       from borsello.ledger_transaction as t
         join borsello.entry using (transaction_id) join borsello.account using (account_id)
       where t.kind = 'SentBack' and account.kind = 'Bank' group by 1
     )
     select n.transaction_reference as reference, n.status, n.amount_cents as cents,
       coalesce(credits, 0) as credits, wallet, n.store_id::text as store,
       coalesce(returned.cents, 0) as "sentBack"
     from borsello.bank_notification as n left join credited using (bank_notification_id)
       left join returned using (bank_notification_id)`,
  );

const statusOf: Readonly<Record<End, string>> = {
  wallet: "Consumed",
  store: "Consumed",
  suspense: "Received",
  sentBack: "Rejected",
};

const byReference = (one: { reference: string }, other: { reference: string }): number =>
  one.reference < other.reference ? -1 : 1;

const sumOf = (credits: readonly Credit[], end: End): bigint =>
  credits.filter((credit) => credit.end === end).reduce((sum, { cents }) => sum + cents, 0n);

/** Every credit is where it belongs, once, and the accounts hold what that makes. */
const judge = async (stack: TestStack, database: Database, { credits }: Mail): Promise<void> => {
  const due = credits.map(({ end, owner, cents, message }) => ({
    ...{ reference: message.transactionReference, status: statusOf[end], cents },
    credits: end === "wallet" ? 1 : 0,
    wallet: end === "wallet" ? owner : null,
    store: end === "store" ? owner : null,
    sentBack: end === "sentBack" ? cents : 0n,
  }));
  expect((await endsOf(database)).sort(byReference)).toEqual(due.sort(byReference));

  const owned = new Map<string, bigint>();
  for (const { end, owner, cents } of credits)
    if (end === "wallet" && owner !== null) owned.set(owner, (owned.get(owner) ?? 0n) + cents);
  const credited = await database.rows(
    z.object({ id: z.string(), cents: z.bigint() }),
    `select o.wallet_id::text as id, sum(entry.amount_cents)::bigint as cents
     from borsello.operation as o join borsello.ledger_transaction as t using (operation_id)
       join borsello.entry using (transaction_id) join borsello.account using (account_id)
     where o.bank_notification_id is not null and account.kind = 'Bucket' group by 1`,
  );
  expect(new Map(credited.map(({ id, cents }) => [id, cents]))).toEqual(owned);

  const account = async (kind: string): Promise<bigint> =>
    (
      await database.row(
        z.object({ cents: z.bigint() }),
        `select coalesce(sum(entry.amount_cents), 0)::bigint as cents
         from borsello.entry join borsello.account using (account_id)
         where account.kind = $1 and account.partner_key = 'acme'`,
        [kind],
      )
    )?.cents ?? 0n;
  const all = credits.reduce((sum, { cents }) => sum + cents, 0n);
  expect({
    suspense: await account("Suspense"),
    stores: await account("Store"),
    bank: await account("Bank"),
  }).toEqual({
    suspense: sumOf(credits, "suspense"),
    // All that they owed is paid.
    stores: 0n,
    bank: sumOf(credits, "sentBack") - all,
  });
  expect(
    await countOf(
      database,
      "select count(*)::int as count from borsello.reconciliation_group where status <> 'Reconciled'",
    ),
  ).toBe(0);
  expect(await wrongInBooks(database)).toEqual([]);
  const proof = await proveBook({ kind: "url", url: stack.databaseUrl });
  expect(proof.findings).toEqual([]);
};

/** Resolves to how many credits there were, repeats not counted. */
export const killUnderNotifications = async (run: NotificationRun): Promise<number> => {
  const stack = await startTestStack();
  const database = openStackDatabase(stack);
  const ended = new AbortController();
  const post = openPost(stack);
  try {
    const mail = await composeMail(database, run, seededBelow(run.seed));
    const rejecting = rejectAll(stack, database, mail.credits, ended.signal);
    const sending = (async () => {
      for (let from = 0; from < mail.sent.length; from += batchSize) {
        const batch = mail.sent.slice(from, from + batchSize);
        await post.send(batch);
        run.done?.(batch.length);
      }
    })();
    const killing = (async () => {
      for (let kill = 1; kill <= run.kills; kill += 1) {
        const reached = (mail.credits.length * kill) / (run.kills + 1);
        for (let seen = 0; seen < reached;) {
          const now = await countOf(database, arrived);
          if (now > seen) run.done?.(now - seen);
          seen = now;
          await sleep(10);
        }
        await stack.kill9();
        await stack.restart();
      }
    })();
    try {
      await Promise.all([Promise.race([rejecting, sending]), killing, sending]);
      await Promise.race([rejecting, settle(database, mail, (count) => run.done?.(count))]);
    } finally {
      ended.abort();
      await Promise.allSettled([rejecting, sending, killing]);
    }
    await judge(stack, database, mail);
    return mail.credits.length;
  } finally {
    await post.close();
    await database.close();
    await stack.stop();
  }
};
