/** Finds what was meant as a setting and is read by nobody: a name that differs from a setting's by a slip. */

const slipsMax = 2;
const charactersMax = 64;

/** How many characters must be added, left out, replaced or swapped with their neighbour (Damerau, 1964). */
const slipsBetween = (one: string, other: string): number => {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const now = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      now[column] = Math.min(
        (last[column] ?? 0) + 1,
        (now[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[column - 2] ?? Infinity) + 1 : Infinity,
      );
    }
    [before, last] = [last, now];
  }
  return last[other.length] ?? 0;
};

const isMeant = (name: string, setting: string): boolean =>
  Math.abs(name.length - setting.length) <= slipsMax &&
  slipsBetween(name.toUpperCase(), setting.toUpperCase()) <= slipsMax;

/** A sentence for each name that is set and looks like one of these settings, which itself is not set. */
export const misspelt = (
  environment: Readonly<Record<string, string | undefined>>,
  settings: readonly string[],
): string[] => {
  const isSet = (name: string): boolean => (environment[name] ?? "") !== "";
  const absent = settings.filter((setting) => !isSet(setting));
  return Object.keys(environment)
    .filter((name) => isSet(name) && !settings.includes(name) && name.length <= charactersMax)
    .flatMap((name) => {
      const meant = absent.find((setting) => isMeant(name, setting));
      return meant === undefined
        ? []
        : [`${name} is set, but nothing reads it: is ${meant} meant?`];
    });
};
