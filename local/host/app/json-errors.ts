/**
 * Hears of errors that are made JSON of. The durable library keeps what an entity's operation threw
 * as `JSON.stringify(error)`, which is `{}`; type and message are gone by the time that we see it.
 */
import { AsyncLocalStorage } from "node:async_hooks";

const listeners = new AsyncLocalStorage<(error: Error) => void>();
let isWatching = false;

/**
 * JSON looks for a method of this name in all that it writes. Finding none it goes on as ever, and
 * an error of the app's own may have one as before.
 */
const watch = (): void => {
  isWatching = true;
  Object.defineProperty(Error.prototype, "toJSON", {
    configurable: true,
    get(this: Error) {
      listeners.getStore()?.(this);
      return undefined;
    },
    set(this: Error, value: unknown) {
      Object.defineProperty(this, "toJSON", {
        value,
        configurable: true,
        enumerable: true,
        writable: true,
      });
    },
  });
};

/** Does the work; `onError` gets each error that is made JSON of on its way, once. */
export const hearingErrors = <Result>(
  onError: (error: Error) => void,
  work: () => Promise<Result>,
): Promise<Result> => {
  if (!isWatching) watch();
  const heard = new Set<Error>();
  return listeners.run((error) => {
    if (heard.has(error)) return;
    heard.add(error);
    onError(error);
  }, work);
};
