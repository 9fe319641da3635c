/** Messages a second through the broker, a backlog that leaves, and events on their way to their partner. */
import { join } from "node:path";
import { quantile } from "../durable/closed-loop.js";
import { atMost, verdict, type Goal } from "../kit/goal.js";
import { median } from "../kit/load.js";
import { cpuSecondsBelow } from "../kit/processes.js";
import type { Row, Scenario } from "../kit/scenario.js";
import { steady } from "../money/steady.js";
import { openTill, type Till } from "../money/till.js";
import { receiveMessages, sendMessages } from "../platform/bus-load.js";
import { timeEvents } from "../platform/event-times.js";
import { withTemporaryFolder } from "../platform/process.js";

interface Extent {
  readonly messages: number;
  readonly turns: number;
  readonly rateSeconds: number;
  readonly paceSeconds: number;
}
const full: Extent = { messages: 20_000, turns: 3, rateSeconds: 3, paceSeconds: 20 };
const brief: Extent = { messages: 2_000, turns: 1, rateSeconds: 1, paceSeconds: 2 };
const wallets = 10_000;
const connections = 32;
/** A confirmed payment tells of the operation and of the transaction. */
const eventsPerPayment = 2;
const eventsPerSecond = 200;
const backlog = 1_000;

const brokerRows = async (till: Till, { messages, turns }: Extent): Promise<readonly Row[]> => {
  const { brokerConnectionString } = till.platform;
  const sent: number[] = [];
  const received: Readonly<Record<1 | 8, number[]>> = { 1: [], 8: [] };
  for (let turn = 0; turn < turns; turn += 1)
    for (const receivers of [1, 8] as const) {
      sent.push(await sendMessages(brokerConnectionString, messages));
      received[receivers].push(await receiveMessages(brokerConnectionString, messages, receivers));
    }
  const row = (what: string, rates: readonly number[]): Row => ({
    what: `messages of 1 KB ${what}`,
    figure: `${median(rates).toFixed(0)}/s`,
    beside: "no goal",
  });
  return [
    row("into a topic, in batches of a hundred", sent),
    row("out of it, one receiver", received[1]),
    row("out of it, eight receivers", received[8]),
  ];
};

/** As many partners and sessions as named, in turns. */
const writeBacklog = async (
  { client }: Till,
  partners: readonly string[],
  sessions: number,
): Promise<void> => {
  await client.query(
    `select borsello.publish_event('WalletUpdated', ($1::text[])[1 + number % cardinality($1)],
       'backlog-' || number % $2, number, json_build_object('text', repeat('x', 700)))
     from generate_series(1, $3::integer) as number`,
    [partners, sessions, backlog],
  );
};

/** From the moment at which the relay hears of it until the last message is at both of its topics. */
const backlogRow = async (
  till: Till,
  turns: number,
  what: string,
  partners: readonly string[],
  sessions: number,
): Promise<Row> => {
  const tookMs: number[] = [];
  const cpuMs: number[] = [];
  const nextPath = await till.paymentsToConfirm(turns);
  for (let turn = 0; turn < turns; turn += 1) {
    await till.settle();
    await writeBacklog(till, partners, sessions);
    const cpuBefore = await cpuSecondsBelow(process.pid);
    const began = performance.now();
    await fetch(till.platform.url + nextPath(), { method: "PUT", headers: till.headers });
    await till.settle();
    tookMs.push(performance.now() - began);
    cpuMs.push(((await cpuSecondsBelow(process.pid)) - cpuBefore) * 1_000);
  }
  const goal = atMost("of the relay", 1_000, "ms");
  return {
    what: `${backlog} waiting events of ${what} leave in`,
    figure: `${median(tookMs).toFixed(0)} ms`,
    beside: `${(median(cpuMs) / backlog).toFixed(2)} ms of processor each, broker and database included; ${verdict(goal, median(tookMs))}`,
  };
};

const backlogRows = async (till: Till, { turns }: Extent): Promise<readonly Row[]> => [
  await backlogRow(till, turns, "one wallet", ["acme"], 1),
  await backlogRow(till, turns, "a thousand wallets", ["acme"], backlog),
  await backlogRow(
    till,
    turns,
    "four partners",
    ["acme", "globex", "initech", "umbrella"],
    backlog,
  ),
];

const delayGoal: Goal = atMost("of events", 50, "ms");

const delayRow = async (till: Till, what: string, pace: number, seconds: number): Promise<Row> => {
  await till.settle();
  const nextPath = await till.paymentsToConfirm(Math.ceil(pace * seconds) + 1);
  const nextUrl = (): string => till.platform.url + nextPath();
  const { headers } = till;
  const times = timeEvents(till.platform.brokerConnectionString, "acme");
  try {
    await times.quiet();
    const before = times.delaysMs.length;
    await steady({ perSecond: pace, seconds, headers, nextUrl });
    await till.settle();
    await times.quiet();
    const delays = times.delaysMs.slice(before);
    const expected = Math.floor(pace * seconds) * eventsPerPayment;
    if (delays.length !== expected)
      throw new Error(`${delays.length} events arrived of ${expected}`);
    const [p50, p99] = [quantile(delays, 0.5), quantile(delays, 0.99)];
    return {
      what: `an event from its change to its receiver, ${what}: median and p99`,
      figure: `${p50.toFixed(0)} ms and ${p99.toFixed(0)} ms`,
      beside: verdict(delayGoal, p99),
    };
  } finally {
    await times.stop();
  }
};

const delayRows = async (
  till: Till,
  { rateSeconds, paceSeconds }: Extent,
): Promise<readonly Row[]> => {
  const steadyPace = eventsPerSecond / eventsPerPayment;
  const { perSecond } = await till.confirm({ connections, seconds: rateSeconds });
  const half = perSecond / 2;
  return [
    await delayRow(till, `${eventsPerSecond} a second`, steadyPace, paceSeconds),
    await delayRow(
      till,
      `at half of the payments that can be confirmed (${half.toFixed(0)}/s)`,
      half,
      paceSeconds,
    ),
  ];
};

export const events: Scenario = {
  name: "events",
  title: "Events through outbox, relay and broker",
  method:
    `One platform with ${wallets.toLocaleString("en-US")} wallets, its broker and its database, and the unmodified Service Bus client. The broker alone: ` +
    `${full.messages.toLocaleString("en-US")} messages of one kilobyte sent to a partner's topic, then received from its subscription by one receiver, or by eight, ` +
    `each message locked, handed on and completed; median of ${full.turns} turns. Backlogs: ${backlog} events of 1 KB written by SQL, ` +
    "from the request by which the relay hears of them until the last one is at its partner's topic and at the platform's own. " +
    `Events on their way: payments confirmed through HTTP at an even pace for ${full.paceSeconds} s, each of which tells of ${eventsPerPayment} events, ` +
    "from the time of the change, which is a little before its commit, until the partner's receiver has the event. Everything shares the machine.",
  run: async (say, { quick }) =>
    withTemporaryFolder(async (folder) => {
      const extent = quick ? brief : full;
      const till = await openTill(join(folder, "till"), wallets);
      try {
        const broker = await brokerRows(till, extent);
        say("the broker alone is measured");
        const waiting = await backlogRows(till, extent);
        say("backlogs are measured");
        return [...broker, ...waiting, ...(await delayRows(till, extent))];
      } finally {
        await till.stop();
      }
    }),
};
