/** The one place for what nobody caught: it is logged, and the process goes on. */
import type { LogSink } from "./host/app/log.js";
import { errorText } from "./failures.js";

/**
 * Neither a rejection that nobody handles nor an error that nobody listens for ends the process: a client
 * library gives up closing a link in the background, an app's timer throws. The genuine host starts
 * another worker then; here broker, engine and host share the process, and what they keep is in the
 * database, in whole transactions. Until the function that is returned has been called, `fail` is told
 * instead: a start is not carried on with what is broken.
 */
export const watchUncaught = (log: LogSink, fail: (thrown: unknown) => void): (() => void) => {
  let isUp = false;
  const watch = (what: string) => (thrown: unknown) => {
    if (!isUp) {
      fail(thrown);
      return;
    }
    const [time, message] = [new Date().toISOString(), `${what}: ${errorText(thrown)}`];
    log({ time, level: "error", category: "Local.Uncaught", message });
  };
  process.on("unhandledRejection", watch("A rejection that nobody handled"));
  process.on("uncaughtException", watch("An error that nobody caught"));
  return () => {
    isUp = true;
  };
};
