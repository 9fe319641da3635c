/** The operators' command for dead letters on a broker, with the genuine client at both ends. */
import type {
  CreateQueueOptions,
  ServiceBusMessage,
  ServiceBusReceiver,
  ServiceBusReceiverOptions,
} from "@azure/service-bus";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { certificatePath } from "../../../local/broker/connections/certificate.js";
import { parseEntity, resendDeadLetters } from "../../../shared/events/dead-letters.js";
import { runDeadLetters } from "../../../tools/dead-letters/run-command.js";
import {
  administrationFixture,
  type AdministrationFixture,
} from "../../support/broker/administration.js";
import { connect, connectionString } from "../../support/broker/broker.js";

let fixture: AdministrationFixture;
beforeAll(async () => {
  fixture = await administrationFixture();
});
afterAll(() => fixture.stop());

let queues = 0;

/** A queue of the test's own. */
const makeQueue = async (options: CreateQueueOptions = {}): Promise<string> => {
  queues += 1;
  const name = `queue-${queues}`;
  await fixture.administration.createQueue(name, options);
  return name;
};

const receiverOf = (
  name: string,
  options?: ServiceBusReceiverOptions,
  client = fixture.client,
): ServiceBusReceiver => {
  const entity = parseEntity(name);
  return "queue" in entity
    ? client.createReceiver(entity.queue, options)
    : client.createReceiver(entity.topic, entity.subscription, options);
};

/** By a client of its own: one that has looked before goes on from where it was. */
const look = async (name: string, isDead: boolean) => {
  const client = connect(fixture.broker.port);
  const options: ServiceBusReceiverOptions = {
    skipParsingBodyAsJson: true,
    ...(isDead ? { subQueueType: "deadLetter" } : {}),
  };
  const found = await receiverOf(name, options, client).peekMessages(100);
  await client.close();
  return found;
};
const deadIn = async (name: string) => (await look(name, true)).map(({ messageId }) => messageId);
const liveIn = async (name: string) => (await look(name, false)).map(({ messageId }) => messageId);

/** Sends a message and dead-letters it. */
const bury = async (name: string, message: ServiceBusMessage, reason = "HandlingFailed") => {
  const sender = fixture.client.createSender(name.replace(/\/.*/, ""));
  await sender.sendMessages(message);
  await sender.close();
  const { sessionId } = message;
  const receiver =
    sessionId === undefined
      ? receiverOf(name)
      : await fixture.client.acceptSession(name, sessionId);
  const [received] = await receiver.receiveMessages(1, { maxWaitTimeInMs: 5_000 });
  if (received === undefined) throw new Error("nothing came");
  await receiver.deadLetterMessage(received, {
    deadLetterReason: reason,
    deadLetterErrorDescription: "it failed",
  });
  await receiver.close();
};

const run = async (...args: string[]) => {
  const printed: string[] = [];
  const complained: string[] = [];
  const code = await runDeadLetters(
    [
      ...args,
      ...["--broker", connectionString(fixture.broker.port)],
      ...["--broker-certificate", certificatePath(fixture.certificateFolder)],
    ],
    {},
    { print: (text) => printed.push(text), complain: (text) => complained.push(text) },
  );
  return { code, printed: printed.join("\n"), complained: complained.join("\n") };
};

const Listed = z.object({
  letters: z.array(
    z.object({ queue: z.string(), number: z.string(), messageId: z.string(), reason: z.string() }),
  ),
  next: z.object({ queue: z.string(), after: z.string() }).nullable(),
});

const list = async (...args: string[]) => {
  const { code, printed } = await run("list", ...args, "--json");
  expect(code).toBe(0);
  return Listed.parse(JSON.parse(printed));
};

const numberIn = async (queue: string): Promise<string> =>
  (await list("--queue", queue)).letters[0]?.number ?? "none";

test("dead letters of all queues and subscriptions are listed and resent to where they were", async () => {
  expect((await run("list")).printed).toBe("There are no dead letters.");
  await bury("plain", { messageId: "a", body: {}, subject: "Paid" });
  await bury("sessions", { messageId: "b", body: {}, sessionId: "s" });
  await bury("news/all", { messageId: "c", body: {} });
  expect((await list()).letters.map(({ queue, messageId }) => [queue, messageId])).toEqual([
    ["plain", "a"],
    ["sessions", "b"],
    ["news/Subscriptions/all", "c"],
  ]);
  expect((await run("list")).printed).toContain("Paid");
  expect(await run("resend", "--all")).toMatchObject({ code: 0, printed: "3 resent." });
  expect((await list()).letters).toEqual([]);
  expect(await liveIn("plain")).toEqual([expect.stringMatching(/^a#resent-\d+$/)]);
  expect(await liveIn("news/all")).toEqual([expect.stringMatching(/^c#resent-\d+$/)]);
  const session = await fixture.client.acceptSession("sessions", "s");
  expect(await session.peekMessages(1)).toMatchObject([{ sessionId: "s" }]);
  await session.close();
});

test("a list is by reason and page by page", async () => {
  const queue = await makeQueue();
  await bury(queue, { messageId: "a", body: {} });
  await bury(queue, { messageId: "b", body: {} }, "MessageInvalid");
  const invalid = await list("--queue", queue, "--reason", "MessageInvalid");
  expect(invalid).toMatchObject({ letters: [{ messageId: "b" }], next: null });
  const first = await list("--queue", queue, "--limit", "1");
  expect(first).toMatchObject({ letters: [{ messageId: "a" }], next: { queue } });
  const rest = await list("--queue", queue, "--after", first.next?.after ?? "");
  expect(rest).toMatchObject({ letters: [{ messageId: "b" }], next: null });
});

test("one is shown with its reason and body, and what would steer a terminal is written out", async () => {
  const queue = await makeQueue();
  const body = Buffer.from('{"text":"\u001b[2J"}');
  await bury(queue, { messageId: "x\u0007", body, applicationProperties: { partnerKey: "acme" } });
  const { code, printed } = await run("show", "--queue", queue, await numberIn(queue));
  expect([code, printed]).toEqual([0, expect.stringContaining("description: it failed")]);
  expect(printed).toContain('"partnerKey": "acme"');
  expect(printed).toContain("messageId: x\\u{7}");
  expect(printed).toContain('{"text":"\\u{1b}[2J"}');
  expect(await run("show", "--queue", queue, "999999")).toMatchObject({
    code: 1,
    complained: `There is no dead letter 999999 in ${queue}.`,
  });
});

const json = Buffer.from('{ "amount": 1.10 }');
test("a resent message is as it was, but for its id", async () => {
  const queue = await makeQueue();
  const sent = {
    ...{ messageId: "m", subject: "Paid", correlationId: "c", contentType: "application/json" },
    ...{ body: json, applicationProperties: { partnerKey: "acme", sequence: 7 } },
  };
  await bury(queue, sent);
  const number = await numberIn(queue);
  expect(await run("resend", "--queue", queue, number)).toMatchObject({
    code: 0,
    printed: "1 resent.",
    complained: `${queue} ${number}: sent as m#resent-${number}`,
  });
  expect(await deadIn(queue)).toEqual([]);
  expect(await look(queue, false)).toMatchObject([{ ...sent, messageId: `m#resent-${number}` }]);
});

test("a body that is no bytes stays what it is", async () => {
  const queue = await makeQueue();
  const sender = fixture.client.createSender(queue);
  await sender.sendMessages({ body: "text", bodyType: "value" });
  await sender.close();
  const receiver = receiverOf(queue);
  const [message] = await receiver.receiveMessages(1);
  if (message !== undefined) await receiver.deadLetterMessage(message);
  await receiver.close();
  expect(await run("resend", "--queue", queue, "--all")).toMatchObject({ printed: "1 resent." });
  const [resent] = await look(queue, false);
  expect([resent?.body, resent?._rawAmqpMessage.bodyType]).toEqual(["text", "value"]);
});

test("two letters with one id are both resent: the broker takes neither for the other", async () => {
  // Remembers an id for a second.
  const queue = "soon-forgotten";
  await bury(queue, { messageId: "same", body: { n: 1 } });
  const sender = fixture.client.createSender(queue);
  const sendAgain = async () => {
    await sender.sendMessages({ messageId: "same", body: { n: 2 } });
    return liveIn(queue);
  };
  await expect.poll(sendAgain).toEqual(["same"]);
  await sender.close();
  const receiver = receiverOf(queue);
  const [second] = await receiver.receiveMessages(1);
  if (second !== undefined) await receiver.deadLetterMessage(second);
  await receiver.close();
  expect(await deadIn(queue)).toEqual(["same", "same"]);
  expect(await run("resend", "--all", "--queue", queue)).toMatchObject({ printed: "2 resent." });
  expect(await liveIn(queue)).toHaveLength(2);
});

test("a death between sending and removing resends under the same id, which the broker drops", async () => {
  const queue = await makeQueue({ requiresDuplicateDetection: true, lockDuration: "PT1S" });
  await bury(queue, { messageId: "k", body: {} });
  const number = await numberIn(queue);
  const doomed = connect(fixture.broker.port, { maxRetries: 0 });
  const createReceiver = doomed.createReceiver.bind(doomed);
  Object.assign(doomed, {
    createReceiver: (...args: Parameters<typeof createReceiver>) =>
      Object.assign(createReceiver(...args), {
        completeMessage: () => Promise.reject(new Error("killed")),
      }),
  });
  const work = resendDeadLetters(doomed, { queue }, new Set([number]));
  await expect(work).rejects.toThrow("killed");
  await doomed.close();
  expect([await deadIn(queue), await liveIn(queue)]).toEqual([["k"], [`k#resent-${number}`]]);
  expect(await run("resend", "--all", "--queue", queue)).toMatchObject({ printed: "1 resent." });
  expect([await deadIn(queue), await liveIn(queue)]).toEqual([[], [`k#resent-${number}`]]);
});

test("the meant ones alone are resent; those before them are there for the next who asks", async () => {
  const queue = await makeQueue();
  for (const id of ["a", "b", "c"]) await bury(queue, { messageId: id, body: {} }, `Of-${id}`);
  expect(await run("resend", "--all", "--queue", queue, "--reason", "Of-c")).toMatchObject({
    printed: "1 resent.",
  });
  expect(await liveIn(queue)).toEqual([expect.stringMatching(/^c#/)]);
  expect(await run("resend", "--all", "--queue", queue)).toMatchObject({ printed: "2 resent." });
});

test("what fails again is a dead letter again, and not resent by the same run", async () => {
  const queue = await makeQueue();
  await bury(queue, { messageId: "again", body: {} });
  const receiver = receiverOf(queue);
  const handler = receiver.subscribe({
    processMessage: (message) => receiver.deadLetterMessage(message),
    processError: () => Promise.resolve(),
  });
  expect(await run("resend", "--all", "--queue", queue)).toMatchObject({ printed: "1 resent." });
  await expect.poll(() => deadIn(queue)).toEqual([expect.stringMatching(/^again#resent-\d+$/)]);
  await handler.close();
  await receiver.close();
  expect((await run("resend", "--all", "--queue", queue)).complained).toMatch(
    /sent as again#resent-\d+$/,
  );
});

test("what is not there is said so, and what is there stays", async () => {
  const queue = await makeQueue();
  await bury(queue, { messageId: "a", body: {} });
  expect(await run("resend", "--queue", queue, "999999")).toMatchObject({
    code: 1,
    complained: expect.stringContaining("999999 could not be had") as string,
  });
  expect(await deadIn(queue)).toEqual(["a"]);
});

test.each([
  [["list", "--limit", "0"], "--limit must be a number from 1 to 1000."],
  [["list", "--after", "5"], "--after needs --queue."],
  [["show", "5"], "One dead letter is shown"],
  [["resend"], "Say which: --all"],
  [["resend", "--all", "5"], "Say which: --all"],
  [["resend", "5"], "name it by --queue."],
  [["resend", "--queue", "plain", "five"], "five is no NUMBER"],
  [["list", "--queue", "nowhere"], "It could not be done"],
  [["burn"], "There is no command burn."],
])("a command that is wrong does nothing and says why: %j", async (args, sentence) => {
  expect(await run(...args)).toMatchObject({
    code: 2,
    complained: expect.stringContaining(sentence) as string,
  });
});
