/** First and last name against the two triplets of letters that open a tax id. */

/** Letters that Unicode does not take apart into a Latin letter and a mark. */
export const latinSpellings: Readonly<Record<string, string>> = {
  ß: "SS",
  ẞ: "SS",
  Æ: "AE",
  Œ: "OE",
  Ø: "O",
  Ł: "L",
  Đ: "D",
  Ð: "D",
  Þ: "TH",
  Ħ: "H",
  ı: "I",
};

/** Upper-case letters A to Z only: accents folded; spaces, apostrophes and hyphens gone. */
export const plainLetters = (name: string): string =>
  Array.from(
    name.toUpperCase().normalize("NFD"),
    (character) => latinSpellings[character] ?? character,
  )
    .join("")
    .replace(/[^A-Z]/g, "");

const consonantsOf = (letters: string): string => letters.replace(/[AEIOU]/g, "");
const vowelsOf = (letters: string): string => letters.replace(/[^AEIOU]/g, "");

/** Three letters of a last name: consonants, then vowels, then X. */
export const lastNameTriplet = (lastName: string): string => {
  const letters = plainLetters(lastName);
  return `${consonantsOf(letters)}${vowelsOf(letters)}XXX`.slice(0, 3);
};

/** As for a last name, but of four or more consonants the second is left out. */
export const firstNameTriplet = (firstName: string): string => {
  const consonants = consonantsOf(plainLetters(firstName));
  return consonants.length > 3
    ? `${consonants.slice(0, 1)}${consonants.slice(2, 4)}`
    : lastNameTriplet(firstName);
};

/** Which of the two names does not lead to the tax id; undefined when both do. */
export const namesFault = (
  taxId: string,
  firstName: string,
  lastName: string,
): "firstName" | "lastName" | undefined => {
  if (lastNameTriplet(lastName) !== taxId.slice(0, 3)) return "lastName";
  return firstNameTriplet(firstName) === taxId.slice(3, 6) ? undefined : "firstName";
};
