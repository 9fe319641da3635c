/** Durations as the configuration writes them: ISO 8601, days down to seconds. */

const pattern = /^P(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

/** Milliseconds, or undefined where the text is not such a duration. */
export const durationMs = (text: string): number | undefined => {
  const match = pattern.exec(text);
  if (match === null || text === "P") return undefined;
  const [days, hours, minutes, seconds] = match.slice(1).map((part) => Number(part || 0));
  return (
    (days ?? 0) * 86_400_000 +
    (hours ?? 0) * 3_600_000 +
    (minutes ?? 0) * 60_000 +
    Math.round((seconds ?? 0) * 1000)
  );
};
