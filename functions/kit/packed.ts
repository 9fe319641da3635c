/** Bytes that are served again and again: compressed once, and not sent again to who has them. */
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { HttpRequest } from "@azure/functions";
import type { Reply } from "./reply.js";

export interface Packed {
  readonly bytes: Uint8Array;
  readonly gzipped: Uint8Array;
  readonly etag: string;
}

const compress = promisify(gzip);

export const pack = async (content: Uint8Array | string): Promise<Packed> => {
  const bytes = Buffer.from(content);
  const etag = `"${createHash("sha256").update(bytes).digest("base64url")}"`;
  return { bytes, gzipped: await compress(bytes), etag };
};

/** The answer with these headers, or 304 to a caller who has these bytes. */
export const packedReply = (
  { headers: asked }: HttpRequest,
  { bytes, gzipped, etag }: Packed,
  {
    "Content-Type": type = "application/octet-stream",
    ...others
  }: Readonly<Record<string, string>>,
): Reply => {
  const kept = { ...others, ETag: etag, Vary: "Accept-Encoding" };
  // Without a type: clients that read JSON by it would find none.
  if (asked.get("if-none-match") === etag) return { status: 304, headers: kept };
  const headers = { ...kept, "Content-Type": type };
  return (asked.get("accept-encoding") ?? "").includes("gzip")
    ? { status: 200, headers: { ...headers, "Content-Encoding": "gzip" }, body: gzipped }
    : { status: 200, headers, body: bytes };
};
