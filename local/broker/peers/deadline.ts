/** A limit to every wait of a client. */
import { withinLimit } from "../../time-limit.js";
import { BrokerError, conditions } from "../errors.js";

/** The clients themselves give up after a minute, without knowing why. */
export const answerWithinMs = 50_000;

const tooLate = (): BrokerError =>
  new BrokerError(
    conditions.timeout,
    "The broker could not finish this in time; it may still be done.",
  );

/** The result, or `com.microsoft:timeout` where there is none in time. The work itself goes on. */
export const inTime = <T>(work: Promise<T>, limitMs = answerWithinMs): Promise<T> =>
  withinLimit(work, limitMs, tooLate);
