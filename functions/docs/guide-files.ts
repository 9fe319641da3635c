/** The guides as they are read from docs/guide: names, titles, texts, and where their links lead. */
import { readFile, readdir } from "node:fs/promises";
import type { Html } from "./html.js";
import { renderMarkdown, type Heading } from "./markdown.js";

export interface Guide {
  /** `getting-started`, of the file `01-getting-started.md`. */
  readonly name: string;
  readonly title: string;
  /** The first sentence: what its reader will have at the end. */
  readonly summary: string;
  readonly body: Html;
  readonly sections: readonly Heading[];
}

/** Beside the built app, and in a checkout, they lie at the same place. */
const folder = new URL("../../docs/guide/", import.meta.url);
const fileName = /^(?:\.\/)?\d\d-([a-z0-9-]+)\.md$/;

export const guidePath = (name: string): string => `/docs/guide/${name}`;

/** Operations, events and APIs by name. */
export type Places = (kind: "reference" | "event" | "api", name: string) => string | undefined;

const guideLink =
  (places: Places) =>
  (target: string): string | undefined => {
    const [path = "", fragment] = target.split("#");
    const hash = fragment === undefined ? "" : `#${fragment}`;
    const [, guide] = fileName.exec(path) ?? [];
    if (guide !== undefined) return guidePath(guide) + hash;
    const [, kind, name = ""] = /^(reference|event):(\w+)$/.exec(target) ?? [];
    if (kind === "reference" || kind === "event") return places(kind, name);
    const [, api] = /^\/docs\/reference\/(\w+)/.exec(target) ?? [];
    if (api !== undefined && places("api", api) === undefined) return undefined;
    return /^(?:#|\/|https:)/.test(target) ? target : undefined;
  };

/** Of the first paragraph, without its marks. */
const firstSentence = (text: string): string => {
  const [paragraph = ""] = text.replace(/^# .*\n+/, "").split(/\n\s*\n/);
  const plain = paragraph
    .replace(/\s+/g, " ")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[`*_]/g, "");
  return /^.*?[.!?](?= |$)/.exec(plain)?.[0] ?? plain;
};

const readGuide = async (file: string, places: Places): Promise<Guide> => {
  const text = await readFile(new URL(file, folder), "utf8");
  const { body, headings } = renderMarkdown(text, { linkOf: guideLink(places) });
  return {
    name: fileName.exec(file)?.[1] ?? file,
    title: headings[0]?.text ?? file,
    summary: firstSentence(text),
    body,
    sections: headings.filter(({ depth }) => depth === 2),
  };
};

/** In the order of their numbers. */
export const readGuides = async (places: Places): Promise<readonly Guide[]> => {
  const files = (await readdir(folder)).filter((file) => fileName.test(file)).sort();
  return Promise.all(files.map((file) => readGuide(file, places)));
};
