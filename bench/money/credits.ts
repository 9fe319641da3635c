/** A platform whose bank tells of credits: those that came before, written by SQL, and those sent through the broker. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { ServiceBusClient } from "@azure/service-bus";
import { Client } from "pg";
import { startPlatform } from "../platform/process.js";
import { acme } from "../platform/session.js";
import { readTopic } from "../platform/topic-reader.js";

export interface CreditDesk {
  /** Sends so many as fast as the broker takes them; resolves to how many were credited in a second. */
  rush(count: number): Promise<number>;
  /** Sends so many a second; resolves to the milliseconds from each message to the partner's event of its credit. */
  pace(perSecond: number, seconds: number): Promise<number[]>;
  stop(): Promise<void>;
}

const payees = 500;
const filledAtOnce = 500;
const fillers = 2;
const batchSize = 50;
/** Each look reads what the slot has received so far: more of them would be a part of what is measured. */
const lookMs = 100;
const patienceMs = 300_000;
const collectionIban = "IT83X0999903200ACME00000001";
const stranger = "DE89370400440532013000";

/** Customers whose IBAN is validated: what names their code is theirs. */
const openPayees = `
  with made as (
    insert into borsello.wallet (partner_key, tax_id, first_name, last_name, phone_number, email,
      originating_dealer_key, iban, iban_validation_code, is_iban_validated)
    select 'acme', 'PAYEE' || n, 'Rita', 'Ricca', '+393331234567', 'payee' || n || '@example.com',
      'dealer-rome', 'PAYEE' || n, 'QQ' || lpad(n::text, 6, '0'), true
    from generate_series(1, $1::integer) as n
    returning wallet_id, partner_key, iban, iban_validation_code
  ), validation as (
    insert into borsello.iban_validation (wallet_id, attempt, partner_key, iban, code,
      transfer_amount_cents, expires_at, status)
    select wallet_id, 1, partner_key, iban, iban_validation_code, 100, now() + interval '30 days',
      'Validated'
    from made
  )
  select count(*) from made`;

/**
 * Credits are harvested at night, which a partner may choose: settled one by one, each minute's thousand flows
 * would be what is measured.
 */
const harvestCredits = `
  update borsello.partner set settings = jsonb_set(jsonb_set(settings, '{settlement}',
    coalesce(settings -> 'settlement', '{}')), '{settlement,harvestedTypes}',
    '["SctStandardDeposit", "SctInstantDeposit"]')
  where partner_key = 'acme'`;

/** Onboarded long ago. */
const endOnboardings =
  "update borsello.onboarding set status = 'Completed', ended_at = now() where ended_at is null";

/**
 * Credits `$1` to `$2` as the app receives them, one of ten fitting nobody; their events count as sent, for
 * the relay has nothing to do with what came long ago.
 */
const fill = `
  with received as (
    select borsello.receive_notification(json_build_object(
        'type', 'IncomingSctStandard', 'transaction_reference', 'OLD-' || n,
        'payment_gateway_reference', null, 'debtor_name', 'Ricca Rita', 'debtor_iban', $4::text,
        'creditor_name', 'Borsello', 'creditor_iban', $3::text, 'amount_cents', 100 + n % 900,
        'reason', case when n % 10 = 0 then 'for nobody' else code end,
        'reception_date', now()),
      json_build_object('codes', case when n % 10 = 0 then '{}'::text[] else array[code] end,
        'ids', '{}'::uuid[], 'reference_names', array['OLD-' || n],
        'reconciliation_codes', '{}'::text[]), null)
    from generate_series($1::integer, $2::integer, ${fillers}) as n,
      lateral (select 'QQ' || lpad((1 + n % ${payees})::text, 6, '0')) as payee (code)
  )
  select count(*) from received`;

/** Each filler has customers of its own, so that none waits for the other's. */
const fillOne = async (databaseUrl: string, first: number, count: number) => {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (let from = first; from <= count; from += filledAtOnce * fillers) {
      const to = Math.min(from + filledAtOnce * fillers - 1, count);
      await client.query("begin");
      await client.query(fill, [from, to, collectionIban, stranger]);
      await client.query("update borsello.outbox set sent_at = now() where sent_at is null");
      await client.query("commit");
    }
  } finally {
    await client.end();
  }
};

const fillNotifications = async (databaseUrl: string, count: number): Promise<void> => {
  await Promise.all(
    Array.from({ length: fillers }, (_, filler) => fillOne(databaseUrl, 1 + filler, count)),
  );
};

/** What so many notifications at once leave to be done is done: in life they came over months. */
const afterUpkeep = async (client: Client): Promise<void> => {
  const { rows } = await client.query<{ last: string }>(
    "select coalesce(max(audit_id), 0) as last from borsello.audit",
  );
  const isSealed = async (): Promise<boolean> => {
    const links = await client.query(
      "select from borsello.audit_link where audit_through >= $1 limit 1",
      [rows[0]?.last],
    );
    return links.rowCount === 1;
  };
  const deadline = performance.now() + patienceMs;
  while (!(await isSealed())) {
    if (performance.now() > deadline) throw new Error("The audit is not sealed.");
    await sleep(lookMs);
  }
  await client.query("vacuum analyze");
  await client.query("checkpoint");
};

/** Starts it on a new data folder, with so many notifications behind it. */
export const openCreditDesk = async (dataFolder: string, before: number): Promise<CreditDesk> => {
  const platform = await startPlatform(dataFolder);
  const client = new Client({ connectionString: platform.databaseUrl });
  await client.connect();
  await client.query(openPayees, [payees]);
  await client.query(harvestCredits);
  await client.query(endOnboardings);
  await fillNotifications(platform.databaseUrl, before);
  await afterUpkeep(client);
  const bus = new ServiceBusClient(platform.brokerConnectionString);
  const sender = bus.createSender("bank-notifications");
  const credited = new Map<string, () => void>();
  const reader = readTopic(platform.brokerConnectionString, acme.partner, ({ name, walletId }) => {
    if (name !== "TransactionConfirmed") return;
    credited.get(walletId)?.();
    credited.delete(walletId);
  });
  const { rows: owners } = await client.query<{ id: string; code: string }>(
    "select wallet_id as id, iban_validation_code as code from borsello.wallet order by tax_id",
  );
  let sent = 0;
  const next = () => {
    const owner = owners[(sent += 1) % owners.length] ?? { id: "", code: "" };
    const body = {
      ...{ type: "IncomingSctInstant", transactionReference: `NEW-${sent}-${randomUUID()}` },
      ...{ debtorName: "Ricca Rita", debtorIban: stranger, creditorName: "Borsello" },
      ...{ creditorIban: collectionIban, amount: (100 + (sent % 900)) / 100, reason: owner.code },
      receptionDate: new Date().toISOString(),
    };
    return { owner, message: { body, messageId: randomUUID(), contentType: "application/json" } };
  };
  const consumed = async (): Promise<number> => {
    const { rows } = await client.query<{ count: string }>(
      `select count(*) from borsello.bank_notification
       where status = 'Consumed' and bank_notification_id > $1`,
      [mark],
    );
    return Number(rows[0]?.count);
  };
  let mark = "00000000-0000-0000-0000-000000000000";
  const untilAll = async (count: number): Promise<void> => {
    const deadline = performance.now() + patienceMs;
    while ((await consumed()) < count) {
      if (performance.now() > deadline) throw new Error("Credits are missing.");
      await sleep(lookMs);
    }
  };
  const markNow = async (): Promise<void> => {
    const { rows } = await client.query<{ id: string }>("select uuidv7() as id");
    mark = rows[0]?.id ?? "";
  };
  /** Until the partner has read every event, so that none of them weighs on what is measured next. */
  const settle = async (): Promise<void> => {
    for (let heard = -1; heard !== reader.events.length;) {
      heard = reader.events.length;
      await sleep(500);
    }
  };
  return {
    rush: async (count) => {
      await markNow();
      const began = performance.now();
      for (let from = 0; from < count; from += batchSize)
        await sender.sendMessages(
          Array.from({ length: Math.min(batchSize, count - from) }, () => next().message),
        );
      await untilAll(count);
      const seconds = (performance.now() - began) / 1_000;
      await settle();
      return count / seconds;
    },
    pace: async (perSecond, seconds) => {
      const tookMs: number[] = [];
      const failures: unknown[] = [];
      const began = performance.now();
      const total = perSecond * seconds;
      for (let place = 0; place < total; place += 1) {
        const dueMs = began + (place * 1_000) / perSecond;
        while (performance.now() < dueMs) await sleep(1);
        const { owner, message } = next();
        credited.set(owner.id, () => {
          tookMs.push(performance.now() - dueMs);
        });
        // Not waited for: the next one leaves at its time.
        sender.sendMessages(message).catch((error: unknown) => void failures.push(error));
      }
      const deadline = performance.now() + patienceMs;
      while (tookMs.length < total) {
        if (failures.length > 0) throw failures[0];
        if (performance.now() > deadline) throw new Error("Events of credits are missing.");
        await sleep(lookMs);
      }
      await settle();
      return tookMs;
    },
    stop: async () => {
      await reader.stop();
      await bus.close();
      await client.end();
      await platform.stop();
    },
  };
};
