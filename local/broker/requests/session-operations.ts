/** Management operations on sessions: their locks and their states. */
import { z } from "zod";
import { BrokerError, conditions } from "../errors.js";
import type { SessionLocks } from "../entities/session-locks.js";
import { types } from "../wire/rhea.js";
import { queueOf, type ManagedEntity, type Operation } from "./management.js";
import { Bytes, parseBody } from "./request-body.js";

const Session = z.object({ "session-id": z.string() });
const State = Session.extend({ "session-state": Bytes.nullish() });

const sessionsOf = (entity: ManagedEntity): SessionLocks => {
  const { sessions } = queueOf(entity);
  if (sessions !== null) return sessions;
  throw new BrokerError(conditions.notAllowed, "The entity has no sessions.");
};

const renewSessionLock: Operation = async (entity, body) => {
  const { "session-id": sessionId } = parseBody(Session, body);
  return { expiration: types.Timestamp(sessionsOf(entity).renew(sessionId, entity.linkName)) };
};

const getSessionState: Operation = async (entity, body) => {
  const { "session-id": sessionId } = parseBody(Session, body);
  sessionsOf(entity).lockedBy(sessionId, entity.linkName);
  const state = await entity.entities.sessionState(queueOf(entity).entityId, sessionId);
  return { "session-state": state };
};

const setSessionState: Operation = async (entity, body) => {
  const { "session-id": sessionId, "session-state": state } = parseBody(State, body);
  sessionsOf(entity).lockedBy(sessionId, entity.linkName);
  // The client clears a state by the bytes of the JSON word.
  const isCleared = state === null || state === undefined || state.equals(Buffer.from("null"));
  await entity.entities.setSessionState(
    queueOf(entity).entityId,
    sessionId,
    isCleared ? null : state,
  );
  return {};
};

export const sessionOperations = {
  "renew-session-lock": renewSessionLock,
  "get-session-state": getSessionState,
  "set-session-state": setSessionState,
} satisfies Record<string, Operation>;
