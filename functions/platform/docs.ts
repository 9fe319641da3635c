/** GET /docs: the documentation page, Swagger UI served from the app itself. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { getDocsFileRoute, getDocsRoute } from "../../shared/contracts/platform/documentation.js";
import { errorReply } from "../../shared/http/error-body.js";
import { fullPath } from "../../shared/http/paths.js";
import { pathReader } from "../../shared/http/text-parameters.js";
import { openEndpoint } from "../kit/endpoint.js";
import type { Reply } from "../kit/reply.js";

/** Only our own scripts run; Swagger UI needs inline styles and pictures in data addresses. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Borsello API</title>
    <link rel="icon" type="image/png" href="/docs/favicon-32x32.png" />
    <link rel="stylesheet" href="/docs/swagger-ui.css" />
    <script src="/docs/swagger-ui-bundle.js" defer></script>
    <script src="/docs/swagger-ui-standalone-preset.js" defer></script>
    <script src="/docs/start.js" defer></script>
  </head>
  <body>
    <div id="docs"></div>
    <noscript>
      This page needs scripts. The documents themselves: /openapi/wallet.json,
      /openapi/card.json, /openapi/ticketing.json; of the events, /asyncapi.json.
    </noscript>
  </body>
</html>
`;

const startScript = `SwaggerUIBundle({
  dom_id: "#docs",
  urls: [
    { name: "Wallet Platform API", url: "/openapi/wallet.json" },
    { name: "Card Platform API", url: "/openapi/card.json" },
    { name: "Partner Ticketing API", url: "/openapi/ticketing.json" },
  ],
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  layout: "StandaloneLayout",
  deepLinking: true,
  displayRequestDuration: true,
  filter: true,
  persistAuthorization: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;

const script = "text/javascript; charset=utf-8";

/** The files that the page asks for, and no other of the package. */
const fileTypes: ReadonlyMap<string, string> = new Map([
  ["swagger-ui.css", "text/css; charset=utf-8"],
  ["swagger-ui-bundle.js", script],
  ["swagger-ui-standalone-preset.js", script],
  ["favicon-32x32.png", "image/png"],
  ["start.js", script],
]);

interface PackedFile {
  readonly bytes: Uint8Array;
  readonly gzipped: Uint8Array;
  readonly etag: string;
}

const compress = promisify(gzip);
const { resolve } = createRequire(import.meta.url);

const pack = async (name: string): Promise<PackedFile> => {
  const bytes =
    name === "start.js"
      ? Buffer.from(startScript)
      : await readFile(resolve(`swagger-ui-dist/${name}`));
  const etag = `"${createHash("sha256").update(bytes).digest("base64url")}"`;
  return { bytes, gzipped: await compress(bytes), etag };
};

const packed = new Map<string, Promise<PackedFile>>();

const packedFile = (name: string): Promise<PackedFile> => {
  const known = packed.get(name) ?? pack(name);
  packed.set(name, known);
  return known;
};

const docs = openEndpoint(getDocsRoute, async (): Promise<Reply> => ({
  status: 200,
  headers: {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-cache",
    "Content-Security-Policy": contentSecurityPolicy,
    "Referrer-Policy": "no-referrer",
  },
  body: page,
}));

const readFileName = pathReader(fullPath(getDocsFileRoute));

const docsFile = openEndpoint(getDocsFileRoute, async (...[, request, , trace]): Promise<Reply> => {
  const name = readFileName(request.url)["file"] ?? "";
  const type = fileTypes.get(name);
  if (type === undefined) return errorReply("platform", { code: "RouteNotFound" }, trace.requestId);
  const { bytes, gzipped, etag } = await packedFile(name);
  const headers = {
    ETag: etag,
    "Cache-Control": "public, max-age=3600",
    Vary: "Accept-Encoding",
  };
  if (request.headers.get("if-none-match") === etag) return { status: 304, headers };
  const zipped = (request.headers.get("accept-encoding") ?? "").includes("gzip");
  return {
    status: 200,
    headers: {
      ...headers,
      "Content-Type": type,
      ...(zipped ? { "Content-Encoding": "gzip" } : {}),
    },
    body: zipped ? gzipped : bytes,
  };
});

export const docsEndpoints = [docs, docsFile] as const;
