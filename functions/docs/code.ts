/** A block of code as the site shows it: coloured by a library, with room for a button that copies it. */
import bash from "@speed-highlight/core/languages/bash.js";
import http from "@speed-highlight/core/languages/http.js";
import js from "@speed-highlight/core/languages/js.js";
import json from "@speed-highlight/core/languages/json.js";
import { tokenizeWith, type ShjGrammar } from "@speed-highlight/core/tokenize";
import { html, type Html } from "./html.js";

/** The library declares its languages without `exactOptionalPropertyTypes`, and else as it declares a grammar. */
const grammars = { sh: bash, json, js, http } as Readonly<Record<string, ShjGrammar>>;

/** A command within `$( )` is coloured as a command, not as one variable over many lines. */
const commands: ShjGrammar = [
  { type: "var", match: /\$\w+|\$\{[^}]*\}/g },
  { type: "oper", match: /\$\(/g },
];

const languages: Readonly<Record<string, ShjGrammar>> = {
  ...grammars,
  sh: [...commands, ...(grammars["sh"] ?? [])],
};

const coloured = (text: string, language: string): Html[] => {
  const grammar = languages[language];
  if (grammar === undefined) return [html`${text}`];
  const parts: Html[] = [];
  const add = (part: string, type?: string): void =>
    void parts.push(
      type === undefined ? html`${part}` : html`<span class="c-${type}">${part}</span>`,
    );
  tokenizeWith(text, grammar, add, { languages });
  return parts;
};

export interface Code {
  readonly code: string;
  /** `sh`, `json`, `js` or `http` are coloured, all others stand as they are. */
  readonly language: string;
  /** Above the block: a file's name, or what the block is. */
  readonly title?: string | undefined;
}

export const codeBlock = ({ code, language, title }: Code): Html => {
  const caption = title === undefined ? undefined : html`<figcaption>${title}</figcaption>`;
  // What is only shown to be read, is not there to be copied.
  const copied = language === "text" ? undefined : html` data-copy`;
  return html`<figure class="block">
    ${caption}
    <pre tabindex="0" ${copied}><code>${coloured(code, language)}</code></pre>
  </figure>`;
};
