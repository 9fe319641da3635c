/** The review of a page as an expression for the page: its types are a browser's, so that it is translated here. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { transform } from "esbuild";

const source = join(import.meta.dirname, "in-page/reviewing.ts");

const translate = async (): Promise<string> => {
  const options = { loader: "ts", format: "iife", globalName: "reviewing" } as const;
  const { code } = await transform(await readFile(source, "utf8"), options);
  return `${code}; reviewing.review()`;
};

let script: Promise<string> | undefined;

export const reviewScript = (): Promise<string> => (script ??= translate());
