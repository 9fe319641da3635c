/** Finds scripts, frames and PHP in a text, however they are spelt; other use of < and > is harmless. */

/** More than anybody's text needs: whoever wraps it deeper means harm. */
const roundsMax = 8;

const named: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  amp: "&",
  quot: '"',
  apos: "'",
  colon: ":",
  sol: "/",
  quest: "?",
  equals: "=",
  tab: " ",
  newline: " ",
  nbsp: " ",
  shy: "",
  zwnj: "",
  zwj: "",
};

const characterOf = (code: number): string =>
  code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : "";

/** HTML's entities, with or without their semicolon, and the escapes of addresses and scripts. */
const decodedOnce = (text: string): string =>
  text
    .replace(/&#x0*([0-9a-f]{1,6});?/gi, (_, hex: string) => characterOf(Number.parseInt(hex, 16)))
    .replace(/&#0*(\d{1,7});?/g, (_, digits: string) => characterOf(Number(digits)))
    .replace(
      /&(lt|gt|amp|quot|apos|colon|sol|quest|equals|tab|newline|nbsp|shy|zwnj|zwj);?/gi,
      (entity, name: string) => named[name.toLowerCase()] ?? entity,
    )
    .replace(/%([2-7][0-9a-f])|\\(?:x|u00|u\{0*)([2-7][0-9a-f])\}?/gi, (_, ...hex: unknown[]) =>
      characterOf(Number.parseInt(String(hex[0] ?? hex[1]), 16)),
    );

/** Look-alikes become what they look like; what nobody sees goes. */
const unmasked = (text: string): string =>
  text.normalize("NFKC").replace(/\p{Cf}|(?!\s)\p{Cc}/gu, "");

/** The name with its letters apart if they like, not as the beginning of a longer name. */
const spaced = (name: string): string => `${Array.from(name).join("\\s*")}(?![\\p{L}\\p{N}_-])`;

/** A tag up to one of its attributes, over quoted values that hold a ">". */
const tagUpTo = `<[a-z!/](?:[^<>"']|"[^"<]*"|'[^'<]*')*?(?<=[\\s"'/])`;

const hazards: readonly RegExp[] = [
  // What the API's document names, with white space wherever it fits.
  new RegExp(`<[\\s/\\\\]*(?:${spaced("script")}|${spaced("iframe")})`, "iu"),
  /<\s*\?\s*(?:p\s*h\s*p|=)/i,
  // PHP's short tag; an XML declaration is none.
  /<\?\s*(?!xml\b)[a-z_$@/]/i,
  // What else runs or loads things, where it really is a tag.
  /<\/?(?:object|embed|applet|frame|frameset|base|meta|link|style)(?![\w-])/i,
  new RegExp(`${tagUpTo}on[a-z]{3,}\\s*=`, "i"),
  new RegExp(`${tagUpTo}[a-z]+\\s*=[\\s"']*(?:java|vb)\\s*s\\s*c\\s*r\\s*i\\s*p\\s*t\\s*:`, "i"),
];

const isHazardous = (text: string): boolean => hazards.some((hazard) => hazard.test(text));

/** Whether a tag appears once the tags inside it are taken out. */
const hidesInTags = (text: string): boolean => {
  let left = text;
  for (let round = 0; round < roundsMax; round += 1) {
    const less = left.replace(/<[^<>]*>/g, "");
    if (less === left) return false;
    if (isHazardous(less)) return true;
    left = less;
  }
  return false;
};

export const isUnsafeHtml = (text: string): boolean => {
  let form = unmasked(text);
  for (let round = 0; round < roundsMax; round += 1) {
    if (isHazardous(form)) return true;
    const next = unmasked(decodedOnce(form));
    if (next === form) return hidesInTags(form);
    form = next;
  }
  return true;
};
