/** The descriptions of documents, which are Markdown. */
import type { Html } from "../html.js";
import { renderMarkdown } from "../markdown.js";

export const prose = (markdown: string): Html => renderMarkdown(markdown).body;
