/** A guide's blocks of code, in the order in which its reader meets them. */
import { Marked, type Tokens } from "marked";

export type Block =
  | {
      readonly kind: "run";
      readonly code: string;
      /** In the terminal in which the platform runs, instead of the reader's. */
      readonly isPlatform: boolean;
      /** What it prints, as the guide shows it. */
      readonly prints?: string;
    }
  | { readonly kind: "file"; readonly name: string; readonly code: string };

export interface Step {
  /** The heading under which it stands. */
  readonly section: string;
  readonly block: Block;
}

const withOutput = (steps: Step[], prints: string): void => {
  const last = steps.at(-1);
  if (last?.block.kind !== "run" || last.block.prints !== undefined) return;
  steps[steps.length - 1] = { ...last, block: { ...last.block, prints } };
};

const blockOf = ({ lang = "", text }: Tokens.Code): Block | undefined => {
  const [language] = lang.split(/\s/);
  const name = /\btitle="([^"/]+)"/.exec(lang)?.[1];
  if (language === "js" && name !== undefined) return { kind: "file", name, code: `${text}\n` };
  if (language !== "sh") return undefined;
  return { kind: "run", code: text, isPlatform: /\bplatform\b/.test(lang) };
};

/** The steps of a guide's Markdown (the rules stand in docs/guide/README.md). */
export const stepsOf = (markdown: string): readonly Step[] => {
  const parser = new Marked();
  const steps: Step[] = [];
  let section = "";
  void parser.walkTokens(parser.lexer(markdown), (token) => {
    if (token.type === "heading") section = (token as Tokens.Heading).text;
    if (token.type !== "code") return;
    const code = token as Tokens.Code;
    const block = blockOf(code);
    if (block !== undefined) steps.push({ section, block });
    else if (/^json\b/.test(code.lang ?? "")) withOutput(steps, code.text);
  });
  return steps;
};
