/** What is an outage: the one list that the app, the durable engine and the broker ask. Imports nothing. */

/**
 * Of our own: something that is needed does not answer. What it was asked for may have happened, or
 * may yet.
 */
export class OutageError extends Error {}

/**
 * Classes of SQLSTATE (PostgreSQL, appendix A): 08 the connection, 40 undone for the sake of others,
 * 53 no disk, memory or connection left, 57 the operator: a shutdown, a crash, a statement's
 * time-out. 25P03 and 25P04 end a session whose transaction stood still, which loses a connection.
 */
const outageState = /^(?:(?:08|40|53|57)[0-9A-Z]{3}|25P0[34])$/;

/** The operating system's names for a connection that is lost or does not come about. */
const networkCode = /^(?:ECONN|EPIPE|ENOTFOUND|EAI_|ETIMEDOUT|EHOST|ENET|EADDRNOTAVAIL)/;

/** The same in the words of `pg`, which gives these errors no code. */
const lostConnection =
  /^(?:Connection terminated|Client (?:was closed|has encountered a connection error)|timeout expired|Query read timeout|timeout exceeded when trying to connect|Cannot use a pool after calling end)/;

/** The identity library has no token: what the token is for cannot be reached. Not loaded for its names. */
const identityErrors: readonly string[] = [
  "AuthenticationError",
  "AggregateAuthenticationError",
  "CredentialUnavailableError",
];

/** Everything else is an answer: it is final, and asking again would not change it. */
export const isOutage = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  if (error instanceof OutageError || identityErrors.includes(error.name)) return true;
  if (error instanceof AggregateError) return error.errors.some(isOutage);
  // Whatever keeps a connection from coming about: the socket's file is gone while a server restarts.
  if ("syscall" in error && error.syscall === "connect") return true;
  if ("code" in error && typeof error.code === "string")
    return outageState.test(error.code) || networkCode.test(error.code);
  return lostConnection.test(error.message);
};

/** For the end of work that has its outcome already: an outage leaves it as it is, a defect may not. */
export const passOutage = (error: unknown): void => {
  if (!isOutage(error)) throw error;
};

/** Takes what went wrong with work that nobody waits for, or that is done again. */
export type NoteFailure = (work: string, error: unknown) => void;

const silentMs = 600_000;
const kindsMax = 200;

const kindOf = (work: string, error: unknown): string => {
  if (isOutage(error)) return `${work} outage`;
  const { name, code } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  return `${work} ${name ?? typeof error} ${code ?? ""}`;
};

/**
 * `write` hears each kind of failure once in ten minutes: an outage, which passes by itself, or a
 * defect, which somebody has to look at. `work` is a few fixed words.
 */
export const failureNotes = (
  write: (note: {
    readonly work: string;
    readonly isOutage: boolean;
    readonly error: unknown;
  }) => void,
): NoteFailure => {
  const saidAtMs = new Map<string, number>();
  return (work, error) => {
    const kind = kindOf(work, error);
    const nowMs = performance.now();
    if (nowMs - (saidAtMs.get(kind) ?? -Infinity) < silentMs) return;
    // Errors may bear any name: forgetting now and then is cheaper than growing.
    if (saidAtMs.size >= kindsMax) saidAtMs.clear();
    saidAtMs.set(kind, nowMs);
    write({ work, isOutage: isOutage(error), error });
  };
};
