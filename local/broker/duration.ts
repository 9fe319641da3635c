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

/** The text of so many milliseconds. */
export const durationText = (ms: number): string => {
  const days = Math.floor(ms / 86_400_000);
  const hours = Math.floor((ms % 86_400_000) / 3_600_000);
  const minutes = Math.floor((ms % 3_600_000) / 60_000);
  const seconds = (ms % 60_000) / 1000;
  const time = [
    hours > 0 ? `${hours}H` : "",
    minutes > 0 ? `${minutes}M` : "",
    seconds > 0 ? `${seconds}S` : "",
  ].join("");
  const text = `P${days > 0 ? `${days}D` : ""}${time === "" ? "" : `T${time}`}`;
  return text === "P" ? "PT0S" : text;
};
