/** What tells one request from another under the same idempotency key. */
import { createHash } from "node:crypto";

/** Objects by the order of their names, so that the order in which a caller wrote them says nothing. */
const inOrder = (_name: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value;

/** SHA-256 in hex of a JSON value. */
export const requestHash = (asked: unknown): string =>
  createHash("sha256").update(JSON.stringify(asked, inOrder)).digest("hex");
