/** A range of dates that a caller asks for: open ends are allowed, a reversed or endless one is not. */
import { refusal, success, type Outcome } from "./outcome.js";

const dayMs = 86_400_000;
const daysMax = 366;

export interface DateRange {
  readonly fromDate: Date | null;
  readonly toDate: Date | null;
}

const dateOf = (text: string | undefined): Date | null =>
  text === undefined ? null : new Date(text);

/** Both ends are included. */
export const checkedRange = (given: {
  readonly fromDate?: string | undefined;
  readonly toDate?: string | undefined;
}): Outcome<DateRange, "DateRangeInvalid"> => {
  const fromDate = dateOf(given.fromDate);
  const toDate = dateOf(given.toDate);
  if (fromDate === null || toDate === null) return success({ fromDate, toDate });
  const spanMs = toDate.getTime() - fromDate.getTime();
  if (spanMs < 0) return refusal("DateRangeInvalid", { toDate: "must not be before fromDate." });
  if (spanMs > daysMax * dayMs)
    return refusal("DateRangeInvalid", { toDate: `must be within ${daysMax} days of fromDate.` });
  return success({ fromDate, toDate });
};

/** Moments of publication: of a log, whose length bounds what is asked of it. */
export interface MomentRange {
  readonly from: Date | null;
  readonly to: Date | null;
}

/** Both ends are included. */
export const checkedMoments = (given: {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}): Outcome<MomentRange, "DateRangeInvalid"> => {
  const from = dateOf(given.from);
  const to = dateOf(given.to);
  if (from !== null && to !== null && to < from)
    return refusal("DateRangeInvalid", { to: "must not be before from." });
  return success({ from, to });
};
