/** The characters that every bank of the area takes (EPC 217-08), and how others are written with them. */

/** Letters that no decomposition takes to the Latin alphabet, and signs that have a near equal. */
const equals: Readonly<Record<string, string>> = {
  ...{ ß: "ss", ẞ: "SS", æ: "ae", Æ: "AE", œ: "oe", Œ: "OE", ø: "o", Ø: "O", đ: "d", Đ: "D" },
  ...{ ð: "d", Ð: "D", þ: "th", Þ: "TH", ł: "l", Ł: "L", ħ: "h", Ħ: "H", ı: "i", ŋ: "n", Ŋ: "N" },
  ...{ "€": "E", "&": "+", "@": "(at)", _: "-", "–": "-", "—": "-", "‘": "'", "’": "'", "`": "'" },
  ...{
    '"': "'",
    "“": "'",
    "”": "'",
    "«": "'",
    "»": "'",
    ";": ",",
    "\t": " ",
    "\n": " ",
    "\r": " ",
  },
};

const allowed = /[A-Za-z0-9/\-?:().,'+ ]/;
const mark = /\p{M}/u;

const written = (character: string): string => {
  const near = equals[character];
  if (near !== undefined) return near;
  if (allowed.test(character)) return character;
  const base = Array.from(character.normalize("NFKD")).filter((part) => !mark.test(part));
  return base.map((part) => equals[part] ?? (allowed.test(part) ? part : ".")).join("");
};

/**
 * A text in the area's characters, at most so many of them: accents go, what has no equal becomes a full
 * stop, a slash neither begins nor ends it nor follows another (slashes mark codes between banks).
 */
export const sepaText = (text: string, charactersMax: number): string =>
  Array.from(text, written)
    .join("")
    .replaceAll(/ +/g, " ")
    .replaceAll(/\/+/g, "/")
    .trim()
    .slice(0, charactersMax)
    .replaceAll(/^[/ ]+|[/ ]+$/g, "");

/** Whether anything of a name is left in those characters. */
export const isLegible = (text: string): boolean => /[A-Za-z0-9]/.test(text);

/** What identifies something between banks: at most 35 characters, no slash at an end, none doubled. */
export const isSepaIdentifier = (text: string): boolean =>
  /^[A-Za-z0-9/\-?:().,'+ ]{1,35}$/.test(text) && !/^[/ ]|[/ ]$|\/\//.test(text);
