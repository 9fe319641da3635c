/** How long the database may take to answer whoever asks from outside. */
import { OutageError } from "../../../shared/platform/outage.js";
import { withinLimit } from "../../time-limit.js";

/** So long whoever asks from outside waits for the database before hearing that it is away. */
export const callTimeoutMs = 5_000;

/** The database has not answered in time. What it was asked for may have happened, or may yet. */
export class DatabaseAway extends OutageError {
  override readonly name = "DatabaseAway";

  constructor() {
    super("The database does not answer.");
  }
}

/** Rejects after `timeoutMs`, whatever becomes of the work. */
export const withTimeout = <Result>(timeoutMs: number, work: Promise<Result>): Promise<Result> =>
  withinLimit(work, timeoutMs, () => new DatabaseAway());
