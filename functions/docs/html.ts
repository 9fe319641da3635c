/** HTML as a value of its own: what is put into it is escaped, unless it is HTML itself. */

export interface Html {
  readonly html: string;
}

export type Part = string | number | Html | undefined | readonly (string | number | Html)[];

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export const escape = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? "");

const written = (part: Part): string => {
  if (part === undefined) return "";
  if (typeof part === "string") return escape(part);
  if (typeof part === "number") return String(part);
  return "html" in part ? part.html : part.map(written).join("");
};

export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html => ({
  html: texts.map((text, place) => text + written(parts[place])).join(""),
});

/** HTML that another part of the platform has written, as it stands. */
export const trusted = (text: string): Html => ({ html: text });
