/** Gives each call of the Service Bus client an abort signal of its own, which goes with the call. */

/** The client leaves a listener on a signal after every wait that ends without a message. */
export const withCallSignal = async <Result>(
  stopped: AbortSignal,
  call: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> => {
  const own = new AbortController();
  const abort = (): void => own.abort();
  if (stopped.aborted) abort();
  stopped.addEventListener("abort", abort);
  try {
    return await call(own.signal);
  } finally {
    stopped.removeEventListener("abort", abort);
  }
};
