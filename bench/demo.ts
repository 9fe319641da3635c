/** `npm run demo`: starts the platform, onboards wallets as a partner would, and shows every step. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { customer } from "./platform/customers.js";
import {
  approveStranger,
  moveClock,
  nextRequestOf,
  payGroups,
  returnCollections,
  waitForCollection,
} from "./platform/outside-money.js";
import {
  onboard,
  sender,
  waitForOnboarding,
  type Answer,
  type Send,
} from "./platform/onboarding.js";
import {
  balanceOf,
  harvest,
  openShop,
  payIn,
  prove,
  readStatement,
  sell,
  shopOwner,
  withdraw,
} from "./platform/shopping.js";
import { startPlatform, withTemporaryFolder } from "./platform/process.js";
import { acme, headersFor } from "./platform/session.js";
import {
  confirmPurchase,
  limitPurchases,
  openCard,
  present,
  purchase,
  readClearing,
} from "./cards/card-day.js";
import { table } from "./kit/table.js";
import { untilAllArrived } from "./platform/event-numbers.js";
import { partnerConnectionString, readTopic, type ReceivedEvent } from "./platform/topic-reader.js";

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

/** A shop sells, money leaves, one transfer comes back, the day is settled; resolves to the shop. */
const spendADay = async (send: Send, walletId: string): Promise<string> => {
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
  return storeId;
};

const inCents = (amount: number): number => Math.round(amount * 100);

interface Move {
  readonly wallet: string;
  readonly what: string;
  readonly before: number;
  readonly after: number;
  /** What must have come of it. */
  readonly cents: number;
}

const showMoves = (moves: readonly Move[]): void => {
  const rows = moves.map(({ wallet, what, before, after }) => [
    ...[wallet, what, before.toFixed(2), after.toFixed(2)],
  ]);
  console.log(`\nThe wallets:\n${table(["wallet", "what came", "before", "after"], rows)}`);
  const wrong = moves.filter(({ before, after, cents }) => inCents(after - before) !== cents);
  if (wrong.length > 0)
    throw new Error(`The wallets hold something else: ${JSON.stringify(wrong)}`);
};

/** A shop pays, a person decides on a stranger's transfer, mandates collect; the books are proved again. */
const takeMoneyIn = async (
  send: Send,
  storeId: string,
  [first, second]: readonly [string, string],
  hearAhead: (aheadMs: number) => void,
): Promise<void> => {
  const paid = await payGroups(send, storeId, shopOwner, showCall);
  const collectionIban = paid[0]?.collectionIban ?? "";
  const before = [await balanceOf(send, first), await balanceOf(send, second)] as const;
  const feedback = await approveStranger(send, first, collectionIban, 30, showCall);
  const approved = await balanceOf(send, first);
  await returnCollections(send, customer(2).iban, showCall);
  const due = await nextRequestOf(send, first);
  hearAhead(Date.parse(due) - Date.now());
  await moveClock(send, due, "when the mandates' deposits are asked for", showCall);
  await waitForCollection(send, first, false, showCall);
  await waitForCollection(send, second, true, showCall);
  const after = [await balanceOf(send, first), await balanceOf(send, second)] as const;
  await prove(send, showCall);

  const groups = paid.map(({ code, amount }) => [code, amount.toFixed(2)]);
  console.log(`\nThe shop paid:\n${table(["code of the group", "amount"], groups)}`);
  console.log(`\nWhat the stranger's transfer needed to fit by itself:\n${feedback}`);
  const stranger = { what: "a stranger's transfer, approved by a person", cents: 3_000 };
  const booked = { what: "its mandate's first collection", cents: 2_500 };
  const returned = { what: "the same, which the bank took back", cents: 0 };
  showMoves([
    { wallet: "first", ...stranger, before: before[0], after: approved },
    { wallet: "first", ...booked, before: approved, after: after[0] },
    { wallet: "second", ...returned, before: before[1], after: after[1] },
  ]);
  const { header, rows } = await readStatement(send, second);
  console.log(`\nGET …/statement of the second wallet:\n${table(header, rows)}`);
};

const lineWidth = 150;
const cut = (line: string): string =>
  line.length > lineWidth ? `${line.slice(0, lineWidth)} …` : line;

const dayMs = 86_400_000;
/** When the clearing's timer fires on the day after. */
const nextMorning = (nowMs: number): string =>
  `${new Date(nowMs + dayMs).toISOString().slice(0, 10)}T06:00:00.000Z`;

/** A card that pays from the wallet: one purchase is approved, one is over its limit, one is challenged. */
const payByCard = async (
  send: Send,
  walletId: string,
  /** Of the next clearing. */
  morning: string,
  hearAhead: (aheadMs: number) => void,
): Promise<void> => {
  const [price, tooMuch, limit, online] = [18.4, 60, 50, 129.9];
  const card = await openCard(send, walletId, showCall);
  const before = await balanceOf(send, walletId);
  const approved = await purchase(send, card, price, showCall);
  await limitPurchases(send, card, limit, showCall);
  const declined = await purchase(send, card, tooMuch, showCall);
  const after = await balanceOf(send, walletId);
  const confirmed = await confirmPurchase(send, card, online, showCall);
  if (approved !== "00" || declined !== "61" || confirmed !== "Authenticated")
    throw new Error(`The card's purchases ended ${approved}, ${declined} and ${confirmed}.`);
  await present(send, card, price, showCall);
  hearAhead(Date.parse(morning) - Date.now());
  await moveClock(send, morning, "when the day is cleared", showCall);
  const { fileName, lines } = await readClearing(send, morning.slice(0, 10), showCall);
  showMoves([
    {
      ...{ wallet: "first", what: "the card's two purchases", before, after },
      cents: -inCents(price),
    },
  ]);
  console.log(`\n${fileName}:\n${lines.map(cut).join("\n")}`);
};

const runDemo = async (folder: string): Promise<void> => {
  title("Starting PostgreSQL, broker, durable engine and functions host from nothing");
  const platform = await startPlatform(join(folder, "data"));
  say(`everything answers; API at ${platform.url}, documentation at ${platform.url}/docs`);
  let isShown: (event: ReceivedEvent) => boolean = () => true;
  let aheadMs = 0;
  const hear = (event: ReceivedEvent): void => {
    if (isShown(event)) showEvent(event);
  };
  // What is dated later than now was dated by the clock that was moved.
  const now = (datedMs: number): number => Date.now() + (datedMs > Date.now() ? aheadMs : 0);
  const connectionString = partnerConnectionString(platform.brokerConnectionString, acme.partner);
  const reader = readTopic(connectionString, acme.partner, hear, now);
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
    const storeId = await spendADay(send, first);

    title(`${togetherCount} more wallets at once`);
    isShown = () => false;
    const indexes = Array.from({ length: togetherCount }, (_, n) => n + 2);
    const rest = await Promise.all(
      indexes.map(async (index) => {
        const walletId = await timed(index, () => undefined);
        say(`wallet   ${walletId} onboarded`);
        return walletId;
      }),
    );
    await waitForEvents(reader.events, [first, ...rest]);

    title("Money from outside");
    const [second = ""] = rest;
    await takeMoneyIn(send, storeId, [first, second], (ahead) => (aheadMs = ahead));

    title("A card of the wallet");
    isShown = ({ name }) => /^(?:Card|ThreeDs|Clearing)/.test(name);
    const morning = nextMorning(Date.now() + aheadMs);
    await payByCard(send, first, morning, (ahead) => (aheadMs = ahead));

    title("Summary");
    const view = await waitForOnboarding(send, first, () => true);
    console.log(`\nGET …/onboarding of the first wallet:\n${JSON.stringify(view.body, null, 2)}\n`);
    const told = await untilAllArrived(send, reader.events);
    console.log(summary(times, reader.events));
    console.log(`\n${told} events on topic acme, numbered 1 to ${told}: no gap\n`);
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
