/** Opens a receiver on a session: the link's answer is held back until there is a session for it. */
import { BrokerError, conditions } from "../errors.js";
import type { LockedSession, SessionLocks } from "../entities/session-locks.js";
import { types, type SendingLink } from "../wire/rhea.js";
import { checkIdentifier } from "../wire/sections.js";
import { ticks } from "../wire/values.js";
import { inTime } from "../peers/deadline.js";

export const sessionFilter = "com.microsoft:session-filter";
const lockedUntilProperty = "com.microsoft:locked-until-utc";
const timeoutProperty = "com.microsoft:timeout";
const defaultTimeoutMs = 60_000;
const timeoutMaxMs = 600_000;

const timeoutOf = ({ properties }: SendingLink): number => {
  const asked = properties?.[timeoutProperty];
  return typeof asked === "number" ? Math.min(asked, timeoutMaxMs) : defaultTimeoutMs;
};

/** The session that a receiver asks for: null is the next free one, undefined none at all. */
export const requestedSession = (link: SendingLink): string | null | undefined => {
  const filter = link.source?.filter ?? {};
  if (typeof filter !== "object" || !Object.hasOwn(filter, sessionFilter)) return undefined;
  // Some clients describe the value, some send it as it is.
  const value = types.unwrap(filter[sessionFilter]);
  if (typeof value !== "string") return null;
  checkIdentifier(value);
  return value;
};

/** The library has answered the attach by the time that we see it; this takes the answer back. */
export const withholdAttach = ({ state }: SendingLink): void => {
  state.local_open = false;
  state.open_requests = 0;
};

/** Waits for the session; `onWait` gets a function that ends the waiting. */
export const waitForSession = async (
  link: SendingLink,
  sessions: SessionLocks,
  { sessionId, onWait }: { sessionId: string | null; onWait: (giveUp: () => void) => void },
): Promise<LockedSession> => {
  if (sessionId !== null) {
    // A session that is just being given back is as good as free.
    await inTime(sessions.released(sessionId));
    return sessions.accept(sessionId);
  }
  const locked = await sessions.acceptNext(timeoutOf(link), onWait);
  if (locked !== undefined) return locked;
  throw new BrokerError(conditions.timeout, "No session with messages became free in time.");
};

/** Tells the client which session it has, and until when. */
export const describeSession = (
  link: SendingLink,
  { sessionId, lockedUntilMs }: LockedSession,
): void => {
  link.set_source({
    address: link.source?.address ?? null,
    filter: { [sessionFilter]: sessionId },
  });
  link.local.attach.properties = { [lockedUntilProperty]: ticks(lockedUntilMs) };
};
