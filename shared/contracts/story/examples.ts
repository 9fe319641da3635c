/** What the reference shows of each route: a call of the story and its answer, as the platform gave it. */
import { readFileSync } from "node:fs";
import { z } from "zod";
import { chapters } from "./chapters.js";
import type { RouteExample } from "./route-example.js";

const texts = z.record(z.string(), z.string());
const Chapter = z.record(
  z.string(),
  z.object({
    path: texts.optional(),
    query: texts.optional(),
    body: z.unknown().optional(),
    answer: z.unknown().optional(),
  }),
);

const read = (chapter: string): [string, RouteExample][] =>
  Object.entries(
    Chapter.parse(
      JSON.parse(readFileSync(new URL(`recorded/${chapter}.json`, import.meta.url), "utf8")),
    ),
  );

let examples: ReadonlyMap<string, RouteExample> | undefined;

/** By the route's id. Read from its files when it is first asked for: a start needs none of it. */
export const exampleOf = (routeId: string): RouteExample | undefined => {
  examples ??= new Map(chapters.flatMap(read));
  return examples.get(routeId);
};
