/** The beginning of a text, never ending in half of a character. */
export const cutText = (text: string, unitsMax: number): string =>
  text.slice(0, unitsMax).replace(/[\ud800-\udbff]$/, "");
