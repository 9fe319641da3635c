/** Pages of a list over HTTP: how many, from where on, and whether there is more. */
import { z } from "zod";

const pageMax = 100;
const continuation = "x-ms-continuation-token";

/** The last id of a page, so that the next one goes on behind it, whatever happened meanwhile. */
const Token = z.object({ after: z.string() });

const encodeToken = (after: string): string =>
  Buffer.from(JSON.stringify({ after })).toString("base64");

const decodeToken = (token: string): string | undefined => {
  try {
    const text = Buffer.from(token, "base64").toString("utf8");
    return Token.parse(JSON.parse(text)).after;
  } catch {
    return undefined;
  }
};

export const dateOf = (text: string | null): Date | undefined => {
  const date = new Date(text ?? "");
  return Number.isNaN(date.getTime()) ? undefined : date;
};

export interface AskedPage {
  /** The last id of the page before. */
  readonly after: string;
  readonly limit: number;
}

/** Undefined where the token is none that was given out here. */
export const askedPage = (
  query: URLSearchParams,
  headers: Readonly<Record<string, string>>,
): AskedPage | undefined => {
  const token = headers[continuation];
  const after = token === undefined || token === "" ? "" : decodeToken(token);
  if (after === undefined) return undefined;
  const top = query.get("top") ?? "";
  return { after, limit: Math.min(/^\d+$/u.test(top) ? Number(top) : pageMax, pageMax) };
};

/** `rows` holds one more than the page, where there is one more. */
export const cutPage = <Row extends { readonly id: string }>(
  rows: readonly Row[],
  { after, limit }: AskedPage,
): { readonly page: readonly Row[]; readonly more: Record<string, string> } => {
  const page = rows.slice(0, limit);
  const more: Record<string, string> =
    rows.length > limit ? { [continuation]: encodeToken(page.at(-1)?.id ?? after) } : {};
  return { page, more };
};
