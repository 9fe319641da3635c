/** The flow of a ticket on the whole platform: expiry, pause, restart, silence, and its own losses. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { instanceOf } from "../support/platform/partner.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";
import { ticketsAt } from "../support/ticketing/tickets.js";

let stack: TestStack;
let acme: ReturnType<typeof ticketsAt>;

beforeAll(async () => {
  stack = await startTestStack();
  acme = ticketsAt(stack);
});
afterAll(async () => {
  await stack.stop();
});

const patience = { interval: 50 };
const expired = /^SystemDaemon noted that the expiration date has passed$/;

const flowSays = async (caseNumber: string, status: string): Promise<void> => {
  await expect
    .poll(async () => (await instanceOf(stack, `ticket-${caseNumber}`))?.customStatus, patience)
    .toContain(status);
};

test("a ticket expires by its priority, stands still while it waits, and starts anew on a comment", async () => {
  const caseNumber = await acme.open("Alert");
  const { openingDate } = await acme.detail(caseNumber);
  await flowSays(caseNumber, "New, expires on");
  await acme.moveClock(openingDate, 3.9);
  expect(await acme.linesOf(caseNumber, expired)).toBe(0);
  await acme.moveClock(openingDate, 4.1);
  await expect.poll(() => acme.linesOf(caseNumber, expired), patience).toBe(1);
  await flowSays(caseNumber, "New, past its expiration date");

  await acme.operate(caseNumber, "takeincharge");
  await acme.operate(caseNumber, "askcustomer");
  await flowSays(caseNumber, "Waiting for the customer");
  await acme.moveClock(openingDate, 48);
  expect(await acme.linesOf(caseNumber, expired)).toBe(1);

  await acme.comment(caseNumber, "Eccomi");
  expect(await acme.detail(caseNumber)).toMatchObject({ status: "In progress" });
  await flowSays(caseNumber, "In progress, expires on");
  await acme.moveClock(openingDate, 53);
  await expect.poll(() => acme.linesOf(caseNumber, expired), patience).toBe(2);
});

test("a resolved ticket is closed after four days without a comment or an attachment, not before", async () => {
  const [silent, answered, attached] = [await acme.open(), await acme.open(), await acme.open()];
  for (const caseNumber of [silent, answered, attached]) {
    await acme.operate(caseNumber, "takeincharge");
    await acme.operate(caseNumber, "resolve");
    await flowSays(caseNumber, "Resolved, closes on");
  }
  const { resolvedDate } = await acme.detail(silent);
  await acme.comment(answered, "Non ancora");
  await acme.moveClock(resolvedDate ?? "", 95);
  expect(await acme.detail(silent)).toMatchObject({ status: "Resolved" });
  await acme.attach(attached);
  await acme.moveClock(resolvedDate ?? "", 97);
  await acme.becomes(silent, "Closed");
  expect((await acme.timeline(silent)).at(-1)).toMatchObject({
    createdby: "SystemDaemon",
    text: "SystemDaemon changed status from [Resolved] to [Closed]",
  });
  expect(await acme.detail(silent)).toMatchObject({ closureResponse: null });
  expect(await acme.detail(answered)).toMatchObject({ status: "In progress" });
  expect(await acme.detail(attached)).toMatchObject({ status: "Resolved" });
  await flowSays(silent, "The ticket is over: Closed");
});

test("a question that nobody answers for fourteen days resolves its ticket, an answer or a word begins them anew", async () => {
  const [silent, attached, resumed] = [await acme.open(), await acme.open(), await acme.open()];
  for (const caseNumber of [silent, attached, resumed]) {
    await acme.operate(caseNumber, "takeincharge");
    await acme.operate(caseNumber, "askcustomer");
    await flowSays(caseNumber, "Waiting for the customer until");
  }
  const asked = (await acme.timeline(silent)).at(-1)?.createdon ?? "";
  const { expirationDate } = await acme.detail(resumed);
  await acme.moveClock(asked, 14 * 24 - 1);
  expect(await acme.detail(silent)).toMatchObject({ status: "WaitingForCustomer" });
  await acme.attach(attached);
  await acme.operate(resumed, "resume");
  const { expirationDate: later } = await acme.detail(resumed);
  const shift = Date.parse(later ?? "") - Date.parse(expirationDate ?? "");
  expect(Math.round(shift / 3_600_000)).toBe(14 * 24 - 1);
  await flowSays(resumed, `In progress, expires on ${later ?? ""}`);

  await acme.moveClock(asked, 14 * 24 + 1);
  await acme.becomes(silent, "Resolved");
  expect((await acme.timeline(silent)).at(-1)).toMatchObject({
    createdby: "SystemDaemon",
    text: "SystemDaemon changed status from [WaitingForCustomer] to [Resolved]",
  });
  await flowSays(silent, "Resolved, closes on");
  expect(await acme.detail(attached)).toMatchObject({ status: "WaitingForCustomer" });
  await acme.moveClock(asked, 18 * 24 + 2);
  await acme.becomes(silent, "Closed");
});

test("a flow goes on after a restart, and one that is lost begins again when its ticket needs it", async () => {
  const [kept, lost] = [await acme.open(), await acme.open()];
  const { openingDate } = await acme.detail(lost);
  for (const caseNumber of [kept, lost]) await flowSays(caseNumber, "New, expires on");
  const lostUrl = `${stack.url}/runtime/webhooks/durabletask/instances/ticket-${lost}`;
  await fetch(`${lostUrl}/terminate?reason=test&code=local-key`, { method: "POST" });
  await expect
    .poll(async () => (await instanceOf(stack, `ticket-${lost}`))?.runtimeStatus)
    .toBe("Terminated");
  await fetch(`${lostUrl}?code=local-key`, { method: "DELETE" });
  expect(await instanceOf(stack, `ticket-${lost}`)).toBeNull();
  expect(await acme.detail(lost)).toMatchObject({ status: "New" });

  await stack.kill9();
  await stack.restart();
  await acme.moveClock(openingDate, 25);
  for (const caseNumber of [kept, lost])
    await expect.poll(() => acme.linesOf(caseNumber, expired), patience).toBe(1);
  await flowSays(lost, "New, past its expiration date");
});

test("tickets that are opened together are all followed, without a warning of Node's", async () => {
  const opened = await Promise.all(Array.from({ length: 16 }, () => acme.open()));
  for (const caseNumber of opened) await flowSays(caseNumber, "New, expires on");
  expect(stack.output()).not.toContain("Warning");
});
