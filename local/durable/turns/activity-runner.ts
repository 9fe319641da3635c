/** Runs activities, so many at a time, and turns whatever they do into an outcome. */
import { errorLine, logText } from "../../log-text.js";
import { httpTaskName } from "../replay/determinism.js";
import { exceptionText } from "../protocol/exception-text.js";
import { activityFailure } from "../protocol/failure-details.js";
import type { DurableFunctions } from "../protocol/functions.js";
import { callHttp } from "./http-task.js";
import type { StoredActivity } from "../storage/instance-rows.js";
import type { ActivityEnd } from "./orchestration-state.js";
import { errorMessage, jsonText } from "../protocol/protocol.js";

type Outcome = ActivityEnd["outcome"];

export interface ActivityJob {
  readonly activity: StoredActivity;
  readonly instanceId: string;
  readonly traceParent?: string | undefined;
  readonly done: (outcome: Outcome) => void;
}

const failed = (name: string, error: unknown): Outcome => {
  const thrown = errorMessage(error);
  const failure = activityFailure(thrown);
  const message = failure?.ErrorMessage ?? thrown;
  return {
    ok: false,
    reason: `Activity function '${name}' failed:  ${message}`,
    details: exceptionText(error, message),
    error: failure === undefined ? errorLine(error) : logText(`${failure.ErrorType}: ${message}`),
    ...(failure !== undefined && { failure }),
  };
};

export class ActivityRunner {
  readonly #functions: DurableFunctions;
  readonly #concurrency: number;
  readonly #queue: ActivityJob[] = [];
  #head = 0;
  #running = 0;
  #begins = true;
  #stopped = false;

  constructor(functions: DurableFunctions, concurrency: number) {
    this.#functions = functions;
    this.#concurrency = concurrency;
  }

  /** How many run or wait for their turn. */
  get open(): number {
    return this.#running + this.#queue.length - this.#head;
  }

  get running(): number {
    return this.#running;
  }

  start(job: ActivityJob): void {
    if (!this.#begins) return;
    this.#queue.push(job);
    this.#next();
  }

  /** Begins none from now on: those that wait are on disk, and the next host begins them. */
  drain(): void {
    this.#begins = false;
    this.#queue.length = 0;
    this.#head = 0;
  }

  stop(): void {
    this.drain();
    this.#stopped = true;
  }

  #next(): void {
    while (this.#running < this.#concurrency && this.#head < this.#queue.length) {
      const job = this.#queue[this.#head++];
      if (this.#head > 1_000) {
        this.#queue.splice(0, this.#head);
        this.#head = 0;
      }
      if (job !== undefined) void this.#run(job);
    }
  }

  async #run(job: ActivityJob): Promise<void> {
    this.#running++;
    const outcome = await this.#outcome(job);
    this.#running--;
    if (this.#stopped) return;
    job.done(outcome);
    this.#next();
  }

  async #outcome({ activity, instanceId, traceParent }: ActivityJob): Promise<Outcome> {
    const { name, input } = activity;
    try {
      const result =
        name === httpTaskName
          ? await callHttp(input ?? "{}")
          : await this.#functions.runActivity(name, input, instanceId, traceParent);
      return { ok: true, result: jsonText(result) ?? "null" };
    } catch (error) {
      return failed(name, error);
    }
  }
}
