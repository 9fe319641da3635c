/** Days of the story, which is told in 2025, as they can be sent now. */
const day = /^2025(-\d\d-\d\d(?:T.*)?)$/;

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;

/** How many days ago: what has happened can only be asked of the past, and a clock moves on by the hour. */
const daysAgo = new Map([
  ["fromDate", 30],
  ["toDate", 0],
  ["now", -hourMs / dayMs],
]);

/** A day for a day, a moment for a moment. */
const pastDay = (text: string, days: number): string => {
  const moment = new Date(Date.now() - days * dayMs).toISOString();
  return text.includes("T") ? moment : moment.slice(0, text.length);
};

/** What is sent lies as far in the year, but ahead. */
const laterDay = (text: string): string => text.replace(day, `${new Date().getFullYear() + 1}$1`);

/** Other texts stay as they are. */
export const movedDay = (text: string, property: string): string => {
  const days = daysAgo.get(property);
  return days !== undefined && day.test(text) ? pastDay(text, days) : laterDay(text);
};

const wednesday = 3;
/** Days of the year on which the banks rest; those around Easter are no Wednesdays. */
const bankHolidays = /-(?:01-01|05-01|12-25|12-26)$/;

const followingDay = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, "2025-01-01".length);

/** A Wednesday after it on which the banks are open. */
const laterBankDay = (day: string): string => {
  const days = (wednesday + 7 - new Date(day).getUTCDay()) % 7 || 7;
  const later = followingDay(day, days);
  return bankHolidays.test(later) ? laterBankDay(later) : later;
};

const moment = /\d{4}-\d\d-\d\dT[\d:.]+Z/;

/** An hour after it, or after what the refusal says that it is. */
const laterMoment = (text: string, refusal: string): string => {
  const named = Date.parse(moment.exec(refusal)?.[0] ?? text);
  return new Date(Math.max(Date.parse(text), named) + hourMs).toISOString();
};

const puttingOff = new Map<string, (text: string, refusal: string) => string>([
  ["newDepositDate", laterBankDay],
  ["now", laterMoment],
]);

/** Whether each call wants a later one than the last. */
export const canBePutOff = (property: string): boolean => puttingOff.has(property);

export const putOffDay = (text: string, property: string, refusal: string): string =>
  puttingOff.get(property)?.(text, refusal) ?? text;
