/** A partner's log of events that were sent, written by SQL; and how fast it is read page by page. */
import { Client } from "pg";
import { z } from "zod";
import { envelope } from "../../shared/contracts/events/envelope.js";
import { transactionEvents } from "../../shared/contracts/events/transactions.js";

const [confirmed] = transactionEvents.filter(({ name }) => name === "TransactionConfirmed");
if (confirmed === undefined) throw new Error("The catalogue has no TransactionConfirmed.");
/** What each event of the log is; and what is forced beside them. */
export const loggedEvent = confirmed;

const wallets = 10_000;
const rowsPerStatement = 50_000;
const hourMs = 3_600_000;

const fee = { amount: 0.25, beneficiary: "Borsello, Via dell'Orso 12, Milano", debtor: "dealer" };

/** A whole event of about one kilobyte; what is in braces differs from event to event. */
const template = JSON.stringify({
  ...({
    messageVersion: 1,
    messagePublisher: "Borsello",
    timestamp: "{at}",
    id: "{id}",
    messageCreationDate: "{at}",
    messagePublishDate: "{at}",
    isLastRetry: false,
  } satisfies Record<keyof typeof envelope, unknown>),
  ...loggedEvent.example,
  walletId: "{wallet}",
  fees: [fee, fee, fee],
});

/** Of the event that has this number. */
export const loggedId = (sequence: number): string =>
  `01980000-0000-7000-8000-${sequence.toString(16).padStart(12, "0")}`;

const insertEvents = `
  insert into borsello.outbox (message_id, destinations, session_id, subject, partner_key, sequence,
    entity_version, created_at, sent_at, attempts, body)
  select id, array[$1, 'platform-events'], wallet_id, $2, $1, number, 1 + number / $3::integer, at, at, 1,
    replace(replace(replace($4, '{id}', id::text), '{wallet}', wallet_id), '{at}', borsello.iso(at))::json
  from generate_series($5::bigint, $6::bigint) as number,
    lateral (select ('01980000-0000-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid as id,
      '01980001-0000-7000-8000-' || lpad(to_hex(number % $3::integer), 12, '0') as wallet_id,
      now() - interval '1 day' + number * interval '10 ms' as at) as of_event`;

/** No event of the log is later, even of a million; and what is forced beside it is. */
export const logWrittenBy = (): string => new Date(Date.now() - hourMs).toISOString();

/** To a partner that has no events yet. */
export const fillEventLog = async (
  databaseUrl: string,
  partner: string,
  count: number,
): Promise<void> => {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query("insert into borsello.partner_sequence values ($1, $2)", [partner, count]);
    for (let from = 1; from <= count; from += rowsPerStatement) {
      const to = Math.min(count, from + rowsPerStatement - 1);
      const { name } = loggedEvent;
      await client.query(insertEvents, [partner, name, wallets, template, from, to]);
    }
    await client.query("vacuum analyze borsello.outbox, borsello.partner_sequence");
    await client.query("checkpoint");
  } finally {
    await client.end();
  }
};

const Page = z.object({ items: z.array(z.object({ sequence: z.int() })), nextAfter: z.int() });
const eventsPerPage = 100;

/** The log's first events, one page after another; resolves to events a second. */
export const pageEventLog = async (
  url: string,
  headers: Readonly<Record<string, string>>,
  count: number,
): Promise<number> => {
  const began = performance.now();
  let after = 0;
  while (after < count) {
    const answer = await fetch(`${url}/wallet/events?after=${after}&limit=${eventsPerPage}`, {
      headers,
    });
    if (answer.status !== 200) throw new Error(`The log answered ${answer.status}.`);
    const { items, nextAfter } = Page.parse(await answer.json());
    const from = after;
    if (items.length === 0 || items.some(({ sequence }, place) => sequence !== from + place + 1))
      throw new Error(`The page after ${from} is not what follows it.`);
    after = nextAfter;
  }
  return (after * 1_000) / (performance.now() - began);
};
