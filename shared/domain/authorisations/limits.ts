/** The limits of a card: what was used since when, and which of them a transaction would violate. */
import type { CardLimitType } from "../card/limit-types.js";
import type { Usage } from "./types.js";

/** Null: there is no such limit. */
export type CardLimits = Readonly<Partial<Record<CardLimitType, bigint | null>>>;

/** Cents by the names of the settings; null: no such limit. */
export type LimitSettings = Readonly<Record<`${CardLimitType}Cents`, number | null>>;

const centsOf = (cents: number | null): bigint | null => (cents === null ? null : BigInt(cents));

/** What holds for a card for which none were set. */
export const defaultLimits = (settings: LimitSettings): CardLimits => ({
  perTransaction: centsOf(settings.perTransactionCents),
  dailyOverall: centsOf(settings.dailyOverallCents),
  weeklyOverall: centsOf(settings.weeklyOverallCents),
  monthlyOverall: centsOf(settings.monthlyOverallCents),
  yearlyOverall: centsOf(settings.yearlyOverallCents),
  dailyAtm: centsOf(settings.dailyAtmCents),
  monthlyAtm: centsOf(settings.monthlyAtmCents),
  dailyEcommerce: centsOf(settings.dailyEcommerceCents),
  monthlyEcommerce: centsOf(settings.monthlyEcommerceCents),
});

/** Cents that count, by what they are and since when. */
export type Used = Readonly<Record<Exclude<CardLimitType, "perTransaction">, bigint>>;

/** The first days of the periods that are running, as ISO dates of Rome. */
export interface Periods {
  readonly today: string;
  readonly week: string;
  readonly month: string;
  readonly year: string;
}

export interface Counted extends Usage {
  readonly cents: bigint;
  /** An ISO date of Rome; null: it is not counted. */
  readonly countedOn: string | null;
}

/** What of the present use is one transaction's. */
export const countedIn = (
  { today, week, month, year }: Periods,
  { cents, countedOn, isAtm, isEcommerce }: Counted,
): Used => {
  const since = (first: string, counts = true): bigint =>
    counts && countedOn !== null && countedOn >= first ? cents : 0n;
  return {
    dailyOverall: since(today),
    weeklyOverall: since(week),
    monthlyOverall: since(month),
    yearlyOverall: since(year),
    dailyAtm: since(today, isAtm),
    monthlyAtm: since(month, isAtm),
    dailyEcommerce: since(today, isEcommerce),
    monthlyEcommerce: since(month, isEcommerce),
  };
};

export interface Asked extends Usage {
  /** With all that is held for the same purchase already. */
  readonly transactionCents: bigint;
  /** What is to be counted now. */
  readonly cents: bigint;
}

/** The first limit that is violated; null: none. What reaches a limit exactly is within it. */
export const violatedLimit = (
  limits: CardLimits,
  used: Used,
  { transactionCents, cents, isAtm, isEcommerce }: Asked,
): CardLimitType | null => {
  const isOver = (type: CardLimitType, reached: bigint): boolean => {
    const limit = limits[type] ?? null;
    return limit !== null && reached > limit;
  };
  if (isOver("perTransaction", transactionCents)) return "perTransaction";
  const counting: readonly (keyof Used)[] = [
    ...(["dailyOverall", "weeklyOverall", "monthlyOverall", "yearlyOverall"] as const),
    ...(isAtm ? (["dailyAtm", "monthlyAtm"] as const) : []),
    ...(isEcommerce ? (["dailyEcommerce", "monthlyEcommerce"] as const) : []),
  ];
  return counting.find((type) => isOver(type, used[type] + cents)) ?? null;
};
