/** What is told of each attempt, for logs and metrics: nothing of what was sent or answered. */

export interface AttemptReport {
  readonly method: string;
  /** The route's, with the names of its parameters: `/wallet/wallets/{walletId}`. */
  readonly path: string;
  readonly requestId: string;
  /** 1 the first time; one that a new token mends is not counted. */
  readonly attempt: number;
  readonly durationMs: number;
  /** Null: nothing came back. */
  readonly status: number | null;
  /** Of a refusal. */
  readonly code?: string;
  /** Why nothing came back, or nothing that the platform has written. */
  readonly cause?: unknown;
}

export type AttemptListener = (report: AttemptReport) => void;

/** Apart from the call, which what a listener throws must not end: it may have done something already. */
export const tell = (listener: AttemptListener | undefined, report: AttemptReport): void => {
  if (listener !== undefined) queueMicrotask(() => listener(report));
};
