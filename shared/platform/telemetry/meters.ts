/** The platform's door to metrics: nothing is counted until somebody does. */
import type { Attributes } from "./tracing.js";

/** Of what is recorded in seconds. */
export type DurationName = "http.server.request.duration" | "messaging.process.duration";

export type CounterName = "borsello.flow.started" | "borsello.flow.ended";

export interface Reading {
  readonly name: string;
  readonly value: number;
  readonly attributes?: Attributes;
}

export interface Gauge {
  readonly name: string;
  /** UCUM, such as `s` or `{message}`. */
  readonly unit: string;
  readonly description: string;
}

export interface Meters {
  /** Attributes have few values: each combination is a series of its own. */
  record(name: DurationName, seconds: number, attributes: Attributes): void;
  count(name: CounterName, attributes: Attributes): void;
  /** What is read each time that metrics leave, about once a minute. */
  observe(gauges: readonly Gauge[], read: () => Promise<readonly Reading[]>): void;
}

const nobody: Meters = {
  record: () => undefined,
  count: () => undefined,
  observe: () => undefined,
};

let chosen: Meters = nobody;

/** At the start, before anything is counted. */
export const meterBy = (meters: Meters): void => {
  chosen = meters;
};

export const meters: Meters = {
  record: (name, seconds, attributes) => chosen.record(name, seconds, attributes),
  count: (name, attributes) => chosen.count(name, attributes),
  observe: (gauges, read) => chosen.observe(gauges, read),
};
