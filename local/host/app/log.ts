/** The log: one line of JSON per entry, filtered by the levels of host.json. */
import type { LogCategory, LogLevel } from "./core-types.js";

export interface LogEntry {
  readonly time: string;
  readonly level: LogLevel;
  readonly category: string;
  readonly message: string;
  readonly invocationId?: string;
}

export type LogSink = (entry: LogEntry) => void;

/** Category (or the beginning of one, or `default`) → least level that is written. */
export type LogLevels = Readonly<Record<string, LogLevel>>;

export interface InvocationLogSource {
  readonly functionName: string;
  readonly invocationId: string;
}

const severity: Readonly<Record<LogLevel, number>> = {
  trace: 0,
  debug: 1,
  information: 2,
  warning: 3,
  error: 4,
  critical: 5,
  none: 6,
};

export const writeJsonLine: LogSink = (entry) => {
  process.stdout.write(`${JSON.stringify(entry)}\n`);
};

/** The same for people at a terminal. */
export const writeTextLine: LogSink = ({ time, level, category, message }) => {
  const told = level === "information" ? [] : [level.toUpperCase()];
  process.stdout.write(`${[time.slice(11, 23), ...told, category, message].join("  ")}\n`);
};

const leastLevel = (levels: LogLevels, category: string): LogLevel => {
  let best: LogLevel | undefined;
  let bestLength = -1;
  for (const [prefix, level] of Object.entries(levels)) {
    const fits = category === prefix || category.startsWith(`${prefix}.`);
    if (fits && prefix.length > bestLength) [best, bestLength] = [level, prefix.length];
  }
  return best ?? levels["default"] ?? "information";
};

/** Writes entries of the host, the library and the app, each under its category. */
export class HostLog {
  readonly #sink: LogSink;
  readonly #levels: LogLevels;
  readonly #least = new Map<string, number>();

  constructor(sink: LogSink, levels: LogLevels) {
    this.#sink = sink;
    this.#levels = levels;
  }

  #wants(category: string, level: LogLevel): boolean {
    let least = this.#least.get(category);
    if (least === undefined) {
      least = severity[leastLevel(this.#levels, category)];
      this.#least.set(category, least);
    }
    return severity[level] >= least && level !== "none";
  }

  #write(level: LogLevel, category: string, message: string, invocationId?: string): void {
    if (!this.#wants(category, level)) return;
    const entry = { time: new Date().toISOString(), level, category, message };
    this.#sink(invocationId === undefined ? entry : { ...entry, invocationId });
  }

  /** The host's own words, under `Host.<part>`. */
  host(level: LogLevel, part: string, message: string): void {
    this.#write(level, `Host.${part}`, message);
  }

  /** What became of a function's work that nobody waits for in this process. */
  work(level: LogLevel, functionName: string, message: string): void {
    this.#write(level, `Function.${functionName}`, message);
  }

  /** The library's words that belong to no invocation. */
  readonly library = (level: LogLevel, category: LogCategory, message: string): void => {
    this.#write(level, category === "user" ? "Worker.User" : "Worker", message);
  };

  /** What a function logged through its context, or the host has to say about one invocation. */
  invocation(
    source: InvocationLogSource,
    level: LogLevel,
    category: LogCategory,
    message: string,
  ): void {
    const name = `Function.${source.functionName}`;
    this.#write(level, category === "user" ? `${name}.User` : name, message, source.invocationId);
  }
}
