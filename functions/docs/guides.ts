/** GET /docs/guide, /docs/guide/{name}: the guides, rendered once per process. */
import { eventNamed } from "../../shared/contracts/events/catalogue.js";
import { getGuideRoute, listGuidesRoute } from "../../shared/contracts/platform/documentation.js";
import { fullPath } from "../../shared/http/paths.js";
import { pathReader } from "../../shared/http/text-parameters.js";
import { lazyBy } from "../../shared/platform/lazy.js";
import { openEndpoint } from "../kit/endpoint.js";
import type { Reply } from "../kit/reply.js";
import type { Services } from "../kit/services.js";
import { guidePath, readGuides, type Guide, type Places } from "./guide-files.js";
import { html, type Html } from "./html.js";
import { missingPage } from "./missing.js";
import { packedReply, type Packed } from "../kit/packed.js";
import { packPage, pageEndpoint, type PageContent } from "./pages.js";
import { pageHeaders } from "./shell.js";

const listed = ({ name, title, summary }: Guide): Html =>
  html`<li>
    <a class="card" href="${guidePath(name)}"><strong>${title}</strong><span>${summary}</span></a>
  </li>`;

const list = (guides: readonly Guide[]): PageContent => ({
  title: "Guides",
  path: "/docs/guide",
  description: "From the first call to going live.",
  body: html`<div class="sheet">
    <h1>Guides</h1>
    <p class="lead">
      From the first call to going live. Every command in them is run by the platform's own tests.
    </p>
    <ol class="cards numbered">
      ${guides.map(listed)}
    </ol>
  </div>`,
});

const turn = (guide: Guide | undefined, side: "previous" | "next"): Html | undefined =>
  guide === undefined
    ? undefined
    : html`<a
        class="${side}"
        rel="${side === "next" ? "next" : "prev"}"
        href="${guidePath(guide.name)}"
        ><small>${side === "next" ? "Next" : "Previous"}</small>${guide.title}</a
      >`;

const contents = ({ sections }: Guide): Html =>
  html`<nav class="aside" aria-label="On this page">
    <h2>On this page</h2>
    <ul>
      ${sections.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}
    </ul>
  </nav>`;

const guidePage = (
  guide: Guide,
  before: Guide | undefined,
  after: Guide | undefined,
): PageContent => ({
  title: guide.title,
  path: guidePath(guide.name),
  description: guide.summary,
  body: html`<div class="sheet with-aside">
    <article class="text guide">
      ${guide.body}
      <nav class="turn" aria-label="Guides">${turn(before, "previous")}${turn(after, "next")}</nav>
    </article>
    ${contents(guide)}
  </div>`,
});

const headers = pageHeaders();
const readName = pathReader(fullPath(getGuideRoute));

const pageOf = (guides: readonly Guide[], name: string): PageContent | undefined => {
  const place = guides.findIndex((guide) => guide.name === name);
  const guide = guides[place];
  return guide && guidePage(guide, guides[place - 1], guides[place + 1]);
};

/** Operations and APIs on their pages of the reference, events on theirs; undefined: not served here. */
const placesOf =
  ({ routes }: Services): Places =>
  (kind, name) => {
    if (kind === "event") return eventNamed(name) && `/docs/events#${name}`;
    if (kind === "api")
      return routes.some(({ api }) => api === name) ? `/docs/reference/${name}` : undefined;
    const api = routes.find(({ id }) => id === name)?.api;
    return api === undefined || api === "platform" ? undefined : `/docs/reference/${api}/${name}`;
  };

export const guidesOf = lazyBy((services: Services): Promise<readonly Guide[]> =>
  readGuides(placesOf(services)),
);

const packed = new Map<string, Packed>();

const packedGuide = async (services: Services, name: string): Promise<Packed | undefined> => {
  const known = packed.get(name);
  if (known !== undefined) return known;
  const content = pageOf(await guidesOf(services), name);
  if (content === undefined) return undefined;
  const made = await packPage(services, content);
  packed.set(name, made);
  return made;
};

export const guideEndpoints = [
  pageEndpoint(listGuidesRoute, async (services) => list(await guidesOf(services))),
  openEndpoint(getGuideRoute, async (services, request, _context, trace): Promise<Reply> => {
    const found = await packedGuide(services, readName(request.url)["name"] ?? "");
    return found === undefined
      ? missingPage(services, request, trace.requestId)
      : packedReply(request, found, headers);
  }),
] as const;
