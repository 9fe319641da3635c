/** Retry policies: the host runs a failed function again, as often and as late as its policy says. */
import { setTimeout as sleep } from "node:timers/promises";
import type { RetryContext, RetryOptions } from "./core-types.js";
import type { Call, HostedFunction } from "./hosted-function.js";
import type { Invoker, Outcome } from "./invoke.js";

const longestDelayMs = 24 * 60 * 60 * 1000;

/** Before the retry with this number, counted from 0. */
export const retryDelayMs = (options: RetryOptions, retry: number): number => {
  if (options.retryStrategy === "fixedDelay") return (options.delayInterval?.seconds ?? 0) * 1000;
  const firstMs = (options.minimumInterval?.seconds ?? 1) * 1000;
  const lastMs = Math.min((options.maximumInterval?.seconds ?? 0) * 1000 || longestDelayMs);
  return Math.min(firstMs * 2 ** retry, lastMs);
};

const exceptionOf = (error: unknown): NonNullable<RetryContext["exception"]> => ({
  source: "",
  message: error instanceof Error ? error.message : String(error),
  stackTrace: error instanceof Error ? (error.stack ?? "") : "",
});

/** A count of -1 means for ever. Rejects with the failure of the last attempt, or when stopped. */
export const invokeWithRetry = async (
  invoker: Pick<Invoker, "invoke">,
  fn: HostedFunction,
  call: Call,
  stopped: AbortSignal,
): Promise<Outcome> => {
  const options = fn.metadata.retryOptions;
  if (options === undefined) return invoker.invoke(fn, call);
  const { maxRetryCount } = options;
  let retryContext: RetryContext = { retryCount: 0, maxRetryCount };
  for (;;) {
    try {
      return await invoker.invoke(fn, { ...call, retryContext });
    } catch (error) {
      const { retryCount } = retryContext;
      if ((maxRetryCount >= 0 && retryCount >= maxRetryCount) || stopped.aborted) throw error;
      await sleep(retryDelayMs(options, retryCount), undefined, { signal: stopped });
      retryContext = { retryCount: retryCount + 1, maxRetryCount, exception: exceptionOf(error) };
    }
  }
};
