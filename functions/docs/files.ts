/** GET /docs/{file}: scripts, styles and pictures of the documentation site, from one list. */
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { getDocsFileRoute } from "../../shared/contracts/platform/documentation.js";
import { fullPath } from "../../shared/http/paths.js";
import { pathReader } from "../../shared/http/text-parameters.js";
import { lazyBy } from "../../shared/platform/lazy.js";
import { openEndpoint } from "../kit/endpoint.js";
import type { Reply } from "../kit/reply.js";
import { missingPage } from "./missing.js";
import { pack, packedReply, type Packed } from "../kit/packed.js";

/** Styles as they are written, scripts as the build makes them of browser/. */
const own = (name: string): URL => new URL(`./assets/${name}`, import.meta.url);

/** What pages of the site ask for, and no other file of the app. */
const names: ReadonlySet<string> = new Set([
  ...["mark.svg", "site.css", "reference.css", "events.css"],
  ...["theme.js", "site.js", "home.js", "find.js", "try.js", "events.js"],
]);

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

const packedFile = lazyBy(async (name: string): Promise<Packed> => pack(await readFile(own(name))));

const readFileName = pathReader(fullPath(getDocsFileRoute));

export const docsFileEndpoint = openEndpoint(
  getDocsFileRoute,
  async (services, request, _context, trace): Promise<Reply> => {
    const name = readFileName(request.url)["file"] ?? "";
    if (!names.has(name)) return missingPage(services, request, trace.requestId);
    return packedReply(request, await packedFile(name), {
      "Content-Type": types[extname(name)] ?? "application/octet-stream",
      "Cache-Control": "no-cache",
    });
  },
);
