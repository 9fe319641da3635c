/** The card processor through the running platform: what it says, what it is told, and no card's number anywhere. */
import { randomUUID } from "node:crypto";
import { ServiceBusClient, type ServiceBusReceivedMessage } from "@azure/service-bus";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { setCardLimitsEndpoint } from "../../functions/card/limits.js";
import { pinEndpoints } from "../../functions/card/pins.js";
import { sandboxCardEndpoints } from "../../functions/sandbox/card-processor.js";
import { getAccountRoute } from "../../shared/contracts/card/accounts.js";
import { getAddressRoute } from "../../shared/contracts/card/addresses.js";
import * as cards from "../../shared/contracts/card/cards.js";
import { setCardLimitsRoute } from "../../shared/contracts/card/limits.js";
import { changePinRoute, getPinKeyRoute } from "../../shared/contracts/card/pins.js";
import {
  CardProcessorCommand,
  cardQueues,
  type CardIssued,
} from "../../shared/contracts/card/processor-messages.js";
import { errorTable } from "../../shared/contracts/errors.js";
import type { Route } from "../../shared/contracts/route.js";
import {
  chargeFeeRoute,
  makePinTokenRoute,
  openCardAccountRoute,
  presentRoute,
} from "../../shared/contracts/sandbox/card-processor.js";
import type { Database } from "../../shared/database/platform/database.js";
import type { Client } from "../../shared/http/client.js";
import { pansIn, pansInDatabase } from "../support/card/no-pan.js";
import { cypherOf } from "../support/card/pin-cyphers.js";
import { fee, presentment, processorCases } from "../support/card/processor-refusals.js";
import {
  addressOf,
  clientOf,
  headersOf,
  openStackDatabase,
  send,
  valueOf,
} from "../support/platform/api.js";
import { readOpenApi, type Misfits } from "../support/platform/openapi-check.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";

let stack: TestStack;
let database: Database;
let broker: ServiceBusClient;
let acme: Client;
let token: string;
let misfits: Misfits;

beforeAll(async () => {
  stack = await startTestStack();
  database = openStackDatabase(stack);
  broker = new ServiceBusClient(stack.brokerConnectionString);
  acme = clientOf(stack, "acme");
  token = await acme.token();
  misfits = await readOpenApi(stack, "card");
});
afterAll(async () => {
  await broker.close();
  await database.close();
  await stack.stop();
});

const home = {
  type: "PermanentResidence",
  ...{ countryCode: "ITA", line1: "Via Larga 2", city: "Milano", zipCode: "20122" },
  ...{ province: "MI", externalReference: "home" },
} as const;

const openAccount = async () => {
  const person = { customerId: randomUUID(), firstName: "Anna", lastName: "Verdi" };
  const body = { ...person, address: home };
  const { accountId, addressId } = valueOf(await acme.call(openCardAccountRoute, { body }));
  const { customerId } = person;
  const params = { id: accountId };
  await expect.poll(async () => (await acme.call(getAccountRoute, { params })).status).toBe(200);
  return { accountId, addressId, customerId };
};

/** Waits until the sandbox's processor has issued it. */
const issueCard = async () => {
  const { accountId, customerId } = await openAccount();
  const body = {
    cardHolderCustomerId: customerId,
    nameOnCard: "ANNA VERDI",
    relationType: "Primary" as const,
  };
  const params = { id: accountId };
  const { cardId, panToken } = valueOf(await acme.call(cards.createCardRoute, { params, body }));
  expect(panToken).toBeNull();
  const read = async () => valueOf(await acme.call(cards.getCardRoute, { params: { cardId } }));
  await expect.poll(async () => (await read()).panToken).not.toBeNull();
  return read();
};

test("an account that the processor opens is there with its address", async () => {
  const { accountId, addressId, customerId } = await openAccount();
  expect(valueOf(await acme.call(getAccountRoute, { params: { id: accountId } }))).toMatchObject({
    ...{ accountId, customerId, status: "ACTIVE", accountNumber: expect.any(String) as unknown },
  });
  const address = valueOf(await acme.call(getAddressRoute, { params: { id: addressId } }));
  expect(address).toMatchObject({ ...home, addressId, line2: null });
});

/** As the genuine processor would send it. */
const tell = async (body: unknown): Promise<string> => {
  const messageId = randomUUID();
  const sender = broker.createSender(cardQueues.events);
  await sender.sendMessages({ messageId, body });
  await sender.close();
  return messageId;
};

const Transaction = z.object({
  status: z.string(),
  billingAmount: z.number(),
  feeAmount: z.number(),
});

test("what is presented is a transaction of the card, what is charged is none, and both wait for their clearing", async () => {
  const { cardId } = await issueCard();
  const given = { cardId, ...presentment, feeAmount: 0.2, mcc: 5_814 };
  const { messageId } = valueOf(await acme.call(presentRoute, { body: given }));
  const charged = valueOf(await acme.call(chargeFeeRoute, { body: { cardId, ...fee } }));
  const items = async () =>
    database.rows(
      z.object({ id: z.string() }),
      "select item_id as id from borsello.clearing_item where item_id = any ($1) order by type",
      [[messageId, charged.messageId]],
    );
  await expect.poll(items).toEqual([{ id: messageId }, { id: charged.messageId }]);
  const transactions = await database.rows(
    Transaction,
    `select status, billing_cents / 100.0::float8 as "billingAmount", fee_cents / 100.0::float8 as "feeAmount"
     from borsello.card_transaction where card_id = $1`,
    [cardId],
  );
  expect(transactions).toEqual([{ status: "Presented", billingAmount: 12.34, feeAmount: 0.2 }]);
});

const deadLetter = async (messageId: string): Promise<ServiceBusReceivedMessage> => {
  const receiver = broker.createReceiver(cardQueues.events, { subQueueType: "deadLetter" });
  for (let tries = 0; tries < 10; tries += 1) {
    const [message] = await receiver.receiveMessages(1, { maxWaitTimeInMs: 2_000 });
    if (message === undefined) continue;
    await receiver.completeMessage(message);
    if (message.messageId !== messageId) continue;
    await receiver.close();
    return message;
  }
  throw new Error(`the message ${messageId} is no dead letter`);
};

describe("a card that the processor issues", () => {
  test("has a token, a masked number and a date, and what is said again changes nothing", async () => {
    const card = await issueCard();
    const { cardId, panToken, maskedPan, expiryDate } = card;
    expect(panToken).toMatch(/^\d{22}$/);
    expect(maskedPan).toBe(`999999******${panToken?.slice(-4) ?? ""}`);
    if (panToken === null || maskedPan === null || expiryDate === null)
      throw new Error("not issued");

    const again: CardIssued = {
      ...{ eventId: randomUUID(), kind: "cardIssued", cardId, panToken, maskedPan, expiryDate },
    };
    await tell(again);
    await tell(again);
    const changed = await tell({ ...again, expiryDate: "2040-01-31" });
    expect(await deadLetter(changed)).toMatchObject({
      deadLetterReason: "EventIdReused",
      deadLetterErrorDescription: expect.stringContaining(again.eventId) as unknown,
    });
    const other = await tell({ ...again, eventId: randomUUID(), expiryDate: "2040-01-31" });
    expect(await deadLetter(other)).toMatchObject({ deadLetterReason: "CardAlreadyIssued" });
    expect(valueOf(await acme.call(cards.getCardRoute, { params: { cardId } }))).toEqual(card);
  });

  test.each([
    ["CardUnknown", { cardId: randomUUID() }, randomUUID()],
    ["MessageInvalid", { cardId: "none" }, "/cardId must be a UUID."],
    ["MessageInvalid", { kind: "cardMelted" }, "/kind"],
  ])("and that is wrong is a dead letter: %s", async (deadLetterReason, wrong, says) => {
    const cardId = "cardId" in wrong ? wrong.cardId : randomUUID();
    const sound = { panToken: "t-1", maskedPan: "999999******0001", expiryDate: "2030-01-31" };
    const event = { eventId: randomUUID(), kind: "cardIssued", ...sound, ...wrong };
    const dead = await deadLetter(await tell(event));
    expect(dead).toMatchObject({ deadLetterReason });
    expect(dead.deadLetterErrorDescription).toContain(
      deadLetterReason === "CardUnknown" ? cardId : says,
    );
  });
});

const Told = z.object({ body: CardProcessorCommand });

test("whatever is done with a card is told to the processor, in order and once", async () => {
  const { cardId } = await issueCard();
  const params = { id: cardId };
  const named = { cardId };
  const note = { note: "as asked" };
  const limits = [
    { type: "monthlyOverall", limit: 700.5, isDisabled: false },
    { type: "dailyAtm", limit: 0, isDisabled: true },
  ];
  expect(valueOf(await acme.call(setCardLimitsRoute, { params: named, body: { limits } }))).toEqual(
    limits,
  );
  const lock = { lockType: "ClientRequestedLock", level: "Client" } as const;
  valueOf(await acme.call(cards.lockCardRoute, { params, query: lock, body: note }));
  valueOf(
    await acme.call(cards.unlockCardRoute, { params, query: { level: "Client" }, body: note }),
  );

  const key = valueOf(await acme.call(getPinKeyRoute, {}));
  const pin = await acme.call(makePinTokenRoute, { body: { cardId } });
  const change = { token: valueOf(pin).token, cypher: cypherOf("123", key) };
  expect(await acme.call(changePinRoute, { body: change })).toMatchObject({
    error: { errorCode: "PinCypherInvalid" },
  });
  const sound = { ...change, cypher: cypherOf("12345", key) };
  expect(valueOf(await acme.call(changePinRoute, { body: sound }))).toMatchObject({ cardId });
  expect(await acme.call(changePinRoute, { body: sound })).toMatchObject({
    error: { errorCode: "PinTokenInvalid" },
  });

  const reason = { reasonCode: "UserRequest" } as const;
  valueOf(await acme.call(cards.blockCardRoute, { params, query: reason }));
  valueOf(await acme.call(cards.deleteCardRoute, { params: named, query: reason }));

  const told = async () =>
    database.rows(
      Told,
      `select body from borsello.outbox
       where session_id = $1 and destinations = '{card-processor-commands}' and sent_at is not null
       order by outbox_id`,
      [cardId],
    );
  await expect.poll(async () => (await told()).length).toBe(7);
  const commands = (await told()).map(({ body }) => body);
  expect(commands.map(({ kind }) => kind)).toEqual([
    "issue",
    "limits",
    "lock",
    "unlock",
    "pin",
    "block",
    "delete",
  ]);
  expect(new Set(commands.map(({ commandId }) => commandId)).size).toBe(7);
  expect(commands.every((command) => command["cardId"] === cardId)).toBe(true);
  const held = JSON.stringify(commands);
  expect(held).not.toContain(sound.cypher);
  expect(stack.output()).not.toContain(sound.cypher);
});

test("an authorisation that is asked for by message is answered by a command", async () => {
  const { cardId, panToken } = await issueCard();
  const transactionId = randomUUID();
  const asked = { transactionId, cardToken: panToken, cardScheme: 3, type: 0, billingAmount: 5 };
  const event = { eventId: randomUUID(), kind: "authorisation", billingCurrency: 978, ...asked };
  await tell(event);
  const answers = () =>
    database.rows(
      Told,
      `select body from borsello.outbox
       where session_id = $1 and body ->> 'kind' = 'authorisationAnswer'`,
      [cardId],
    );
  await expect.poll(async () => (await answers()).length).toBe(1);
  // The card names no wallet to pay from.
  expect(await answers()).toMatchObject([{ body: { transactionId, responseCode: "14", cardId } }]);
});

const cases = processorCases(
  () => database,
  async () => cypherOf("1234", valueOf(await acme.call(getPinKeyRoute, {}))),
);

test.each(cases.map((row) => ({ ...row, id: row.route.id })))("$id: $code", async (row) => {
  const { route, asked, code } = row;
  const { params = {}, body } = await asked();
  const answer = await send(stack, addressOf(route, params), {
    ...{ method: route.method, headers: headersOf(route, token), body: JSON.stringify(body) },
  });
  expect([answer.status, answer.body]).toEqual([
    errorTable[code].status,
    expect.objectContaining({ errorCode: code }),
  ]);
  expect(route.api === "card" ? misfits(route, answer) : []).toEqual([]);
});

test("each refusal that these routes declare has a row here", () => {
  const routes = [setCardLimitsEndpoint, ...pinEndpoints, ...sandboxCardEndpoints].map(
    ({ route }): Route => route,
  );
  const declared = routes.flatMap(({ id, errors }) => errors.map((code) => `${id}: ${code}`));
  const reached = cases.map(({ route, code }) => `${route.id}: ${code}`);
  expect(reached.toSorted()).toEqual(declared.toSorted());
});

test("after all this no number of a card is anywhere: tables, messages, logs", async () => {
  expect(await pansInDatabase(database)).toEqual([]);
  expect(pansIn(stack.output())).toEqual([]);
  const planted =
    "insert into borsello.card_limit select card_id, '4111111111111111', 1, true from borsello.card limit 1";
  await database.execute(planted);
  expect(await pansInDatabase(database)).toEqual(["borsello.card_limit.type: 4111111111111111"]);
});
