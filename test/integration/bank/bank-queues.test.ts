/** The bank's queues through the running platform: what cannot be read, and what the sandbox answers. */
import { randomUUID } from "node:crypto";
import {
  ServiceBusClient,
  type ServiceBusMessage,
  type ServiceBusReceivedMessage,
} from "@azure/service-bus";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { bankQueues } from "../../../shared/contracts/platform/bank-messages.js";
import { requestBank } from "../../../shared/database/bank/requests.js";
import { runDeadLetters } from "../../../tools/dead-letters/run-command.js";
import { openBankTest, sctFor } from "../../support/wallet/bank-fixtures.js";
import type { BankTest } from "../../support/wallet/bank-fixtures.js";
import { startTestStack, type TestStack } from "../../support/platform/stack.js";

let stack: TestStack;
let bank: BankTest;
let client: ServiceBusClient;

beforeAll(async () => {
  stack = await startTestStack();
  bank = await openBankTest(stack.databaseUrl);
  client = new ServiceBusClient(stack.brokerConnectionString);
});
afterAll(async () => {
  await client.close();
  await bank.end();
  await stack.stop();
});

const send = async (
  queue: string,
  body: unknown,
  {
    messageId = randomUUID(),
    ...more
  }: Partial<Omit<ServiceBusMessage, "messageId">> & {
    readonly messageId?: string;
  } = {},
): Promise<string> => {
  const sender = client.createSender(queue);
  await sender.sendMessages({ ...more, messageId, body });
  await sender.close();
  return messageId;
};

/** The dead letters of these ids; what was dead-lettered before is another test's. */
const deadLettersOf = async (
  queue: string,
  messageIds: readonly string[],
  receiver = client.createReceiver(queue, { subQueueType: "deadLetter" }),
) => {
  const dead = new Map<unknown, ServiceBusReceivedMessage>();
  for (let tries = 0; tries < 10 && !messageIds.every((id) => dead.has(id)); tries += 1) {
    for (const message of await receiver.receiveMessages(10, { maxWaitTimeInMs: 2_000 })) {
      await receiver.completeMessage(message);
      dead.set(message.messageId, message);
    }
  }
  await receiver.close();
  return messageIds.map((id) => dead.get(id));
};

const statusOf = async (text: string, id: string): Promise<string | undefined> =>
  (await bank.database.row(z.object({ status: z.string() }), text, [id]))?.status;

test("an unreadable notification is dead-lettered with what is wrong, and the next one is stored", async () => {
  const good = sctFor({ walletId: randomUUID(), code: "AAAA2222", iban: "IT60X0" });
  const junk = await send(bankQueues.notifications, Buffer.from("not json at all"));
  const wrong = await send(bankQueues.notifications, { ...good, amount: "much", reason: 5 });
  await send(bankQueues.notifications, good);

  await expect
    .poll(() =>
      statusOf(
        "select status from borsello.bank_notification where transaction_reference = $1",
        good.transactionReference,
      ),
    )
    .toBe("Received");
  expect(await deadLettersOf(bankQueues.notifications, [junk, wrong])).toMatchObject([
    {
      deadLetterReason: "MessageInvalid",
      deadLetterErrorDescription: "The body must be an object.",
      deliveryCount: 0,
    },
    {
      deadLetterReason: "MessageInvalid",
      deadLetterErrorDescription: "/amount must be a number. /reason must be a string.",
      deliveryCount: 0,
    },
  ]);
});

test("an unreadable notification whose id looks like a number is dead-lettered, too", async () => {
  const messageId = await send(bankQueues.notifications, { type: 5 }, { messageId: "20261122" });
  expect(await deadLettersOf(bankQueues.notifications, [messageId])).toMatchObject([
    { deadLetterReason: "MessageInvalid" },
  ]);
});

const DeadLetter = z.object({
  number: z.string(),
  messageId: z.string(),
  reason: z.string(),
  description: z.string(),
});

/** The operators' command on the notifications' queue. */
const deadLetters = async (...args: string[]): Promise<unknown> => {
  const printed: string[] = [];
  const place = ["--queue", bankQueues.notifications, "--broker", stack.brokerConnectionString];
  await runDeadLetters(
    [...args, ...place, "--json"],
    {},
    { print: (text) => printed.push(text), complain: () => undefined },
  );
  return JSON.parse(printed.join(""));
};
const letterOf = async (id: string) =>
  z
    .object({ letters: z.array(DeadLetter) })
    .parse(await deadLetters("list"))
    .letters.find(({ messageId }) => messageId === id);

test("what a handler fails at is dead-lettered with the error, and handled when it is resent after that is mended", async () => {
  const body = sctFor({ walletId: randomUUID(), code: "AAAA2222", iban: "IT60X0" });
  await bank.database.execute(
    `create function public.refuse() returns trigger language plpgsql as $$
     begin raise exception 'no room for it'; end $$`,
  );
  await bank.database.execute(
    `create trigger refuse before insert on borsello.bank_notification for each row
     when (new.transaction_reference = '${body.transactionReference}')
     execute function public.refuse()`,
  );
  const messageId = await send(bankQueues.notifications, body);
  await expect
    .poll(() => letterOf(messageId))
    .toMatchObject({
      reason: "HandlingFailed",
      description: "Its handling failed 10 times, at last with error P0001: no room for it",
    });
  await bank.database.execute("drop function public.refuse() cascade");
  const { number } = DeadLetter.parse(await letterOf(messageId));
  await deadLetters("resend", number);
  await expect
    .poll(() =>
      statusOf(
        "select status from borsello.bank_notification where transaction_reference = $1",
        body.transactionReference,
      ),
    )
    .toBe("Received");
  expect(await letterOf(messageId)).toBeUndefined();
});

test("an unreadable message of a flow is dead-lettered at once, and those behind it are handled", async () => {
  const sessionId = randomUUID();
  const [junk, good] = [{ walletId: 5 }, { walletId: sessionId, partnerKey: "acme", attempt: 1 }];
  const subject = "ContractDeclined";
  const messageId = await send("platform-events", junk, { sessionId, subject });
  const next = await send("platform-events", good, { sessionId, subject });
  const receiver = client.createReceiver("platform-events", "flows", {
    subQueueType: "deadLetter",
  });
  expect(await deadLettersOf("platform-events", [messageId], receiver)).toMatchObject([
    { deadLetterReason: "MessageInvalid", deliveryCount: 0, sessionId },
  ]);
  await expect
    .poll(() =>
      bank.database.execute("select from borsello.inbox where entity = $1 and message_id = $2", [
        "platform-events/Subscriptions/flows",
        next,
      ]),
    )
    .toBe(1);
});

test("an outcome of a request that nobody made is dead-lettered", async () => {
  const messageId = await send(bankQueues.outcomes, {
    requestId: randomUUID(),
    outcome: "accepted",
  });
  expect(await deadLettersOf(bankQueues.outcomes, [messageId])).toMatchObject([
    { deadLetterReason: "RequestUnknown" },
  ]);
});

test.each([
  ["transfer", 10, "Booked"],
  ["transfer", 10.99, "Booked"],
  ["payment", 10.99, "Refused"],
  ["mandateActivation", 50, "Accepted"],
] as const)("the sandbox bank makes a %s of %s %s", async (kind, amount, status) => {
  const requestId = randomUUID();
  await bank.database.transaction((tx) =>
    requestBank(tx, {
      requestId,
      kind,
      partnerKey: "acme",
      walletId: null,
      mandateId: null,
      payload: { amount },
      notify: { instanceId: `nobody-${requestId}`, event: "bankOutcome" },
    }),
  );
  // The row is what the sweep would send within ten seconds; the test does not wait for it.
  await send(bankQueues.requests, { requestId, kind, amount });
  await expect
    .poll(() =>
      statusOf("select status from borsello.bank_request where request_id = $1", requestId),
    )
    .toBe(status);
});

const tokenOf = async (partner: string): Promise<string> => {
  const answer = await fetch(`${stack.url}/sandbox/identity/local/oauth2/v2.0/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: `${partner}-client`,
      client_secret: `${partner}-local-secret`,
      scope: "api://borsello/.default",
    }),
  });
  return z.object({ access_token: z.string() }).parse(await answer.json()).access_token;
};

const credit = async (partner: string, body: unknown): Promise<Response> =>
  fetch(`${stack.url}/sandbox/bank/notifications`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${await tokenOf(partner)}`,
      "Content-Type": "application/json",
    },
    body: JSON.stringify(body),
  });

const transfer = {
  type: "IncomingSctInstant",
  debtorName: "Maria Rossi",
  debtorIban: "IT60X0542811101000000123456",
  amount: 12.5,
  reason: "for the ledger",
};
const accounts = {
  acme: "IT83X0999903200ACME00000001",
  umbrella: "IT96N0999903200UMBRELLA0001",
  nobody: "IT14B0000000000000000000001",
} as const;

test("a credit that the sandbox lets arrive is a notification of its own, each time", async () => {
  for (let call = 0; call < 2; call += 1) {
    const answer = await credit("acme", { ...transfer, creditorIban: accounts.acme });
    expect(answer.status).toBe(202);
    const { messageId } = z.object({ messageId: z.uuid() }).parse(await answer.json());
    await expect
      .poll(() =>
        statusOf(
          "select status from borsello.bank_notification where transaction_reference = $1",
          messageId,
        ),
      )
      .toBe("Received");
  }
});

test("a partner's credits reach its own account, those to nobody's are for platform", async () => {
  for (const [partner, account, status] of [
    ["acme", "umbrella", 403],
    ["acme", "nobody", 403],
    ["umbrella", "umbrella", 202],
    ["operator", "nobody", 202],
  ] as const) {
    const answer = await credit(partner, { ...transfer, creditorIban: accounts[account] });
    expect([partner, account, answer.status]).toEqual([partner, account, status]);
    if (status === 403) expect(await answer.json()).toMatchObject({ errorCode: "PartnerMismatch" });
  }
});

test("a gateway reference with other content is dead-lettered, with its name", async () => {
  const message = {
    ...sctFor({ walletId: randomUUID(), code: "AAAA2222", iban: "IT60X0" }),
    paymentGatewayReference: `gate-${randomUUID()}`,
  };
  await send(bankQueues.notifications, message);
  await expect
    .poll(() =>
      statusOf(
        "select status from borsello.bank_notification where transaction_reference = $1",
        message.transactionReference,
      ),
    )
    .toBe("Received");
  const other = await send(bankQueues.notifications, { ...message, amount: 2 });
  expect(await deadLettersOf(bankQueues.notifications, [other])).toMatchObject([
    {
      deadLetterReason: "ReferenceReused",
      deadLetterErrorDescription: expect.stringContaining(
        message.paymentGatewayReference,
      ) as string,
    },
  ]);
});

test("the sandbox's credits need the role and a body that fits", async () => {
  expect((await credit("initech", {})).status).toBe(403);
  expect((await credit("acme", { amount: 1.001 })).status).toBe(422);
});
