/** `npm run demo`: starts the platform, onboards wallets as a partner would, and shows every step. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { customer } from "./platform/customers.js";
import {
  onboard,
  sender,
  waitForOnboarding,
  type Answer,
  type Send,
} from "./platform/onboarding.js";
import {
  harvest,
  openShop,
  payIn,
  prove,
  readStatement,
  sell,
  withdraw,
} from "./platform/shopping.js";
import { startPlatform, withTemporaryFolder } from "./platform/process.js";
import { acme, headersFor } from "./platform/session.js";
import { table } from "./kit/table.js";
import { readTopic, type ReceivedEvent } from "./platform/topic-reader.js";

const togetherCount = 10;
const eventPatienceMs = 5_000;

const began = performance.now();
const stamp = (): string => `${((performance.now() - began) / 1000).toFixed(2).padStart(6)} s`;
const say = (line: string): void => console.log(`${stamp()}  ${line}`);
const title = (line: string): void => console.log(`\n${line}`);

const showCall = (step: string, { call, status, milliseconds }: Answer): void => {
  say(`partner  ${step}`);
  console.log(`${" ".repeat(19)}${call} -> ${status}, ${milliseconds.toFixed(0)} ms`);
};

const showEvent = ({ name, delayMs }: ReceivedEvent): void =>
  say(`topic    ${name} arrived on topic acme, ${delayMs} ms after the change`);

/** A call that must be refused: a new user sees what a clear error looks like. */
const showRefusal = async (send: Send, walletId: string): Promise<void> => {
  const answer = await send("PUT", `/wallet/wallets/${walletId}/iban`, {
    iban: "IT60X0542811101000000123457",
    bic: null,
  });
  showCall("tries a mistyped IBAN", answer);
  console.log(`${" ".repeat(19)}${JSON.stringify(answer.body)}`);
  if (answer.status !== 400) throw new Error(`A mistyped IBAN was answered ${answer.status}.`);
};

const waitForEvents = async (
  events: readonly ReceivedEvent[],
  walletIds: readonly string[],
): Promise<void> => {
  const missing = (): readonly string[] =>
    walletIds.filter(
      (id) => !events.some((e) => e.walletId === id && e.name === "OnboardingEnded"),
    );
  for (let waited = 0; missing().length > 0; waited += 20) {
    if (waited > eventPatienceMs)
      throw new Error(`No OnboardingEnded arrived for ${missing().join(", ")}.`);
    await sleep(20);
  }
};

/** A shop sells, money leaves, one transfer comes back, the day is settled, the books are proved. */
const spendADay = async (send: Send, walletId: string): Promise<void> => {
  const storeId = await openShop(send, showCall);
  await payIn(send, walletId, storeId, 250, showCall);
  await sell(send, walletId, storeId, 42.3, 2, showCall);
  const paid = await withdraw(send, walletId, 100, showCall);
  const refused = await withdraw(send, walletId, 20.99, showCall);
  if (paid !== "Completed" || refused !== "OutgoingPaymentRejected")
    throw new Error(`The withdrawals ended ${paid} and ${refused}.`);
  await harvest(send, ["CashDeposit", "Payment", "LoyaltyDeposit"], showCall);
  await prove(send, showCall);
  const { header, rows } = await readStatement(send, walletId);
  console.log(`\nGET …/statement of the wallet:\n${table(header, rows)}`);
};

const runDemo = async (folder: string): Promise<void> => {
  title("Starting PostgreSQL, broker, durable engine and functions host from nothing");
  const platform = await startPlatform(join(folder, "data"));
  say(`everything answers; API at ${platform.url}, documentation at ${platform.url}/docs`);
  let quiet = false;
  const reader = readTopic(platform.brokerConnectionString, acme.partner, (event) => {
    if (!quiet) showEvent(event);
  });
  try {
    const send = sender(platform.url, await headersFor(platform.url, acme));

    title("One wallet, step by step");
    const times: number[] = [];
    const timed = async (index: number, tell: typeof showCall): Promise<string> => {
      const start = performance.now();
      const walletId = await onboard(send, customer(index), tell);
      times.push(performance.now() - start);
      return walletId;
    };
    const first = await timed(1, showCall);
    await sleep(100);
    await showRefusal(send, first);

    title("A day with the wallet");
    await spendADay(send, first);

    title(`${togetherCount} more wallets at once`);
    quiet = true;
    const indexes = Array.from({ length: togetherCount }, (_, n) => n + 2);
    const rest = await Promise.all(
      indexes.map(async (index) => {
        const walletId = await timed(index, () => undefined);
        say(`wallet   ${walletId} onboarded`);
        return walletId;
      }),
    );
    await waitForEvents(reader.events, [first, ...rest]);

    title("Summary");
    const view = await waitForOnboarding(send, first, () => true);
    console.log(`\nGET …/onboarding of the first wallet:\n${JSON.stringify(view.body, null, 2)}\n`);
    console.log(summary(times, reader.events));
  } finally {
    await reader.stop();
    await platform.stop();
  }
  say("everything is stopped and the data folder removed");
};

const range = (values: readonly number[], unit: string): string =>
  `${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)} ${unit}`;

const summary = (times: readonly number[], events: readonly ReceivedEvent[]): string => {
  const names = [...new Set(events.map(({ name }) => name))];
  const rows = names.map((name) => {
    const ofName = events.filter((event) => event.name === name);
    return [
      name,
      String(ofName.length),
      range(
        ofName.map(({ delayMs }) => delayMs),
        "ms",
      ),
    ];
  });
  return [
    table(["event on topic acme", "received", "after the change"], rows),
    "",
    table(
      ["wallets onboarded", "time each", "demo in all"],
      [[String(times.length), range(times, "ms"), stamp().trim()]],
    ),
  ].join("\n");
};

try {
  await withTemporaryFolder(runDemo);
} catch (error) {
  console.error(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
