/** Time spans as .NET writes them in host.json and in schedules: [-][d.]hh:mm:ss[.fraction]. */

const pattern = /^(-)?(?:(\d+)\.)?(\d{1,3}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,7}))?)?$/;

/** Milliseconds, or undefined where the text is no time span. */
export const parseTimeSpanMs = (text: string): number | undefined => {
  const match = pattern.exec(text.trim());
  if (match === null) return undefined;
  const [, sign, days = "0", hours = "0", minutes = "0", seconds = "0", fraction = "0"] = match;
  const wholeSeconds =
    ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
  const ms = wholeSeconds * 1000 + Math.round(Number(`0.${fraction}`) * 1000);
  return sign === undefined ? ms : -ms;
};
