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
    .replace(
      /(?:%(?:u00)?|\\(?:x|u00|u\{0*))([0-7][0-9a-f])\}?|\\0?([4-7][0-7]|1[0-7]{2})/gi,
      (_, hex: string | undefined, octal: string) =>
        characterOf(hex === undefined ? Number.parseInt(octal, 8) : Number.parseInt(hex, 16)),
    );

/** Look-alikes become what they look like; what nobody sees goes. */
const unmasked = (text: string): string =>
  text.normalize("NFKC").replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]|(?!\s)\p{Cc}/gu, "");

/** The name with its letters apart if they like. */
const spaced = (name: string): string => Array.from(name).join("\\s*");

/** Not the beginning of a longer name. */
const ends = "(?![\\p{L}\\p{N}_-])";

const hazards: readonly RegExp[] = [
  // What the API's document names, with white space wherever it fits, in XML with a prefix too.
  new RegExp(
    `<[\\s/\\\\]*(?:[a-z][\\w.-]*:\\s*)?(?:${spaced("script")}|${spaced("iframe")})${ends}`,
    "iu",
  ),
  new RegExp(`<\\s*\\?\\s*(?:${spaced("php")}|=)`, "i"),
  // PHP's short tag before a name, a variable, a bracket, a comment; an XML declaration is none.
  /<\?\s*(?!xml\b)[a-z_$@/\\([{#`]/i,
  /<\?\s*["'][^<?(]*\([^<?]*\?>/,
];

/** A tag may end at the next bracket, at the first ">", or at one that no quotes hold: each reading counts. */
const tagReadings = [
  /<[a-z!/][^<>]*/gi,
  /<[a-z!/][^>]*/gi,
  /<[a-z!/](?:[^>"']|"[^"]*"|'[^']*')*/gi,
];

/** The events of HTML and SVG, by the first letters of their families. */
const events =
  "abort|activat|after|animation|auxclick|before|begin|blur|cancel|canplay|change|click|close|" +
  "command|content|context|copy|cuechange|cut|dblclick|device|drag|drop|duration|emptied|end|error|" +
  "focus|form|fullscreen|gesture|gotpointer|hashchange|input|invalid|key|language|load|lostpointer|" +
  "message|mouse|offline|online|orientation|page|paste|pause|play|pointer|popstate|progress|" +
  "ratechange|readystate|rejection|repeat|reset|resize|scroll|search|security|seek|select|show|slot|" +
  "stalled|start|storage|submit|suspend|timeupdate|toggle|touch|transition|unhandled|unload|volume|" +
  "waiting|webkit|wheel";

/** What else runs or loads something, once it is an attribute of a tag; the bare tag does not. */
const tagHazards: readonly RegExp[] = [
  new RegExp(`[\\s"'/]on(?:${events})[a-z]*\\s*=`, "i"),
  new RegExp(
    `[\\s"'/][\\w:-]+\\s*=[\\s"']*(?:${spaced("javascript")}|${spaced("vbscript")})\\s*:`,
    "i",
  ),
  new RegExp(
    "^<(?:object|embed|applet|frame|base|meta|link)[\\s/].*?(?<=[\\s\"'/])" +
      "(?:data|src|code\\w*|archive|classid|href|http-equiv)\\s*=",
    "is",
  ),
  /^<style[\s>/]|^<style$/i,
];

const holdsHazardousTag = (text: string): boolean =>
  tagReadings.some((reading) =>
    (text.match(reading) ?? []).some((tag) => tagHazards.some((hazard) => hazard.test(tag))),
  );

const isHazardous = (text: string): boolean =>
  hazards.some((hazard) => hazard.test(text)) || holdsHazardousTag(text);

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
