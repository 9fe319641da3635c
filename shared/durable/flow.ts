/** Declares flows, their steps and their events: values that the kit registers, runs and tests. */
import type { Task } from "durable-functions";
import type { z } from "zod";
import type { Outcome } from "../domain/outcome.js";

/** A part of a flow that waits; a flow joins it with `yield*`. */
export type Waiting<Result> = Generator<Task, Result, unknown>;

export interface RetryPolicy {
  readonly firstMs: number;
  readonly coefficient: number;
  readonly maximumMs: number;
  readonly attempts: number;
}

/** For a deed that must happen: an outage of days is waited out, at most five minutes at a time. */
export const untilDone: RetryPolicy = {
  firstMs: 1_000,
  coefficient: 2,
  maximumMs: 300_000,
  attempts: 1_000,
};

/** For a deed that the flow can do without. */
export const aFewTimes: RetryPolicy = {
  firstMs: 1_000,
  coefficient: 5,
  maximumMs: 300_000,
  attempts: 4,
};

/** An activity as a flow sees it. Doing it twice must be doing it once. */
export interface Step<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly input: Input;
  readonly output: Output;
  readonly retry: RetryPolicy;
}

export const step = <Input extends z.ZodType, Output extends z.ZodType>(
  name: string,
  declared: { readonly input: Input; readonly output: Output; readonly retry?: RetryPolicy },
): Step<Input, Output> => ({ name, retry: untilDone, ...declared });

/**
 * What others may raise to a running flow. An event is a hint to look again, never a fact: it may
 * come twice, early or not at all, so what it says counts only where the database agrees.
 */
export interface FlowEvent<Name extends string = string, Data extends z.ZodType = z.ZodType> {
  readonly name: Name;
  readonly data: Data;
}

export const flowEvent = <const Name extends string, Data extends z.ZodType>(
  name: Name,
  data: Data,
): FlowEvent<Name, Data> => ({ name, data });

type Raised<Event extends FlowEvent> =
  Event extends FlowEvent<infer Name, infer Data>
    ? { readonly event: Name; /** Undefined: unreadable. */ readonly data?: z.output<Data> }
    : never;

/** What ended a wait: one of its events, or its time. */
export type Woken<Event extends FlowEvent> = Raised<Event> | { readonly event: "timeOut" };

/** A flow's end that starts it again with an empty history; made by `FlowContext.again`. */
export class Again {
  readonly input: unknown;
  constructor(input: unknown) {
    this.input = input;
  }
}

/** All that a flow sees of the world: nothing here differs between the first run and a replay. */
export interface FlowContext<Input extends z.ZodType> {
  readonly instanceId: string;
  now(): Date;
  /** Runs the step; an outage that outlives all its attempts fails the flow. */
  run<In extends z.ZodType, Out extends z.ZodType>(
    step: Step<In, Out>,
    input: z.input<In>,
  ): Waiting<z.output<Out>>;
  /** Runs the step; an outage that outlives all its attempts is the value `unavailable`. */
  attempt<In extends z.ZodType, Out extends z.ZodType>(
    step: Step<In, Out>,
    input: z.input<In>,
  ): Waiting<Outcome<z.output<Out>, "unavailable">>;
  /**
   * Waits for the first of these events, or until the time comes (null: for ever). Once in a life:
   * end with `again` afterwards, see docs/decisions/0004-flows-look-act-wait.md.
   */
  waitFor<Event extends FlowEvent>(
    events: readonly Event[],
    until: Date | null,
  ): Waiting<Woken<Event>>;
  /** One sentence for a person who asks what this flow is doing. */
  setStatus(sentence: string): void;
  again(input: z.input<Input>): Again;
}

export interface Flow<Input extends z.ZodType = z.ZodType, Output = unknown> {
  readonly name: string;
  readonly input: Input;
  /** Every step that the body may run: registration refuses a flow whose steps nobody does. */
  readonly steps: readonly Step[];
  /** A method, so that flows of different inputs fit one list. */
  body(context: FlowContext<Input>, input: z.output<Input>): Waiting<Output | Again>;
}

export const flow = <Input extends z.ZodType, Output>(
  declared: Flow<Input, Output>,
): Flow<Input, Output> => declared;
