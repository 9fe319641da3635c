/** A document about the platform that is written once per process, and not sent again to who has it. */
import { createHash } from "node:crypto";
import type { Route } from "../../shared/contracts/route.js";
import type { Json } from "../../shared/http/json-schemas.js";
import { openEndpoint, type Endpoint } from "../kit/endpoint.js";
import type { Reply } from "../kit/reply.js";
import type { Services } from "../kit/services.js";

interface WrittenDocument {
  readonly text: string;
  readonly etag: string;
}

const write = (document: Json): WrittenDocument => {
  const text = JSON.stringify(document);
  return { text, etag: `"${createHash("sha256").update(text).digest("base64url")}"` };
};

export const documentEndpoint = (
  route: Route,
  documentOf: (services: Services) => Json,
): Endpoint => {
  let written: WrittenDocument | undefined;
  return openEndpoint(route, async (services, request): Promise<Reply> => {
    written ??= write(documentOf(services));
    const headers = { ETag: written.etag, "Cache-Control": "no-cache" };
    if (request.headers.get("if-none-match") === written.etag) return { status: 304, headers };
    return {
      status: 200,
      headers: { ...headers, "Content-Type": "application/json" },
      body: written.text,
    };
  });
};
