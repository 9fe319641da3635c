/** GET /docs/search.json: guides by section, calls, events and error codes, for the search on every page. */
import { errorTable, type ErrorCode } from "../../shared/contracts/errors.js";
import { eventCatalogue } from "../../shared/contracts/events/catalogue.js";
import { getDocsSearchRoute } from "../../shared/contracts/platform/documentation.js";
import { fullPath } from "../../shared/http/paths.js";
import { lazyBy } from "../../shared/platform/lazy.js";
import { openEndpoint } from "../kit/endpoint.js";
import type { Services } from "../kit/services.js";
import { guidePath, type Guide } from "./guide-files.js";
import { guidesOf } from "./guides.js";
import { pack, packedReply, type Packed } from "../kit/packed.js";
import type { SearchEntry } from "./search-entry.js";

const ofGuide = ({ name, title, summary, sections }: Guide): readonly SearchEntry[] => [
  { kind: "Guides", title, about: summary, words: "", path: guidePath(name) },
  ...sections.map(({ id, text }): SearchEntry => ({
    kind: "Guides",
    title: text,
    about: title,
    words: "",
    path: `${guidePath(name)}#${id}`,
  })),
];

const calls = ({ routes }: Services): readonly SearchEntry[] =>
  routes
    .filter(({ api }) => api !== "platform")
    .map((route) => ({
      kind: "Calls",
      title: route.summary,
      about: `${route.method} /${fullPath(route)}`,
      words: route.id,
      path: `/docs/reference/${route.api}/${route.id}`,
    }));

const events: readonly SearchEntry[] = eventCatalogue.map(({ name, summary, payload }) => ({
  kind: "Events",
  title: name,
  about: summary,
  words: Object.keys(payload).join(" "),
  path: `/docs/events#${name}`,
}));

const errors: readonly SearchEntry[] = (Object.keys(errorTable) as ErrorCode[]).map((code) => ({
  kind: "Errors",
  title: code,
  about: errorTable[code].description,
  words: String(errorTable[code].status),
  path: `/docs/errors#${code}`,
}));

const written = lazyBy(async (services: Services): Promise<Packed> => {
  const guides = (await guidesOf(services)).flatMap(ofGuide);
  return pack(JSON.stringify([...guides, ...calls(services), ...events, ...errors]));
});

export const searchIndexEndpoint = openEndpoint(getDocsSearchRoute, async (services, request) =>
  packedReply(request, await written(services), {
    "Content-Type": "application/json",
    "Cache-Control": "no-cache",
  }),
);
