/** What the pages' searches share: a text is found by all of the words, and "/" leads to the box. */
import { maybe } from "./elements.js";

export const wordsOf = (text: string): readonly string[] =>
  text.toLowerCase().split(/\s+/).filter(Boolean);

export const hasWords = (text: string, words: readonly string[]): boolean =>
  words.every((word) => text.includes(word));

export const focusOnSlash = (): void => {
  document.addEventListener("keydown", (event) => {
    const isWriting =
      event.target instanceof Element && event.target.matches("input, textarea, select");
    if (event.key !== "/" || isWriting) return;
    const input = maybe(document, "input.find", HTMLInputElement);
    if (input === undefined) return;
    event.preventDefault();
    input.focus();
  });
};
