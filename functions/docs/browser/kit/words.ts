/** What the pages' searches share: a text is found where all of the words are in it. */

export const wordsOf = (text: string): readonly string[] =>
  text.toLowerCase().split(/\s+/).filter(Boolean);

export const hasWords = (text: string, words: readonly string[]): boolean =>
  words.every((word) => text.includes(word));
