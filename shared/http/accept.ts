/** Which of the media types that a route offers a caller prefers, by its Accept header (RFC 9110, 12.5.1). */

interface Range {
  readonly type: string;
  readonly quality: number;
}

const qualityOf = (parameters: readonly string[]): number => {
  const given = parameters.map((text) => /^\s*q\s*=\s*(\d(?:\.\d{1,3})?)\s*$/i.exec(text)?.[1]);
  const quality = given.find((text) => text !== undefined);
  return quality === undefined ? 1 : Number(quality);
};

const rangesOf = (accept: string): Range[] =>
  accept.split(",").map((part) => {
    const [type = "", ...parameters] = part.split(";");
    return { type: type.trim().toLowerCase(), quality: qualityOf(parameters) };
  });

/** The most exact range that fits decides: `text/csv` before `text/*` before `*` + `/*`. */
const preferenceOf = (mediaType: string, ranges: readonly Range[]): number => {
  const [kind = ""] = mediaType.split("/");
  for (const exact of [mediaType, `${kind}/*`, "*/*"]) {
    const found = ranges.find(({ type }) => type === exact);
    if (found !== undefined) return found.quality;
  }
  return 0;
};

/** The first of equals; the first of all where nothing that is offered is asked for. */
export const preferredType = (accept: string | null, offered: readonly [string, ...string[]]) => {
  if (accept === null) return offered[0];
  const ranges = rangesOf(accept);
  const [first, ...others] = offered;
  return others.reduce(
    (best, next) => (preferenceOf(next, ranges) > preferenceOf(best, ranges) ? next : best),
    first,
  );
};
