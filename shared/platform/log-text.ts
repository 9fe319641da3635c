/** A line of the log as people read it in a terminal: time, level where it matters, sentence, fields. */

type Fields = Readonly<Record<string, unknown>>;

/** JSON escapes what terminals act upon, but for the newer half of it (C1) and DEL. */
const quoted = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\x7f-\x9f]/g,
    (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`,
  );

const shown = (value: unknown): string =>
  typeof value === "string" && /^[^\s\p{Cc}]+$/u.test(value) ? value : quoted(value);

const isError = (value: unknown): value is { readonly stack: string } =>
  typeof value === "object" &&
  value !== null &&
  "stack" in value &&
  typeof value.stack === "string";

/** An error's text may be anybody's: only its lines are kept, of all that terminals act upon. */
const indented = (text: string): string =>
  text.replace(/[^\P{Cc}\n\t]/gu, "\ufffd").replace(/^/gm, "    ");

/** `json` is a line as the logger writes it; ids come last, and stacks below. */
export const textLine = (json: string): string => {
  const line = JSON.parse(json) as Fields;
  const { time, level, message, requestId, traceId, ...fields } = line;
  const all: Fields = { ...fields, requestId, traceId };
  const present = Object.entries(all).filter(([, value]) => value !== undefined);
  const [errors, others] = [
    present.filter(([, value]) => isError(value)),
    present.filter(([, value]) => !isError(value)),
  ];
  return [
    [
      ...(typeof time === "string" ? [time.slice(11, 23)] : []),
      ...(level === "info" ? [] : [String(level).toUpperCase()]),
      String(message),
      ...others.map(([name, value]) => `${name}=${shown(value)}`),
    ].join("  "),
    ...errors.flatMap(([, value]) => (isError(value) ? [indented(value.stack)] : [])),
  ].join("\n");
};
