/** Fires messages when they are due; keeps only the near ones in memory. */
import type { Pool } from "pg";
import { noteFailure } from "../../failures.js";
import type { LocalClock } from "../../clock.js";
import TinyQueue from "tinyqueue";
import type { HostLease } from "./host-lease.js";
import { readMessages, type MessageRow } from "../storage/instance-rows.js";
import type { SetAside } from "../storage/set-aside.js";
import type { Message } from "../protocol/messages.js";

/** Timers within this span are in memory; the database is asked for the next ones in time. */
const horizonMs = 60_000;
const entriesMax = 10_000;
/** Whoever sets the machine's clock tells nobody: so long at most it takes until this is noticed. */
const sleepMaxMs = 5_000;

type DueMessage = Message & { readonly dueAt: number };

export class Timers {
  readonly #pool: Pool;
  readonly #hub: string;
  readonly #clock: LocalClock;
  readonly #lease: HostLease;
  readonly #setAside: SetAside;
  readonly #queue = new TinyQueue<DueMessage>([], (a, b) => a.dueAt - b.dueAt || a.id - b.id);
  /** Of the messages in the queue: one that is there already is not added again. */
  readonly #queued = new Set<number>();
  #fire: ((messages: readonly Message[]) => void) | undefined;
  /** Every timer up to this moment (and up to this number, within the moment) is in memory. */
  #known = { until: 0, id: 0 };
  #alarm: NodeJS.Timeout | undefined;
  #isReading = false;
  #rereads = 0;
  #stopped = false;

  constructor(pool: Pool, hub: string, lease: HostLease, clock: LocalClock, setAside: SetAside) {
    this.#pool = pool;
    this.#hub = hub;
    this.#lease = lease;
    this.#setAside = setAside;
    this.#clock = clock;
  }

  /** How many are in memory; a cancelled one is, until its moment comes. */
  get size(): number {
    return this.#queue.length;
  }

  /** True while due timers may not have fired yet. */
  get isBehind(): boolean {
    return this.#isReading || this.#clock.now() > this.#known.until;
  }

  /** For a timer that is on disk. A far one is read again when its time comes near. */
  add(message: Message): void {
    const { dueAt } = message;
    const now = this.#clock.now();
    if (dueAt === undefined || dueAt > Math.max(this.#known.until, now + horizonMs)) return;
    if (this.#queue.length > 4 * entriesMax) {
      this.#known = { until: Math.min(this.#known.until, dueAt - 1), id: 0 };
      return;
    }
    this.#push({ ...message, dueAt });
    if (this.#queue.peek()?.id === message.id) this.tick();
  }

  #push(message: DueMessage): void {
    if (this.#queued.has(message.id)) return;
    this.#queued.add(message.id);
    this.#queue.push(message);
  }

  /** Hands over everything that is due by now, the earliest first. */
  #fireDue(): void {
    const now = this.#clock.now();
    const due: DueMessage[] = [];
    while ((this.#queue.peek()?.dueAt ?? Infinity) <= now) {
      const message = this.#queue.pop();
      if (message === undefined) break;
      this.#queued.delete(message.id);
      due.push(message);
    }
    if (due.length > 0) this.#fire?.(due);
  }

  /** What is due goes to `fire` from now on. */
  start(fire: (messages: readonly Message[]) => void): void {
    this.#fire = fire;
    this.tick();
  }

  /** Forgets what it knows of the future: instances came or went, or the clock has jumped. */
  reread(): void {
    this.#rereads++;
    this.#known = { until: 0, id: 0 };
    this.tick();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#alarm);
  }

  tick(): void {
    if (this.#stopped) return;
    const now = this.#clock.now();
    this.#fireDue();
    if (now > this.#known.until - horizonMs / 2 && !this.#isReading) void this.#read();
    clearTimeout(this.#alarm);
    const waitMs = Math.min(
      (this.#queue.peek()?.dueAt ?? Infinity) - this.#clock.now(),
      sleepMaxMs,
    );
    this.#alarm = setTimeout(() => this.tick(), Math.max(waitMs, 0));
    this.#alarm.unref();
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      do await this.#readNext();
      while (!this.#stopped && this.#known.until < this.#clock.now());
    } catch (error) {
      noteFailure("Reading timers", error);
      // tick() asks again, and the pause keeps that from spinning.
      await new Promise((resolve) => setTimeout(resolve, 500).unref());
    }
    this.#isReading = false;
    this.tick();
  }

  async #readNext(): Promise<void> {
    const rereads = this.#rereads;
    const { until: from, id } = this.#known;
    const until = this.#clock.now() + horizonMs;
    const { rows } = await this.#pool.query<MessageRow>(
      `select m.* from durable.message m join durable.instance i
         on i.hub = m.hub and i.id = m.instance_id
       where m.hub = $1 and m.due_at <= $2 and (m.due_at, m.id) > ($3, $4) and i.owner = $5
       order by m.due_at, m.id limit $6`,
      [this.#hub, until, from, id, this.#lease.hostId, entriesMax],
    );
    if (rereads !== this.#rereads) return;
    const { messages, spoiled } = readMessages(rows);
    await this.#setAside.put(spoiled);
    if (rereads !== this.#rereads) return;
    for (const message of messages) this.#push({ ...message, dueAt: message.dueAt ?? 0 });
    const last = rows.length < entriesMax ? undefined : rows.at(-1);
    this.#known = { until: Number(last?.due_at ?? until), id: Number(last?.id ?? 0) };
    this.#fireDue();
  }
}
