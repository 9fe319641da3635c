/**
 * The platform's door to tracing: parts of work, and the trace that they belong to. Nothing behind it records
 * anything until a recorder is set; a caller's `traceparent` travels on all the same.
 */
import { AsyncLocalStorage } from "node:async_hooks";

export type SpanKind = "server" | "client" | "producer" | "consumer" | "internal";

/** Names by OpenTelemetry's semantic conventions. Never a text that a caller, a customer or an error has written. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanStart {
  /** Of few values: templates, never ids. */
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes?: Attributes | undefined;
  /** A sound traceparent; left out: what is being done. */
  readonly parent?: string | undefined;
  readonly startedAtMs?: number;
}

export interface Span {
  /** What others who work on it are told; undefined: it belongs to no trace. */
  readonly traceParent: string | undefined;
  set(attributes: Attributes): void;
  /** A word of few values, such as a status or an error's code. */
  fail(errorType: string): void;
  /** What is ended twice has ended at first. */
  end(): void;
}

/** Who records; its own context is what travels. */
export interface Recorder {
  current(): string | undefined;
  /** Whether what is being done is recorded: a sampler leaves most traces out. */
  isRecorded(): boolean;
  within<Value>(start: SpanStart, work: (span: Span) => Promise<Value>): Promise<Value>;
  begin(start: SpanStart): Span;
  apart<Value>(work: () => Value): Value;
}

const unrecorded = (traceParent: string | undefined): Span => ({
  traceParent,
  set: () => undefined,
  fail: () => undefined,
  end: () => undefined,
});
const ofNoTrace = unrecorded(undefined);

const carried = new AsyncLocalStorage<string>();

/** Whoever sends no traceparent costs nothing: the storage is only entered for one. */
const carrier: Recorder = {
  current: () => carried.getStore(),
  isRecorded: () => false,
  within: ({ parent }, work) =>
    parent === undefined ? work(ofNoTrace) : carried.run(parent, () => work(unrecorded(parent))),
  begin: ({ parent }) => unrecorded(parent),
  apart: (work) => (carried.getStore() === undefined ? work() : carried.exit(work)),
};

let recorder: Recorder = carrier;
let isRecording = false;

/** At the start, before anything is traced; what it returns ends it. */
export const recordBy = (chosen: Recorder): (() => void) => {
  recorder = chosen;
  isRecording = true;
  return () => {
    recorder = carrier;
    isRecording = false;
  };
};

export const tracing = {
  /** Whether anybody records. */
  isOn: (): boolean => isRecording,
  /** The traceparent of what is being done; undefined: it belongs to no trace. */
  current: (): string | undefined => recorder.current(),
  /** Does the work as a part of its own, which ends with it; what it throws is passed on. */
  within: <Value>(start: SpanStart, work: (span: Span) => Promise<Value>): Promise<Value> =>
    recorder.within(start, work),
  /** The same below what is recorded: what nobody asked for begins no trace, and a trace that is left out has no parts. */
  part: <Value>(start: SpanStart, work: () => Promise<Value>): Promise<Value> =>
    recorder.isRecorded() ? recorder.within(start, work) : work(),
  /** A part that its caller ends. */
  begin: (start: SpanStart): Span => recorder.begin(start),
  /** Work for many at once, which belongs to no single one's trace. */
  apart: <Value>(work: () => Value): Value => recorder.apart(work),
};
