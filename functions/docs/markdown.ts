/** Markdown as HTML of the site: CommonMark and tables by a library, with anchors and our blocks of code. */
import { Marked, type RendererObject, type Token, type Tokens } from "marked";
import { codeBlock } from "./code.js";
import { escape, html, trusted, type Html } from "./html.js";

export interface Heading {
  readonly id: string;
  readonly text: string;
  readonly depth: number;
}

export interface Rendered {
  readonly body: Html;
  readonly headings: readonly Heading[];
}

export interface MarkdownOptions {
  /** Where a link leads on the site; undefined: nowhere, and its text stands alone. */
  readonly linkOf?: (target: string) => string | undefined;
}

/** As GitHub names the headings of a file, so that links within it hold in both places. */
const idOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");

/** Without its marks. */
const textOf = (tokens: readonly Token[]): string =>
  tokens
    .map((token) => {
      if ("tokens" in token) return textOf(token.tokens ?? []);
      return "text" in token ? String(token.text) : token.raw;
    })
    .join("");

const titleIn = (info: string): string | undefined => /\btitle="([^"]*)"/.exec(info)?.[1];

const rendererOf = (
  headings: Heading[],
  linkOf: NonNullable<MarkdownOptions["linkOf"]>,
): RendererObject => ({
  heading({ tokens, depth }: Tokens.Heading) {
    const text = textOf(tokens);
    const wanted = idOf(text);
    const same = headings.filter(({ id }) => id.replace(/-\d+$/, "") === wanted).length;
    const id = same === 0 ? wanted : `${wanted}-${same}`;
    headings.push({ id, text, depth });
    const inside = this.parser.parseInline(tokens);
    if (depth === 1) return `<h1>${inside}</h1>\n`;
    const anchor = html`<a class="anchor" href="#${id}" aria-label="Link to ${text}">#</a>`.html;
    return `<h${depth} id="${id}">${inside}${anchor}</h${depth}>\n`;
  },
  code({ text, lang = "" }: Tokens.Code) {
    const [language = "text"] = lang.split(/\s/);
    return codeBlock({ code: text, language: language || "text", title: titleIn(lang) }).html;
  },
  link({ href, tokens }: Tokens.Link) {
    const inside = this.parser.parseInline(tokens);
    const target = linkOf(href);
    return target === undefined ? inside : `<a href="${escape(target)}">${inside}</a>`;
  },
  html: ({ text }: Tokens.HTML | Tokens.Tag) => escape(text),
});

/** Tables scroll by themselves where the page is narrow. */
const framed = (text: string): string =>
  text
    .replaceAll("<table>", '<div class="table" tabindex="0"><table>')
    .replaceAll("</table>", "</table></div>");

export const renderMarkdown = (text: string, { linkOf }: MarkdownOptions = {}): Rendered => {
  const headings: Heading[] = [];
  const parser = new Marked({ async: false, gfm: true });
  parser.use({ renderer: rendererOf(headings, linkOf ?? ((target) => target)) });
  const written = parser.parse(text, { async: false });
  return { body: trusted(framed(written)), headings };
};
