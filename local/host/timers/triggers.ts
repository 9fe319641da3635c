/** Timer triggers: runs each timer function at its times, on one host, never twice at once, never late twice. */
import type { LocalClock } from "../../clock.js";
import { expandSettings } from "../settings/host-config.js";
import type { HostedFunction } from "../app/hosted-function.js";
import type { Invoker } from "../app/invoke.js";
import type { HostLog } from "../app/log.js";
import { errorText } from "../../failures.js";
import type { OutputSender } from "../service-bus/output-bindings.js";
import { invokeWithRetry } from "../app/retry-policy.js";
import { parseSchedule, type Schedule } from "./schedule.js";
import type { SoleHost } from "./sole-host.js";
import type { TimerStatusStore } from "./status.js";

export interface TimerOptions {
  readonly clock: LocalClock;
  readonly invoker: Pick<Invoker, "invoke">;
  readonly log: HostLog;
  readonly settings: Readonly<Record<string, string>>;
  readonly sendOutputs: OutputSender;
  status(): Promise<TimerStatusStore>;
  readonly soleHost: Pick<SoleHost, "start" | "stop">;
}

/** Timers of the platform hold at most 24.8 days; a day is often enough to look again. */
const longestSleepMs = 24 * 60 * 60 * 1000;
/** Occurrences closer than this are not remembered across restarts. */
const shortestMonitoredMs = 60_000;
const neverRan = "0001-01-01T00:00:00+00:00";

export const isTimerTrigger = (fn: HostedFunction): boolean =>
  fn.trigger.type.toLowerCase() === "timertrigger";

/** What no clock of this host reaches: a function that never runs again is due then. */
const neverRuns = "9999-12-31T23:59:59.9999999+00:00";

const iso = (ms: number): string => (Number.isFinite(ms) ? new Date(ms).toISOString() : neverRuns);

class TimerFunction {
  readonly #fn: HostedFunction;
  readonly #options: TimerOptions;
  readonly #schedule: Schedule;
  readonly #stop = new AbortController();
  #store: TimerStatusStore | undefined;
  #lastMs: number | undefined;
  #nextMs = Number.POSITIVE_INFINITY;
  #updatedMs = 0;
  #timer: NodeJS.Timeout | undefined;
  /** False while another host runs it. */
  #isHere = false;
  #hasBegun = false;
  #run: Promise<void> | undefined;

  constructor(fn: HostedFunction, options: TimerOptions) {
    this.#fn = fn;
    this.#options = options;
    const expression = fn.trigger["schedule"];
    this.#schedule = parseSchedule(
      expandSettings(typeof expression === "string" ? expression : "", options.settings),
      options.settings["WEBSITE_TIME_ZONE"],
    );
  }

  /**
   * It is this host's to run. Due since before that: one run at once. Otherwise, the first time, one if the
   * function asks for it.
   */
  async start(): Promise<void> {
    const isFirst = !this.#hasBegun;
    this.#hasBegun = true;
    const now = this.#options.clock.now();
    this.#nextMs = this.#schedule.next(now);
    const pastDue = this.#isMonitored(now) && (await this.#restore(now));
    this.#isHere = true;
    // What still runs since before it was lost sets the next alarm itself.
    if (this.#run !== undefined) return;
    if (pastDue || (isFirst && this.#fn.trigger["runOnStartup"] === true)) this.#begin(pastDue);
    else this.#arm();
  }

  #isMonitored(now: number): boolean {
    const first = this.#schedule.next(now);
    const tooOften = this.#schedule.next(first) - first < shortestMonitoredMs;
    return this.#fn.trigger["useMonitor"] !== false && !tooOften;
  }

  /** Takes up what was remembered; true where an occurrence passed while the host was down. */
  async #restore(now: number): Promise<boolean> {
    this.#store = await this.#options.status();
    const known = await this.#store.read(this.#fn.name);
    if (known === undefined) {
      await this.#remember(now);
      return false;
    }
    this.#lastMs = known.lastMs;
    this.#updatedMs = known.updatedMs;
    const { lastMs = known.updatedMs, updatedMs } = known;
    const isSameSchedule = [lastMs, updatedMs].some(
      (from) => this.#schedule.next(from) === known.nextMs,
    );
    if (!isSameSchedule) {
      // The schedule is another one by now, so nothing can be overdue by it.
      await this.#remember(now);
      return false;
    }
    this.#nextMs = known.nextMs;
    return known.nextMs < now;
  }

  async #remember(now: number): Promise<void> {
    this.#updatedMs = now;
    const status = { lastMs: this.#lastMs, nextMs: this.#nextMs, updatedMs: now };
    await this.#store?.write(this.#fn.name, status);
  }

  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#stop.signal.aborted || !this.#isHere) return;
    const waitMs = Math.max(0, this.#nextMs - this.#options.clock.now());
    this.#timer = setTimeout(() => this.check(), Math.min(waitMs, longestSleepMs));
  }

  get name(): string {
    return this.#fn.name;
  }

  /** Runs the function now, unless it is running. */
  runNow(): void {
    if (this.#run === undefined) this.#begin(false);
  }

  /** Runs the function if it is due by the clock of now. */
  check(): void {
    if (this.#run !== undefined || this.#stop.signal.aborted || !this.#isHere) return;
    if (this.#options.clock.now() >= this.#nextMs) this.#begin(false);
    else this.#arm();
  }

  #begin(pastDue: boolean): void {
    clearTimeout(this.#timer);
    this.#run = this.#runOnce(pastDue).finally(() => {
      this.#run = undefined;
      this.#arm();
    });
  }

  async #runOnce(pastDue: boolean): Promise<void> {
    const { invoker, clock, log, sendOutputs } = this.#options;
    const trigger = { json: JSON.stringify(this.#payload(pastDue)) };
    const startedMs = clock.now();
    try {
      const outcome = await invokeWithRetry(invoker, this.#fn, { trigger }, this.#stop.signal);
      if (this.#fn.outputs.length > 0)
        await sendOutputs(this.#fn, await outcome.respond(outcome.result));
    } catch (error) {
      log.host("error", "Timer", `${this.#fn.name} failed: ${errorText(error)}`);
    }
    this.#lastMs = startedMs;
    const now = clock.now();
    this.#nextMs = this.#schedule.next(startedMs);
    if (this.#nextMs < now) this.#nextMs = this.#schedule.next(now);
    await this.#remember(now).catch((error: unknown) => {
      log.host("warning", "Timer", `${this.#fn.name} is not remembered: ${errorText(error)}`);
    });
  }

  #payload(isPastDue: boolean): object {
    const status = {
      Last: this.#lastMs === undefined ? neverRan : iso(this.#lastMs),
      Next: iso(this.#nextMs),
      LastUpdated: iso(this.#updatedMs),
    };
    return {
      Schedule: { AdjustForDST: true },
      ScheduleStatus: this.#store === undefined ? null : status,
      IsPastDue: isPastDue,
    };
  }

  /** Resolves when the present run, if any, has ended. */
  async idle(): Promise<void> {
    await this.#run;
  }

  /** Another host may run it from now on. */
  lose(): void {
    this.#isHere = false;
    clearTimeout(this.#timer);
  }

  stop(): void {
    this.#stop.abort();
    clearTimeout(this.#timer);
  }
}

/** All timer functions of the app. */
export class TimerTriggers {
  readonly #timers: readonly TimerFunction[];
  readonly #soleHost: TimerOptions["soleHost"];
  readonly #unsubscribe: () => void;

  constructor(functions: readonly HostedFunction[], options: TimerOptions) {
    this.#timers = functions.filter(isTimerTrigger).map((fn) => new TimerFunction(fn, options));
    this.#soleHost = options.soleHost;
    this.#unsubscribe = options.clock.onJump(() => this.#timers.forEach((timer) => timer.check()));
  }

  /** They run as soon, and as long, as they are this host's. */
  async start(): Promise<void> {
    if (this.#timers.length === 0) return;
    await this.#soleHost.start({
      onHeld: async () => {
        await Promise.all(this.#timers.map((timer) => timer.start()));
      },
      onLost: () => this.#timers.forEach((timer) => timer.lose()),
    });
  }

  /** Waits for the runs that a jump of the clock has set going. */
  async idle(): Promise<void> {
    await Promise.all(this.#timers.map((timer) => timer.idle()));
  }

  /** False where no timer function has that name, in whatever case. */
  run(name: string): boolean {
    const timer = this.#timers.find((one) => one.name.toLowerCase() === name.toLowerCase());
    timer?.runNow();
    return timer !== undefined;
  }

  /** Begins no run any more; they stay this host's until they are released. */
  stop(): void {
    this.#unsubscribe();
    this.#timers.forEach((timer) => timer.stop());
  }

  /** Another host may run them: to be called once the last run has ended. */
  async release(): Promise<void> {
    await this.#soleHost.stop();
  }
}
