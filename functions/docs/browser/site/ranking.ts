/** Which pages a search finds: those that have all the words, the nearest first, some of each kind. */
import type { SearchEntry, SearchKind } from "../../search-entry.js";
import { hasWords, wordsOf } from "../kit/words.js";

export interface Found {
  readonly kind: SearchKind;
  readonly entries: readonly SearchEntry[];
}

/** So many of each kind: more words find fewer. */
const shownMax = 6;

/** Names are written in one word: `InsufficientBalance` is found by "insufficient balance" as well. */
const textOf = ({ title, about, words }: SearchEntry): string =>
  `${title} ${about} ${words}`.toLowerCase();

/** Smaller is nearer: it begins with what is sought, its title has all of it, something else has. */
const distance = ({ title, words: hidden }: SearchEntry, words: readonly string[]): number => {
  const [first = ""] = words;
  const lower = title.toLowerCase();
  if (lower === words.join(" ") || hidden.toLowerCase() === words.join("")) return 0;
  if (hasWords(lower, words)) return lower.startsWith(first) ? 1 : 2;
  return 3;
};

/** The kind that has what is nearest comes first. */
export const foundIn = (entries: readonly SearchEntry[], text: string): readonly Found[] => {
  const words = wordsOf(text);
  if (words.length === 0) return [];
  const fitting = entries
    .filter((entry) => hasWords(textOf(entry), words))
    .map((entry) => ({ entry, distance: distance(entry, words) }))
    .sort((one, other) => one.distance - other.distance)
    .map(({ entry }) => entry);
  const kinds = [...new Set(fitting.map(({ kind }) => kind))];
  return kinds.map((kind) => ({
    kind,
    entries: fitting.filter((entry) => entry.kind === kind).slice(0, shownMax),
  }));
};
