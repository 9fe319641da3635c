/** A limit to every wait of a client. */
import { BrokerError, conditions } from "../errors.js";

/** The clients themselves give up after a minute, without knowing why. */
export const answerWithinMs = 50_000;

/** The result, or `com.microsoft:timeout` where there is none in time. The work itself goes on. */
export const inTime = async <T>(work: Promise<T>, limitMs = answerWithinMs): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(
        new BrokerError(
          conditions.timeout,
          "The broker could not finish this in time; it may still be done.",
        ),
      );
    }, limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};
