/** A partner's whole log sent anew: how fast, in what memory, and what other events wait meanwhile. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { z } from "zod";
import { quantile } from "../durable/closed-loop.js";
import { cpuSecondsBelow, watchMemory } from "../kit/processes.js";
import type { Row, Scenario } from "../kit/scenario.js";
import { fillEventLog, logWrittenBy, pageEventLog } from "../platform/event-log.js";
import { forceEvents } from "../platform/live-events.js";
import { startPlatform, withTemporaryFolder, type PlatformProcess } from "../platform/process.js";
import { readReplay, type ReplayReader } from "../platform/replay-reader.js";
import { acme, globex, headersFor } from "../platform/session.js";

interface Extent {
  readonly events: number;
  readonly paged: number;
  readonly quietSeconds: number;
}
const full: Extent = { events: 1_000_000, paged: 100_000, quietSeconds: 20 };
const brief: Extent = { events: 5_000, paged: 2_000, quietSeconds: 2 };
const livePerSecond = 20;
/** The replay's memory is told of so many equal parts of it. */
const parts = 10;
const lookMs = 20;
const patienceMs = 30_000;
/** A slow machine shows its pace by a part of the replay, too. */
const replaySecondsMax = 900;

const thousands = (count: number): string => count.toLocaleString("en-US");
const rounded = (mib: number): string => `${mib.toFixed(0)} MiB`;

type Headers = Readonly<Record<string, string>>;

interface Desk {
  readonly say: (line: string) => void;
  readonly extent: Extent;
  readonly platform: PlatformProcess;
  /** Acme's log is replayed; globex has no part in it. */
  readonly headers: Readonly<Record<"acme" | "globex", Headers>>;
  readonly readers: Readonly<Record<"acme" | "globex", ReplayReader>>;
}

/** Waits as long as `progress` goes on; an error where it no longer does. */
const until = async (
  isDone: () => boolean | Promise<boolean>,
  progress: () => number,
): Promise<void> => {
  let [known, movedAt] = [progress(), performance.now()];
  while (!(await isDone())) {
    if (progress() !== known) [known, movedAt] = [progress(), performance.now()];
    if (performance.now() - movedAt > patienceMs)
      throw new Error(`Nothing has come for ${patienceMs} ms, after ${known}.`);
    await sleep(lookMs);
  }
};

type Delays = Readonly<Record<"acme" | "globex", readonly number[]>>;

/** What both partners' own events take while `work` goes on. */
const delaysBeside = async (
  { platform, headers, readers }: Desk,
  work: () => Promise<void>,
): Promise<Delays> => {
  const before = [readers.acme.delaysMs.length, readers.globex.delaysMs.length] as const;
  const ofAcme = forceEvents(platform.url, headers.acme, "acme", livePerSecond);
  const ofGlobex = forceEvents(platform.url, headers.globex, "globex", livePerSecond);
  const worked = work();
  const [working] = await Promise.allSettled([worked]);
  const forced = [await ofAcme.stop(), await ofGlobex.stop()] as const;
  if (working.status === "rejected") throw working.reason;
  const delays = () => ({
    acme: readers.acme.delaysMs.slice(before[0]),
    globex: readers.globex.delaysMs.slice(before[1]),
  });
  await until(
    () => delays().acme.length >= forced[0] && delays().globex.length >= forced[1],
    () => delays().acme.length + delays().globex.length,
  );
  const { acme: own, globex: others } = delays();
  if (own.length !== forced[0] || others.length !== forced[1])
    throw new Error(`Of ${forced.join(" and ")} events ${own.length} and ${others.length} came.`);
  return { acme: own, globex: others };
};

const Accepted = z.object({ count: z.int() });
const Ended = z.array(z.object({ seconds: z.number().nullable(), sent: z.coerce.number() }));

interface Replayed {
  readonly acceptedMs: number;
  /** Of these numbers none, or some, is missing: see the reader. */
  readonly received: number;
  readonly receivedSeconds: number;
  /** Null: the time was up before. */
  readonly sentSeconds: number | null;
  readonly sent: number;
  /** Of platform, broker and database, whatever else they did. */
  readonly cpuSeconds: number;
  readonly peaksMiB: readonly number[];
}

/** From the request until the last event of the log is received and the replay has ended, or the time is up. */
const replayAll = async ({ say, extent, platform, headers, readers }: Desk): Promise<Replayed> => {
  const memory = watchMemory(platform.pid);
  const client = new Client({ connectionString: platform.databaseUrl });
  await client.connect();
  try {
    const cpuBefore = await cpuSecondsBelow(process.pid);
    const began = performance.now();
    const answer = await fetch(`${platform.url}/wallet/events/replay`, {
      ...{ method: "POST", headers: headers.acme, body: JSON.stringify({ to: logWrittenBy() }) },
    });
    const acceptedMs = performance.now() - began;
    if (answer.status !== 202) throw new Error(`The replay was answered ${answer.status}.`);
    const { count } = Accepted.parse(await answer.json());
    if (count !== extent.events) throw new Error(`${count} events are replayed.`);
    const { replayed } = readers.acme;
    const secondsSince = (): number => (performance.now() - began) / 1_000;
    const isTimeUp = (): boolean => secondsSince() > replaySecondsMax;
    const peaksMiB: number[] = [];
    while (peaksMiB.length < parts && !isTimeUp()) {
      const part = (extent.events * (peaksMiB.length + 1)) / parts;
      await until(() => replayed() >= part || isTimeUp(), replayed);
      const peak = memory.peakMiB();
      peaksMiB.push(peak);
      say(
        `${thousands(replayed())} received after ${secondsSince().toFixed(1)} s, ${rounded(peak)}`,
      );
    }
    const [received, receivedSeconds] = [replayed(), secondsSince()];
    const cpuSeconds = (await cpuSecondsBelow(process.pid)) - cpuBefore;
    let ended: z.output<typeof Ended>[number] | undefined;
    await until(
      async () => {
        const { rows } = await client.query(
          `select sent, extract(epoch from ended_at - asked_at)::float8 as seconds from borsello.replay`,
        );
        [ended] = Ended.parse(rows);
        return received < extent.events || ended?.seconds != null;
      },
      () => 0,
    );
    if (ended === undefined) throw new Error("The replay is gone.");
    const { seconds: sentSeconds, sent } = ended;
    const times = { acceptedMs, receivedSeconds, sentSeconds, cpuSeconds };
    return { ...times, received, sent, peaksMiB };
  } finally {
    memory.stop();
    await client.end();
  }
};

const told = (delays: readonly number[]): string =>
  `${quantile(delays, 0.5).toFixed(0)} ms and ${quantile(delays, 0.99).toFixed(0)} ms`;

const measure = async (desk: Desk): Promise<readonly Row[]> => {
  const { say, extent, platform, headers, readers } = desk;
  const paged = await pageEventLog(platform.url, headers.acme, extent.paged);
  say(`pages of the log: ${paged.toFixed(0)} events a second`);
  const memory = watchMemory(platform.pid);
  const quiet = await delaysBeside(desk, async () => sleep(extent.quietSeconds * 1_000));
  memory.stop();
  const restMiB = memory.peakMiB();
  say(`without a replay events take ${told(quiet.acme)}, ${rounded(restMiB)}`);
  let done: Replayed | undefined;
  const busy = await delaysBeside(desk, async () => {
    done = await replayAll(desk);
  });
  if (done === undefined) throw new Error("The replay was not measured.");
  const count = thousands(extent.events);
  const { acceptedMs, received, receivedSeconds, sentSeconds, sent, cpuSeconds, peaksMiB } = done;
  const { missing, repeats, late } = readers.acme;
  const lastOne =
    sentSeconds === null
      ? `the time was up before the last of ${count}`
      : `the last one was sent after ${sentSeconds.toFixed(1)} s`;
  const cpuMs = (cpuSeconds * 1_000) / received;
  const liveRow = (whose: string, partner: "acme" | "globex"): Row => ({
    what: `a forced event of ${whose}, from its change to its receiver, during the replay: median and p99`,
    figure: told(busy[partner]),
    beside: `${told(quiet[partner])} without a replay; the slowest ${Math.max(...busy[partner]).toFixed(0)} ms of ${thousands(busy[partner].length)}; no goal`,
  });
  return [
    {
      what: `a replay of ${count} events is accepted in`,
      figure: `${acceptedMs.toFixed(0)} ms`,
      beside: "no goal",
    },
    {
      what: `events of 1 KB replayed and received, ${thousands(received)} of them`,
      figure: `${(received / receivedSeconds).toFixed(0)}/s`,
      beside: `${receivedSeconds.toFixed(1)} s from the request on; ${lastOne}; ${cpuMs.toFixed(2)} ms of processor each, broker and database included; no goal`,
    },
    {
      what: "missing numbers up to the highest, repeats, numbers after a higher one",
      figure: `${missing()}, ${repeats()}, ${late()}`,
      beside: `${thousands(sent)} of ${count} sent, no number with two bodies`,
    },
    {
      what: "resident memory of host, engine and broker during the replay, at most",
      figure: rounded(Math.max(...peaksMiB)),
      beside: `${rounded(restMiB)} before; in its first tenth ${rounded(peaksMiB[0] ?? 0)}, in the last one reached ${rounded(peaksMiB.at(-1) ?? 0)}; no goal`,
    },
    liveRow("the same partner", "acme"),
    liveRow("another partner", "globex"),
    {
      what: `the log read by GET /wallet/events, 100 a page, the first ${thousands(extent.paged)}`,
      figure: `${paged.toFixed(0)} events/s`,
      beside: "one page after another; no goal",
    },
  ];
};

export const eventReplay: Scenario = {
  name: "event-replay",
  title: `A log of ${thousands(full.events)} events sent anew`,
  method:
    `One platform with ${thousands(full.events)} sent events of one partner, TransactionConfirmed of about one kilobyte in 10,000 wallets, written by SQL, ` +
    `tables vacuumed. Its first ${thousands(full.paged)} are read by pages; then all are replayed by one request, for ${replaySecondsMax} s at most. The partner's topic is read by the unmodified Service Bus client ` +
    "with the partner's own key: one receiver, receive and delete, 200 messages ahead; it counts each number, compares its message with the log's id, its body with that of a repeat, " +
    `and holds one message of a hundred against the catalogue. Meanwhile, and for ${full.quietSeconds} s before, this partner and another one each force ${livePerSecond} events a second through HTTP, ` +
    "timed from the change, which is a little before its commit, until their receivers have them. Memory is resident memory from /proc, looked at ten times a second. Everything shares the machine.",
  run: async (say, { quick }) =>
    withTemporaryFolder(async (folder) => {
      const extent = quick ? brief : full;
      const platform = await startPlatform(join(folder, "data"));
      try {
        await fillEventLog(platform.databaseUrl, "acme", extent.events);
        say(`${thousands(extent.events)} events are in the log`);
        const { url, brokerConnectionString } = platform;
        const readers = {
          acme: readReplay(brokerConnectionString, "acme", extent.events),
          globex: readReplay(brokerConnectionString, "globex", 0),
        };
        const headers = {
          acme: await headersFor(url, acme),
          globex: await headersFor(url, globex),
        };
        const rows = await measure({ say, extent, platform, headers, readers });
        await readers.acme.stop();
        await readers.globex.stop();
        return rows;
      } finally {
        await platform.stop();
      }
    }),
};
