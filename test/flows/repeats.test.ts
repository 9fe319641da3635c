/** Messages that come again, and flows whose history is lost: nothing happens twice, nothing stops. */
import { ServiceBusClient } from "@azure/service-bus";
import type { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { instanceOf, partnerAt, type Owner, type Partner } from "../support/platform/partner.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";
import { connect } from "../support/database/connections.js";

let stack: TestStack;
let database: Client;
let bus: ServiceBusClient;
let acme: Partner;

beforeAll(async () => {
  stack = await startTestStack();
  database = await connect(stack.databaseUrl);
  // Or the minute's timer would settle the first transfer while its traces are compared.
  await database.query(
    `update borsello.partner set settings = settings ||
       '{"settlement": {"harvestedTypes": ["SctStandardDeposit"]}}' where partner_key = 'acme'`,
  );
  bus = new ServiceBusClient(stack.brokerConnectionString);
  acme = partnerAt(stack, "acme");
});
afterAll(async () => {
  await bus.close();
  await database.end();
  await stack.stop();
});

const Message = z.object({ subject: z.string(), body: z.unknown() });

/** All that the wallet's flows were ever told, in order. */
const toldAbout = async ({ walletId }: Owner) => {
  const { rows } = await database.query(
    `select subject, body from borsello.outbox
     where session_id = $1 and 'platform-events' = any(destinations) order by outbox_id`,
    [walletId],
  );
  return z.array(Message).parse(rows);
};

const isQuiet = async (): Promise<boolean> => {
  const { rowCount } = await database.query(
    `select from borsello.outbox where sent_at is null
     union all select from broker.message join broker.entity using (entity_id)
       where path = 'platform-events/Subscriptions/flows' or path like 'bank-%'
     union all select from durable.message where due_at is null`,
  );
  return rowCount === 0;
};

/** Everything that a flow could have changed about the wallet. */
const traceOf = async (owner: Owner): Promise<unknown> => {
  const { rows } = await database.query(
    `select (select count(*) from borsello.audit)::int as audits,
       (select count(*) from borsello.outbox)::int as messages,
       (select count(*) from borsello.entry)::int as entries,
       (select count(*) from borsello.bank_request)::int as requests,
       (select version from borsello.wallet where wallet_id = $1)::int as version`,
    [owner.walletId],
  );
  return { counts: rows as unknown, onboarding: await acme.onboarding(owner) };
};

/** Under new message ids, so that the broker's duplicate detection does not help. */
const tellAgain = async (owner: Owner): Promise<void> => {
  const sender = bus.createSender("platform-events");
  const messages = await toldAbout(owner);
  for (const { subject, body } of messages)
    await sender.sendMessages({ subject, body, sessionId: owner.walletId });
  await sender.close();
};

const onboarded = async (): Promise<Owner> => {
  const owner = await acme.openValidatedWallet();
  await acme.signContract(owner);
  await acme.initialiseMandate(owner, 25);
  await acme.signMandate(owner);
  await acme.onboardingBecomes(owner, "Completed");
  return owner;
};

test("every message of a finished onboarding, told twice more, changes nothing", async () => {
  const owner = await onboarded();
  await expect.poll(isQuiet).toBe(true);
  const before = await traceOf(owner);
  await tellAgain(owner);
  await tellAgain(owner);
  await expect.poll(isQuiet).toBe(true);
  expect(await traceOf(owner)).toEqual(before);
});

test("a flow whose history is lost is started anew from the database", async () => {
  const owner = await acme.openWallet();
  const instructions = await acme.setIban(owner);
  const flows = [`onboarding-${owner.walletId}`, `iban-${owner.walletId}-1`];
  for (const flow of flows)
    await expect.poll(() => instanceOf(stack, flow)).toMatchObject({ runtimeStatus: "Running" });
  for (const flow of flows) {
    const base = `${stack.url}/runtime/webhooks/durabletask/instances/${flow}`;
    await fetch(`${base}/terminate?reason=lost&code=local-key`, { method: "POST" });
    await expect.poll(() => instanceOf(stack, flow)).toMatchObject({ runtimeStatus: "Terminated" });
    await fetch(`${base}?code=local-key`, { method: "DELETE" });
    expect(await instanceOf(stack, flow)).toBeNull();
  }
  const { startedAt } = await acme.onboarding(owner);
  await acme.moveClock(startedAt, 0.1);
  for (const flow of flows)
    await expect.poll(() => instanceOf(stack, flow)).toMatchObject({ runtimeStatus: "Running" });
  await acme.pay(owner, instructions);
  await acme.stepBecomes(owner, "ibanValidation", "Completed");
});
