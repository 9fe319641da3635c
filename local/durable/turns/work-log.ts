/** What the log says of work that failed or is tried again: which function, for which instance, why. */
import { eventCode, type HistoryEvent } from "../protocol/protocol.js";

/** Writes a line about one of the app's functions. */
export type WorkLog = (level: "warning" | "error", functionName: string, message: string) => void;

const isAttempt = ({ EventType }: HistoryEvent): boolean =>
  EventType === eventCode.TaskScheduled || EventType === eventCode.SubOrchestrationInstanceCreated;

/** Which attempt of a call a task is, beginning with 1. */
const attemptOf = (history: readonly HistoryEvent[], taskId: number): number => {
  const { RetryOf: first = taskId } =
    history.find((event) => isAttempt(event) && event.EventId === taskId) ?? {};
  return history.filter(
    (event) =>
      isAttempt(event) &&
      event.EventId <= taskId &&
      (event.EventId === first || event.RetryOf === first),
  ).length;
};

/** The instance whose work it is, with its history so far. */
interface Subject {
  readonly id: string;
  readonly history: readonly HistoryEvent[];
}

interface FailedActivity {
  readonly taskId: number;
  readonly name: string;
  readonly error: string;
}

export const logFailedActivity = (
  log: WorkLog,
  { id, history }: Subject,
  { taskId, name, error }: FailedActivity,
): void => {
  const attempt = Math.max(attemptOf(history, taskId), 1);
  log("error", name, `The activity '${name}' of '${id}' failed, attempt ${attempt}: ${error}`);
};

/** A line for each further attempt that a turn has begun. */
export const logRetries = (
  log: WorkLog,
  { id, history }: Subject,
  turnEvents: readonly HistoryEvent[],
): void => {
  for (const event of turnEvents) {
    const { Name: name, EventId: taskId, RetryOf: first } = event;
    if (!isAttempt(event) || name === undefined || first === undefined || first === taskId)
      continue;
    const attempt = attemptOf(history, taskId);
    log("warning", name, `'${name}' is tried again for '${id}', attempt ${attempt}.`);
  }
};

export const logFailedOrchestration = (
  log: WorkLog,
  name: string,
  id: string,
  error: string,
): void => log("error", name, `The orchestration '${name}' with the id '${id}' failed: ${error}`);

export const logFailedOperation = (
  log: WorkLog,
  entity: { readonly name: string; readonly id: string },
  operation: string,
  error: string,
): void =>
  log("error", entity.name, `The operation '${operation}' of '${entity.id}' failed: ${error}`);
