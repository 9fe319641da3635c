/** Force-push through the front door: each event that can be forced arrives at its partner's topic as it was sent. */
import { randomUUID } from "node:crypto";
import { ServiceBusClient, type ServiceBusReceivedMessage } from "@azure/service-bus";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { forcePushes } from "../../shared/contracts/events/force-push.js";
import { getDiagnosticsRoute } from "../../shared/contracts/wallet/diagnostics.js";
import type { Database } from "../../shared/database/platform/database.js";
import { applicationName, applicationVersion } from "../../shared/platform/application.js";
import {
  addressOf,
  clientOf,
  headersOf,
  openStackDatabase,
  partnerNamed,
  send,
  type Answer,
} from "../support/platform/api.js";
import { readOpenApi, type Misfits } from "../support/platform/openapi-check.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";

let stack: TestStack;
let database: Database;
let client: ServiceBusClient;
let misfits: Misfits;
const tokens = new Map<string, string>();
const arrived = new Map<string, ServiceBusReceivedMessage>();

beforeAll(async () => {
  stack = await startTestStack();
  database = openStackDatabase(stack);
  misfits = await readOpenApi(stack, "wallet");
  for (const partner of ["acme", "platform"])
    tokens.set(partner, await clientOf(stack, partner).token());
  client = new ServiceBusClient(stack.brokerConnectionString);
  client.createReceiver("acme", "acme", { receiveMode: "receiveAndDelete" }).subscribe({
    processMessage: async (message) => {
      arrived.set(String(message.messageId), message);
    },
    processError: async () => undefined, // the client reconnects by itself
  });
});

afterAll(async () => {
  await client.close();
  await database.close();
  await stack.stop();
});

type Json = Readonly<Record<string, unknown>>;
type ForcePush = (typeof forcePushes)[number];

interface Caller {
  readonly as: "acme" | "platform";
  readonly naming: string;
}

const byAcme: Caller = { as: "acme", naming: "acme" };

const force = async (
  { route }: ForcePush,
  body: Json,
  { as, naming }: Caller = byAcme,
): Promise<Answer> => {
  const answer = await send(stack, addressOf(route), {
    method: "POST",
    headers: {
      ...headersOf(route, tokens.get(as) ?? ""),
      authkey: partnerNamed(as).authKey,
      partner: naming,
    },
    body: JSON.stringify(body),
  });
  expect(misfits(route, answer), route.id).toEqual([]);
  return answer;
};

const Confirmation = z.strictObject({
  id: z.guid(),
  type: z.string(),
  sessionId: z.string(),
  publishedAt: z.iso.datetime({ offset: true }),
});

const forced = async (
  ...call: Parameters<typeof force>
): Promise<z.output<typeof Confirmation>> => {
  const answer = await force(...call);
  expect([answer.status, answer.body]).toEqual([200, answer.body]);
  return Confirmation.parse(answer.body);
};

const arrival = async (id: string): Promise<ServiceBusReceivedMessage> =>
  expect
    .poll(() => arrived.get(id))
    .toBeDefined()
    .then(() => {
      const message = arrived.get(id);
      if (message === undefined) throw new Error(`${id} did not arrive`);
      return message;
    });

const named = forcePushes.map((push) => [push.event.name, push] as const);

const pushOf = (name: string): ForcePush => {
  const found = forcePushes.find(({ event }) => event.name === name);
  if (found === undefined) throw new Error(`${name} cannot be forced`);
  return found;
};

const wholeEnvelope = () => ({
  messageVersion: 1,
  messagePublisher: "Borsello",
  timestamp: "2026-05-06T07:08:09.123Z",
  id: randomUUID(),
  messageCreationDate: "2026-05-06T07:08:09.123Z",
  messagePublishDate: "2026-05-06T07:08:10.456Z",
  isLastRetry: false,
});

test("the interface's 23 events are those that can be forced", () => {
  expect(forcePushes.map(({ route }) => route.path).sort()).toEqual(
    [
      "bucketcreated operationcancelled operationcompleted operationconfirmed operationgroupcancelled",
      "operationgroupconfirmed operationgroupinitialized operationinitialized storecreated storedeleted",
      "storeupdated transactioncompleted transactionconfirmed walletattributesupdated walletclosed",
      "walletcreated walletibandeleted walletreactivated walletreopened walletsuspended walletupdated",
      "wiretransfercompleted wiretransferfailed",
    ].flatMap((line) => line.split(" ").map((name) => `bypass/${name}`)),
  );
});

describe("is forced whole and arrives as it was sent:", () => {
  test.each(named)("%s", async (name, push) => {
    const { example, session } = push.event;
    const body = { ...wholeEnvelope(), ...example };
    const confirmation = await forced(push, body);
    const sessionId = session.map((field) => example[field]).find((value) => value !== null);
    expect(confirmation).toEqual({
      id: body.id,
      type: name,
      sessionId,
      publishedAt: body.messagePublishDate,
    });
    // Once more, before or after it has left.
    expect(await forced(push, body)).toEqual(confirmation);
    const message = await arrival(body.id);
    expect(message.body).toEqual(body);
    expect(message).toMatchObject({
      subject: name,
      sessionId,
      contentType: "application/json",
      applicationProperties: {
        partnerKey: "acme",
        entityVersion: null,
        attempt: 1,
        "cloudEvents:specversion": "1.0",
        "cloudEvents:id": body.id,
        "cloudEvents:source": "/partners/acme",
        "cloudEvents:type": name,
      },
    });
  });

  test("each once, with numbers that have no gap", async () => {
    const last = await forced(pushOf("WalletCreated"), {
      ...pushOf("WalletCreated").event.example,
    });
    await arrival(last.id);
    const sequences = [...arrived.values()].map(({ applicationProperties }) =>
      Number(applicationProperties?.["sequence"]),
    );
    expect(sequences).toEqual(sequences.map((_, index) => index + 1));
  });
});

test("what may be left out is filled in, and what has no value is null", async () => {
  const push = pushOf("WalletCreated");
  const values = Object.entries(push.event.example).filter(([, value]) => value !== null);
  const { id, publishedAt } = await forced(push, Object.fromEntries(values));
  expect((await arrival(id)).body).toEqual({
    ...push.event.example,
    ...{ id, messageVersion: 1, messagePublisher: "Borsello", isLastRetry: false },
    ...{
      timestamp: publishedAt,
      messageCreationDate: publishedAt,
      messagePublishDate: publishedAt,
    },
  });
});

test("identifiers in upper case are those of before: session and id are in lower case", async () => {
  const push = pushOf("WalletCreated");
  const [id, walletId] = [randomUUID(), randomUUID()];
  const upper = { id: id.toUpperCase(), walletId: walletId.toUpperCase() };
  expect(await forced(push, { ...push.event.example, ...upper })).toMatchObject({
    id,
    sessionId: walletId,
  });
  expect((await arrival(id)).body).toMatchObject({ id, walletId });
});

test("a transfer without a wallet is ordered with nothing else", async () => {
  const push = pushOf("WireTransferCompleted");
  const nobody = { operationId: null, walletId: null };
  const { id, sessionId } = await forced(push, { ...push.event.example, ...nobody });
  expect(sessionId).toBe(id);
});

test("no flow hears of it, and the wallet that it names is not made", async () => {
  const push = pushOf("WalletCreated");
  const walletId = randomUUID();
  const { id } = await forced(push, { ...push.event.example, walletId });
  await arrival(id);
  const receiver = client.createReceiver("platform-events", "flows", {
    subQueueType: "deadLetter",
  });
  expect(await receiver.peekMessages(10)).toEqual([]);
  const told = await database.rows(
    z.object({ destinations: z.array(z.string()) }),
    "select destinations from borsello.outbox where session_id = $1",
    [walletId],
  );
  expect(told).toEqual([{ destinations: ["acme"] }]);
  const answer = await send(stack, `/wallet/wallets/${walletId}`, {
    headers: { ...headersOf(push.route, tokens.get("acme") ?? ""), "content-type": "" },
  });
  expect(answer.status).toBe(404);
});

test("the partner's topic gets what operators force in the partner's name; in their own they force nobody's", async () => {
  const push = pushOf("StoreCreated");
  const { id } = await forced(push, push.event.example, { as: "platform", naming: "acme" });
  await arrival(id);
  const own = await force(push, push.event.example, { as: "platform", naming: "platform" });
  expect(own).toMatchObject({ status: 403, body: { errorCode: "EventOfAnotherPartner" } });
});

test("the interface's diagnostics say which application answers, in which environment", async () => {
  const answer = await send(stack, addressOf(getDiagnosticsRoute), {
    headers: headersOf(getDiagnosticsRoute, tokens.get("acme") ?? ""),
  });
  expect([answer.status, answer.body]).toEqual([
    200,
    { applicationName, applicationVersion, environment: "development" },
  ]);
});

test("an event as large as a message may be is 422 and says how large it may be", async () => {
  const push = pushOf("TransactionConfirmed");
  const fee = { amount: 1, beneficiary: "è".repeat(255), debtor: "è".repeat(255) };
  const large = (count: number) => ({
    ...push.event.example,
    fees: Array.from({ length: count }, () => fee),
  });
  const { id } = await forced(push, large(170));
  expect((await arrival(id)).body).toMatchObject({ fees: large(170).fees });
  expect(await force(push, large(190))).toMatchObject({
    status: 422,
    body: { errorProperties: { "": "must have at most 190000 bytes as JSON." } },
  });
});
