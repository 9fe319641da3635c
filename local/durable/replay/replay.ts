/** Plays an orchestrator over its whole history, through the library's own handler. */
import type { DurableFunctions } from "../protocol/functions.js";
import type { HistoryEvent } from "../protocol/protocol.js";
import { Session, type Played } from "./session.js";

export interface ReplaySubject {
  readonly name: string;
  readonly instanceId: string;
  readonly parentId: string | undefined;
  readonly input: string | undefined;
  readonly isReplaying: boolean;
  readonly traceParent?: string | undefined;
}

/** The library slices timers longer than this itself; ours have no limit, so it never should. */
const unlimitedTimer = "10000000.00:00:00";

const triggerFor = (subject: ReplaySubject, history: readonly HistoryEvent[]): object => {
  const trigger = {
    input: subject.input === undefined ? null : (JSON.parse(subject.input) as unknown),
    instanceId: subject.instanceId,
    isReplaying: subject.isReplaying,
    parentInstanceId: subject.parentId,
    upperSchemaVersion: 1,
    upperSchemaVersionNew: 3,
    longRunningTimerIntervalDuration: unlimitedTimer,
    maximumShortTimerDuration: unlimitedTimer,
    defaultHttpAsyncRequestSleepTimeMillseconds: 30_000,
  };
  // Not enumerable, because the library searches all enumerable values for dates given as text.
  return Object.defineProperty(trigger, "history", { value: history, enumerable: false });
};

/** Calls `visit` with the index of an event just before the library reads it. */
const watched = (
  history: readonly HistoryEvent[],
  visit: (index: number) => void,
): readonly HistoryEvent[] =>
  new Proxy(history, {
    get: (target, property) => {
      if (typeof property === "string" && property >= "0" && property < ":")
        visit(Number(property));
      const value: unknown = Reflect.get(target, property);
      return value;
    },
  });

export interface Replay extends Played {
  /** Where the code stands now. */
  readonly session: Session;
}

/** One turn of the app's code over the whole history. Never rejects: failures are an end, too. */
export const replay = async (
  functions: DurableFunctions,
  subject: ReplaySubject,
  history: readonly HistoryEvent[],
): Promise<Replay> => {
  const session = new Session();
  const spied = watched(history, (index) => session.visit(index));
  const rejection = await functions
    .runOrchestrator(
      subject.name,
      triggerFor(subject, spied),
      (context) => session.enter(context),
      subject.traceParent,
    )
    .then(() => undefined)
    .catch((error: unknown) => ({ error }));
  return { session, ...session.played(history.length, rejection) };
};
