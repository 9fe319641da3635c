/** Days of the story, which is told in 2025, as they can be sent now. */
const day = /^2025(-\d\d-\d\d(?:T.*)?)$/;

const dayMs = 24 * 60 * 60_000;

/** How many days ago: what has happened can only be asked of the past. */
const daysAgo = new Map([
  ["fromDate", 30],
  ["toDate", 0],
  ["clearingDate", 0],
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
