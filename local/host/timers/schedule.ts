/** When a timer function runs: NCRONTAB expressions and fixed intervals. */
import { Cron } from "croner";
import { StartError } from "../../start-error.js";
import { parseTimeSpanMs } from "../settings/time-span.js";

export interface Schedule {
  /** The first occurrence after `after`, in milliseconds since the epoch; Infinity where none comes. */
  next(after: number): number;
}

const field = /^(?:[\d*,/-]|[A-Za-z]{3}(?![A-Za-z]))+$/;
/** Greatest value of each field: second, minute, hour, day, month, day of week. */
const greatest = [59, 59, 23, 31, 12, 6];

/** `5/15` means every 15th from 5 on, which croner wants to be told as a range. */
const openStep = (text: string, index: number): string =>
  text
    .split(",")
    .map((item) => item.replace(/^(\d+)\/(\d+)$/, `$1-${greatest[index]}/$2`))
    .join(",");

/** Six fields, or five without the seconds. Day of month and day of week must both match. */
const cronSchedule = (expression: string, timeZone: string): Schedule => {
  const given = expression.trim().split(/\s+/);
  const fields = given.length === 5 ? ["0", ...given] : given;
  if (fields.length !== 6 || !fields.every((text) => field.test(text)))
    throw new StartError(`"${expression}" is not an NCRONTAB expression of six fields.`);
  const cron = new Cron(fields.map(openStep).join(" "), {
    domAndDow: true,
    timezone: timeZone,
    paused: true,
  });
  const next = (after: number): number =>
    Number.isFinite(after) ? (cron.nextRun(new Date(after))?.getTime() ?? Infinity) : Infinity;
  return { next };
};

export const parseSchedule = (expression: string, timeZone = "UTC"): Schedule => {
  const intervalMs = parseTimeSpanMs(expression);
  if (intervalMs !== undefined && intervalMs > 0) return { next: (after) => after + intervalMs };
  try {
    return cronSchedule(expression, timeZone);
  } catch (error) {
    if (error instanceof StartError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError(`"${expression}" is not a schedule: ${reason}.`);
  }
};
