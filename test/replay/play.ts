/** Plays a flow to its end in milliseconds: steps answered by a table, time and events by a script. */
import type { Flow } from "../../shared/durable/flow.js";
import type { FlowLogger } from "../../shared/durable/flow-context.js";
import { eventType, runTurn, type HistoryEvent, type Scheduled, type Turn } from "./sdk.js";

/** What happens while the flow waits: an event by its name, or time passing until the next timer. */
export type Happening =
  | "timePasses"
  | { readonly raise: string; readonly data?: unknown }
  /** Several events that reach the flow in one turn. */
  | { readonly raiseTogether: readonly string[] };

/** Answers a step, at once or in time; throws for an outage. `now` is the flow's time. */
export type Answer = (input: unknown, now: Date) => unknown;
export type Answers = Readonly<Record<string, Answer>>;

export interface Played {
  /** Names of the steps that were run, in order, retries included. */
  readonly steps: readonly string[];
  readonly inputs: readonly unknown[];
  /** Custom statuses, without repetition. */
  readonly statuses: readonly unknown[];
  readonly output: unknown;
  readonly error: string | null;
  /** What the flow waits for once the script is at its end; empty when the flow is. */
  readonly waitingFor: readonly string[];
  readonly now: Date;
  /** History of the last life. */
  readonly history: readonly HistoryEvent[];
  readonly lives: number;
}

export interface Play {
  readonly flow: Flow;
  readonly input: unknown;
  readonly answers: Answers;
  readonly script?: readonly Happening[];
  readonly startAt?: Date;
  /** As a host may ask the library to slice longer timers. */
  readonly timerDaysMax?: number;
  readonly logger?: FlowLogger;
}

const turnsMax = 500;

/** One instance: its history, its clock, and the comparison of each turn with the turn before. */
class Instance {
  history: HistoryEvent[] = [];
  lives = 0;
  now: Date;
  readonly steps: string[] = [];
  readonly inputs: unknown[] = [];
  readonly statuses: unknown[] = [];
  #scheduled = new Map<number, Scheduled>();
  #input: unknown;
  #carried: HistoryEvent[] = [];
  readonly #play: Play;

  constructor(play: Play) {
    this.#play = play;
    this.now = play.startAt ?? new Date("2026-11-20T09:00:00.000Z");
    this.#begin(play.input);
  }

  #begin(input: unknown): void {
    this.lives += 1;
    this.#input = input;
    this.#scheduled = new Map();
    this.history = [];
    this.append(eventType.orchestratorStarted);
    this.append(eventType.executionStarted, { Name: this.#play.flow.name });
    this.history.push(...this.#carried);
    this.#carried = [];
  }

  append(type: number, fields: Readonly<Record<string, unknown>> = {}): void {
    const at = this.now.toISOString();
    this.history.push({ EventType: type, EventId: -1, IsPlayed: false, Timestamp: at, ...fields });
  }

  raise(name: string, data: unknown): void {
    this.append(eventType.eventRaised, { Name: name, Input: JSON.stringify(data ?? null) });
  }

  /** Runs what the history says so far; an end by `again` begins the next life. */
  async turn(): Promise<Turn> {
    const { flow } = this.#play;
    const instance = { ...this.#play, instanceId: "instance", input: this.#input };
    const turn = await runTurn(instance, this.history);
    for (const [id, before] of this.#scheduled)
      if (JSON.stringify(turn.scheduled.get(id)) !== JSON.stringify(before))
        throw new Error(`${flow.name} is not deterministic: ${JSON.stringify(before)} changed`);
    for (const [id, asked] of turn.scheduled) if (!this.#scheduled.has(id)) this.#note(id, asked);
    this.#scheduled = new Map(turn.scheduled);
    if (turn.customStatus !== undefined && this.statuses.at(-1) !== turn.customStatus)
      this.statuses.push(turn.customStatus);
    if (turn.ended === "again") {
      this.#carried = this.#unconsumed(turn);
      this.#begin(turn.nextInput);
    } else if (turn.ended === "waiting") {
      this.append(eventType.orchestratorCompleted);
      this.append(eventType.orchestratorStarted);
    }
    return turn;
  }

  #note(id: number, asked: Scheduled): void {
    if (asked.kind === "activity") {
      const { name, input } = asked;
      this.append(eventType.taskScheduled, {
        EventId: id,
        Name: name,
        Input: JSON.stringify(input),
      });
    } else {
      const fireAt =
        asked.kind === "timer" ? asked.fireAt : new Date(this.now.getTime() + asked.delayMs);
      this.append(eventType.timerCreated, { EventId: id, FireAt: fireAt.toISOString() });
    }
  }

  /** What the old life was told and never asked for, or never came to read. */
  #unconsumed({ unconsumed, processed }: Turn): HistoryEvent[] {
    const left = [...unconsumed];
    return this.history
      .filter(({ EventType: type }) => type === eventType.eventRaised)
      .reverse()
      .filter((event) => {
        if (this.history.indexOf(event) >= processed) return true;
        const place = left.indexOf(String(event["Name"]));
        if (place >= 0) left.splice(place, 1);
        return place >= 0;
      })
      .reverse();
  }

  async perform(id: number, name: string, input: unknown): Promise<void> {
    const answer = this.#play.answers[name];
    if (answer === undefined) throw new Error(`the test answers no step ${name}`);
    this.steps.push(name);
    this.inputs.push(input);
    try {
      const result = JSON.stringify((await answer(input, this.now)) ?? null);
      this.append(eventType.taskCompleted, { TaskScheduledId: id, Result: result });
    } catch (error) {
      const fields = { TaskScheduledId: id, Reason: String(error), Details: "" };
      this.append(eventType.taskFailed, fields);
    }
  }

  fire(id: number): void {
    const created = this.history.find(
      ({ EventType: type, EventId: of }) => type === eventType.timerCreated && of === id,
    );
    const fireAt = new Date(String(created?.["FireAt"]));
    if (fireAt > this.now) this.now = fireAt;
    // The turn that the timer opens is at the timer's time.
    this.history.pop();
    this.append(eventType.orchestratorStarted);
    this.append(eventType.timerFired, { TimerId: id, FireAt: fireAt.toISOString() });
  }
}

/** Answers one open step, or lets one pause before a retry pass; false: the flow waits for others. */
const proceed = async (instance: Instance, turn: Turn): Promise<boolean> => {
  for (const id of turn.open) {
    const asked = turn.scheduled.get(id);
    if (asked?.kind === "activity") await instance.perform(id, asked.name, asked.input);
    else if (asked?.kind === "pause") instance.fire(id);
    else continue;
    return true;
  }
  return false;
};

const happen = (instance: Instance, turn: Turn, happening: Happening): void => {
  if (happening === "timePasses") {
    const [timer] = turn.open;
    if (timer === undefined) throw new Error("no timer is running: time alone wakes nobody");
    instance.fire(timer);
  } else if ("raise" in happening) {
    instance.raise(happening.raise, happening.data);
  } else {
    for (const name of happening.raiseTogether) instance.raise(name, null);
  }
};

export const play = async (given: Play): Promise<Played> => {
  const instance = new Instance(given);
  const script = [...(given.script ?? [])];
  for (let turns = 0; turns < turnsMax; turns += 1) {
    const turn = await instance.turn();
    if (turn.ended === "again") continue;
    const happening = script[0];
    const isOver = turn.ended !== "waiting";
    if (!isOver && (await proceed(instance, turn))) continue;
    if (isOver || happening === undefined) {
      const { steps, inputs, statuses, now, history, lives } = instance;
      const { output, error, waitingFor } = turn;
      const waits = isOver ? [] : waitingFor;
      return { steps, inputs, statuses, now, history, lives, output, error, waitingFor: waits };
    }
    happen(instance, turn, happening);
    script.shift();
  }
  throw new Error(`${given.flow.name} did not come to rest within ${turnsMax} turns`);
};
