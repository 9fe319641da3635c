/** The story's calendar: platform time is moved to a later year that has the same weekdays. */

/** Told in spring 2025; the sandbox's clock only moves forward. */
const storyYear = 2025;

/** What decides about weekdays and the change to summer time: on which day of the week March begins. */
const marchBegins = (year: number): number => new Date(Date.UTC(year, 2, 1)).getUTCDay();

const dayMs = 86_400_000;

const platformYear = ((): number => {
  let year = storyYear + 1;
  while (marchBegins(year) !== marchBegins(storyYear) || Date.UTC(year, 2, 1) < Date.now() + dayMs)
    year += 1;
  return year;
})();

const yearsAhead = platformYear - storyYear;

/** As ISO writes days, and as names of files and references do. */
const day = /(?<![0-9A-Za-z])(20\d\d)(-?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?!\d)/g;
const seconds = /(T\d\d:\d\d):\d\d(?:\.\d+)?Z/g;

const moved = (text: string, years: number, isMeant: (year: number) => boolean): string =>
  text.replace(day, (found, year: string, dash: string, month: string, date: string) =>
    isMeant(Number(year)) ? [Number(year) + years, month, date].join(dash) : found,
  );

/** A text of the story, with its days as the platform's clock has them. */
export const toPlatform = (text: string): string =>
  moved(text, yearsAhead, (year) => year >= storyYear);

/** A text of the platform's, with its days as the story has them; moments to the minute. */
export const toStory = (text: string): string => {
  const told = moved(text, -yearsAhead, (year) => year >= platformYear);
  return told === text ? text : told.replace(seconds, "$1:00.000Z");
};
