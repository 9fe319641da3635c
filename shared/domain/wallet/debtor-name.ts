/** Whether the name on an account, as a bank writes it, is the wallet holder's (contract 0.5, "Whose name"). */
import { latinSpellings } from "./names.js";

export interface HolderName {
  readonly firstName: string;
  readonly lastName: string;
}

/** Marks that belong to their word: typewriters and banks spell them in several ways, or leave them out. */
const apostrophes = /['’‘ʼ`´′]/gu;
/** What parts words: spaces, hyphens, and all else that is no letter, mark or digit. */
const separators = /[^\p{L}\p{M}\p{N}]+/u;

/** How passports write letters that have no place in A to Z (ICAO 9303, part 3), where that is another way. */
const passportSpellings: Readonly<Record<string, string>> = {
  Ä: "AE",
  Å: "AA",
  Ö: "OE",
  Ø: "OE",
  Ü: "UE",
};

type Spelling = Readonly<Record<string, string>>;

/** Letters of other alphabets stay what they are, so that they never pass for Latin ones. */
const spelled = (composed: string, spelling: Spelling): string =>
  Array.from(composed, (letter) => spelling[letter] ?? letter)
    .join("")
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toUpperCase();

const wordsBy = (composed: string, spelling: Spelling): readonly string[] =>
  composed
    .split(separators)
    .map((word) => spelled(word, spelling))
    .filter((word) => word !== "");

/** The words of a name in each of the ways in which they may be spelled. */
const spellings = (name: string): readonly (readonly string[])[] => {
  const composed = name.normalize("NFC").toUpperCase().normalize("NFC").replace(apostrophes, "");
  const plain = wordsBy(composed, latinSpellings);
  const passport = wordsBy(composed, { ...latinSpellings, ...passportSpellings });
  return plain.join() === passport.join() ? [plain] : [plain, passport];
};

/** Neighbouring words, from the first to before the last. */
interface Run {
  readonly from: number;
  readonly to: number;
}

/** Where the words, written together, are this very text. A row of initials is nobody's name. */
const runsOf = (text: string, words: readonly string[]): readonly Run[] =>
  words.flatMap((_, from): Run[] => {
    let together = "";
    for (const [further, word] of words.slice(from).entries()) {
      together += word;
      const isInitials = further > 0 && together.length === further + 1;
      if (together === text) return isInitials ? [] : [{ from, to: from + further + 1 }];
      if (together.length > text.length) break;
    }
    return [];
  });

/** Both names, each with words of its own. */
const holdsBoth = (words: readonly string[], first: string, last: string): boolean => {
  const firsts = runsOf(first, words);
  const lasts = runsOf(last, words);
  const [one, other] = [firsts[0], lasts[0]];
  if (one === undefined || other === undefined) return false;
  const latest = (runs: readonly Run[]): number => runs.at(-1)?.from ?? 0;
  return one.to <= latest(lasts) || other.to <= latest(firsts);
};

/** One letter is found in many a name: beside it nothing else may stand. */
const isWhole = (words: readonly string[], first: string, last: string): boolean =>
  (first.length > 1 && last.length > 1) || words.join("").length === first.length + last.length;

const inOneWord = (name: string): readonly string[] => [
  ...new Set(spellings(name).map((words) => words.join(""))),
];

/**
 * First and last name are both in it, each as a word or as neighbouring words written together or
 * apart, in any order, whatever else it holds: second names, titles, a joint holder.
 */
export const debtorNameFits = (debtorName: string, { firstName, lastName }: HolderName): boolean =>
  spellings(debtorName).some((words) =>
    inOneWord(firstName).some((first) =>
      inOneWord(lastName).some(
        (last) => isWhole(words, first, last) && holdsBoth(words, first, last),
      ),
    ),
  );
