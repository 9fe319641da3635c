/** Finds scripts, frames and PHP in a text, however they are spelt; other use of < and > is harmless. */
import { isAnyInTag } from "./html-tags.js";

/** More than anybody's text needs: whoever wraps it deeper means harm. */
const roundsMax = 5;

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

/**
 * Marks go first: one that joins a letter or a sign would hide it from the patterns, and a run of
 * them takes the square of its length to be put in order.
 */
const unseen = /[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]|(?!\s)\p{Cc}/gu;

/** Nothing that is no ASCII is looked for, so a run of it counts as one character. */
const foreign = /[^\p{ASCII}\s]+/gu;

/** Look-alikes become what they look like; what nobody sees goes. */
const unmasked = (text: string): string =>
  text.replace(unseen, "").normalize("NFKC").replace(foreign, "·");

const characterOf = (code: number): string =>
  code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? unmasked(String.fromCodePoint(code)) : "";

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

/** The name with its letters apart if they like. */
const spaced = (name: string): string => Array.from(name).join("\\s*");

/** Not the beginning of a longer name. */
const ends = "(?![\\w-])";

const hazards: readonly RegExp[] = [
  // What the API's document names, with white space wherever it fits, in XML with a prefix too.
  new RegExp(
    `<[\\s/\\\\]*(?:[a-z][\\w.-]*:\\s*)?(?:${spaced("script")}|${spaced("iframe")})${ends}`,
    "i",
  ),
  // PHP by its name, or before what it prints.
  new RegExp(`<\\s*\\?\\s*(?:${spaced("php")}|=)`, "i"),
  // PHP's short tag before a name, a variable, a bracket, a comment; an XML declaration is none.
  /<\?\s*(?:(?!xml\b)[a-z_$@/\\([{#`]|["'][^<?(]*\([^<?]*\?>)/i,
  /<style(?:[\s>/]|$)/i,
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

interface TagHazard {
  readonly start: RegExp;
  readonly attribute: RegExp;
}

const anyTag = /<[a-z!/]/gi;

/** What else runs or loads something, once it is an attribute of a tag; the bare tag does not. */
const tagHazards: readonly TagHazard[] = [
  { start: anyTag, attribute: new RegExp(`[\\s"'/]on(?:${events})[a-z]*\\s*=`, "gi") },
  {
    start: anyTag,
    attribute: new RegExp(
      `[\\s"'/][\\w:-]+\\s*=[\\s"'=]*(?:${spaced("javascript")}|${spaced("vbscript")})\\s*:`,
      "gi",
    ),
  },
  {
    start: /<(?:object|embed|applet|frame|base|meta|link)[\s/]/gi,
    attribute: /[\s"'/](?:data|src|code\w*|archive|classid|href|http-equiv)\s*=/gi,
  },
];

const placesOf = (text: string, pattern: RegExp): number[] =>
  Array.from(text.matchAll(pattern), ({ index }) => index);

const holdsHazardousTag = (text: string): boolean =>
  tagHazards.some(({ start, attribute }) => {
    const places = placesOf(text, attribute);
    return places.length > 0 && isAnyInTag(text, placesOf(text, start), places);
  });

const isHazardous = (text: string): boolean =>
  text.includes("<") &&
  (hazards.some((hazard) => hazard.test(text)) || (text.includes("=") && holdsHazardousTag(text)));

/** Every tag without the tags inside it, then what is left of the text without its tags. */
const unnested = (text: string): string => {
  const open = [""];
  const closed: string[] = [];
  for (const part of text.split(/(?=[<>])/)) {
    const isClosing = part.startsWith(">") && open.length > 1;
    if (isClosing) closed.push(`${open.pop() ?? ""}>`);
    if (part.startsWith("<")) open.push(part);
    else open.push(`${open.pop() ?? ""}${isClosing ? part.slice(1) : part}`);
  }
  return [...closed, open.join("")].join("\n");
};

/**
 * Whether a browser, PHP or a careless reader of the text could run or load something. Takes a time
 * that grows no faster than the text: bound its length before.
 */
export const isUnsafeHtml = (text: string): boolean => {
  // The text as it is comes first: a browser takes what is unmasked below for what it is, too.
  if (isHazardous(text)) return true;
  let form = unmasked(text);
  for (let round = 0; round < roundsMax; round += 1) {
    if (isHazardous(form)) return true;
    const next = decodedOnce(form);
    if (next === form) return isHazardous(unnested(form));
    form = next;
  }
  return true;
};
