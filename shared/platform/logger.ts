/** Structured log lines: one JSON object each, with credentials removed and IBANs masked. */
import { failureNotes, type NoteFailure } from "./outage.js";

export type LogLevel = "debug" | "info" | "warn" | "error";
export type LogFields = Readonly<Record<string, unknown>>;

export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger whose lines all carry these fields: a correlation id, a wallet. */
  with(fields: LogFields): Logger;
}

const ranks: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

const secretName =
  /^(authorization|auth-?key|access_?token|token|password|.*secret|.*connection_?string)$/i;
const jwt = /\beyJ[\w-]+\.[\w-]+\.[\w-]*/g;
const bearer = /\bBearer\s+\S+/gi;
const credentialInText = /\b(client_secret|SharedAccessKey|password)=[^;&\s]+/gi;
const passwordInUrl = /(\w+:\/\/[^:/@\s]*):[^@\s]+@/g;
const iban = /\b([A-Z]{2}\d{2})[A-Z0-9]{7,26}([A-Z0-9]{4})\b/g;

/** Longer than any stack; what tells most stands at the beginning, and each pattern reads all of it. */
const charactersMax = 8_192;

const shortened = (text: string): string =>
  text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text;

/** Text as it may stand in a log: of bounded length, without what is nobody's business. */
export const redact = (text: string): string =>
  shortened(text)
    .replace(bearer, "Bearer …")
    .replace(jwt, "…")
    .replace(credentialInText, "$1=…")
    .replace(passwordInUrl, "$1:…@")
    .replace(iban, "$1…$2");

const errorFields = (error: Error): Record<string, unknown> => ({
  name: error.name,
  message: error.message,
  stack: error.stack,
  ...("code" in error ? { code: error.code } : {}),
  ...(error.cause === undefined ? {} : { cause: error.cause }),
});

/** A line without any of these holds nothing that `redact` would change, unless a text is too long. */
const redactable = /eyJ|[=@]|[Bb][Ee][Aa][Rr][Ee][Rr]|[A-Z]{2}\d{2}[A-Z0-9]{11}/;

/** JSON.stringify's replacer: hides values by name, redacts texts, writes what JSON cannot hold. */
const loggable = (name: string, value: unknown): unknown => {
  if (secretName.test(name)) return "…";
  if (typeof value === "string") return redact(value);
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Error) return errorFields(value);
  return value;
};

const isPlain = ([name, value]: readonly [string, unknown]): boolean =>
  (value === undefined || ["string", "number", "boolean"].includes(typeof value)) &&
  !secretName.test(name);

/** Nearly every line holds plain values and nothing to hide: one look at all of it costs a fraction of one at each. */
const lineOf = (fields: LogFields): string => {
  if (Object.entries(fields).every(isPlain)) {
    const line = JSON.stringify(fields);
    if (line.length <= charactersMax && !redactable.test(line)) return line;
  }
  return JSON.stringify(fields, loggable);
};

export type WriteLine = (level: LogLevel, line: string) => void;

/** Writes lines of at least `minimum` level; `write` is the console, or a test's list. */
export const createLogger = (minimum: LogLevel, write: WriteLine, base: LogFields = {}): Logger => {
  const at =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}): void => {
      if (ranks[level] < ranks[minimum]) return;
      const line = { time: new Date().toISOString(), level, message, ...base, ...fields };
      try {
        write(level, lineOf(line));
      } catch {
        // A field that JSON cannot hold (a cycle) must not turn a log line into a failure.
        write(level, JSON.stringify({ level, message, fields: "not serialisable" }, loggable));
      }
    };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    with: (fields) => createLogger(minimum, write, { ...base, ...fields }),
  };
};

/** Notes failures of work that nobody waits for: outages as warnings, anything else as an error. */
export const loggedFailures = (logger: Logger): NoteFailure =>
  failureNotes(({ work, isOutage, error }) => {
    if (isOutage) logger.warn(`${work} waits for an outage to pass.`, { error });
    else logger.error(`${work} failed.`, { error });
  });
