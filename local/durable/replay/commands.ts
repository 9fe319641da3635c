/** What an orchestrator asks for, read from the library's live action objects. */
import { isRecord, jsonText } from "../protocol/protocol.js";

interface Numbered {
  /** The sequence number that the library gave to the task. */
  readonly id: number;
  /** The first attempt's number, on later attempts and on the pauses between them. */
  readonly retryOf?: number;
}
export interface CallActivity extends Numbered {
  readonly kind: "activity";
  readonly name: string;
  readonly input: string | undefined;
  readonly retry?: RetryOptions;
}
export interface CallChild extends Numbered {
  readonly kind: "child";
  readonly name: string;
  readonly input: string | undefined;
  readonly instanceId: string | undefined;
  readonly version: string | undefined;
  readonly retry?: RetryOptions;
}
export interface CreateTimer extends Numbered {
  readonly kind: "timer";
  readonly fireAt: Date;
  /** Live: the app may cancel the timer on a later turn. */
  readonly isCanceled: () => boolean;
}
/** The pause before the next attempt; its length depends on when the attempt failed. */
export interface RetryPause extends Numbered {
  readonly kind: "pause";
  readonly retryOf: number;
  readonly delayMs: number;
  readonly retry?: RetryOptions;
}
export interface CallEntity extends Numbered {
  readonly kind: "entity";
  readonly target: string;
  readonly operation: string;
  readonly input: string | undefined;
  readonly isSignal: boolean;
}
export interface LockEntities extends Numbered {
  readonly kind: "lock";
  readonly requestId: string;
  readonly lockSet: readonly string[];
}
export interface ReleaseEntity extends Numbered {
  readonly kind: "release";
  readonly target: string;
}
export interface CallHttp extends Numbered {
  readonly kind: "http";
  readonly request: string;
}
export type Command =
  | CallActivity
  | CallChild
  | CreateTimer
  | RetryPause
  | CallEntity
  | LockEntities
  | ReleaseEntity
  | CallHttp;

export interface RetryOptions {
  readonly firstIntervalMs: number;
  readonly maxAttempts: number;
  readonly backoff: number;
  readonly maxIntervalMs: number;
  readonly timeoutMs: number;
}

/** The library's numbers for the kinds of actions. */
export const actionCode = {
  CallActivity: 0,
  CallActivityWithRetry: 1,
  CallSubOrchestrator: 2,
  CallSubOrchestratorWithRetry: 3,
  ContinueAsNew: 4,
  CreateTimer: 5,
  CallEntity: 7,
  CallHttp: 8,
  SignalEntity: 9,
  LockEntities: 13,
  ReleaseEntities: 14,
} as const;

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const optionalText = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
const numberOr = (value: unknown, fallback: number): number =>
  typeof value === "number" && Number.isFinite(value) ? value : fallback;

/** Activities get strings that are JSON already; everything else is still a value. */
export const quotedInput = (input: unknown): string | undefined =>
  typeof input === "string" ? input : jsonText(input);

export const retryOptions = (value: unknown): RetryOptions | undefined => {
  if (!isRecord(value)) return undefined;
  const firstIntervalMs = numberOr(value["firstRetryIntervalInMilliseconds"], 1);
  return {
    firstIntervalMs,
    maxAttempts: numberOr(value["maxNumberOfAttempts"], 1),
    backoff: numberOr(value["backoffCoefficient"], 1),
    maxIntervalMs: numberOr(value["maxRetryIntervalInMilliseconds"], Number.POSITIVE_INFINITY),
    timeoutMs: numberOr(value["retryTimeoutInMilliseconds"], Number.POSITIVE_INFINITY),
  };
};

/** The pause after the `failures`th failed attempt. None after the last: nothing follows it. */
export const retryDelayMs = (options: RetryOptions, failures: number): number =>
  failures >= options.maxAttempts
    ? 0
    : Math.min(options.firstIntervalMs * options.backoff ** (failures - 1), options.maxIntervalMs);

export const isAction = (action: unknown, code: number): action is Record<string, unknown> =>
  isRecord(action) && action["actionType"] === code;

const entityName = (value: unknown): string =>
  isRecord(value) ? `@${text(value["name"]).toLowerCase()}@${text(value["key"])}` : "";

export const lockSetOf = (action: Record<string, unknown>): string[] =>
  Array.isArray(action["lockSet"]) ? action["lockSet"].map(entityName) : [];

const call = (action: Record<string, unknown>, numbered: Numbered): CallActivity | CallChild => {
  const retry = retryOptions(action["retryOptions"]);
  const common = { ...numbered, name: text(action["functionName"]), ...(retry && { retry }) };
  const code = action["actionType"];
  if (code === actionCode.CallActivity || code === actionCode.CallActivityWithRetry)
    return { kind: "activity", ...common, input: quotedInput(action["input"]) };
  return {
    kind: "child",
    ...common,
    // No input and null are the same to a child, and both are shown as null.
    input: action["input"] === null ? undefined : jsonText(action["input"]),
    instanceId: optionalText(action["instanceId"]),
    version: optionalText(action["version"]),
  };
};

/** The command behind an action, or undefined where the action needs nothing from the host. */
export const commandOf = (action: unknown, numbered: Numbered): Command | undefined => {
  if (!isRecord(action)) return undefined;
  switch (action["actionType"]) {
    case actionCode.CallActivity:
    case actionCode.CallActivityWithRetry:
    case actionCode.CallSubOrchestrator:
    case actionCode.CallSubOrchestratorWithRetry:
      return call(action, numbered);
    case actionCode.CreateTimer: {
      const fireAt = action["fireAt"] instanceof Date ? action["fireAt"] : new Date(NaN);
      const isCanceled = (): boolean => action["isCanceled"] === true;
      return { kind: "timer", ...numbered, fireAt: new Date(fireAt), isCanceled };
    }
    case actionCode.CallEntity:
    case actionCode.SignalEntity:
      return {
        kind: "entity",
        ...numbered,
        target: text(action["instanceId"]),
        operation: text(action["operation"]),
        input: jsonText(action["input"]),
        isSignal: action["actionType"] === actionCode.SignalEntity,
      };
    case actionCode.LockEntities:
      return {
        kind: "lock",
        ...numbered,
        requestId: text(action["lockRequestId"]),
        lockSet: lockSetOf(action),
      };
    case actionCode.CallHttp:
      return { kind: "http", ...numbered, request: jsonText(action["httpRequest"]) ?? "{}" };
    default:
      return undefined;
  }
};
