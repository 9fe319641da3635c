/** What a call is known by: its idempotency key and its request id, made once and kept through its repeats. */
import type { Input } from "./request.js";
import type { RouteLine } from "./route-line.js";

const printable = (text: string, minimum: number, maximum: number): boolean =>
  /^[\x20-\x7e]*$/.test(text) && text.length >= minimum && text.length <= maximum;

export const requestIdOf = (given: string | undefined): string => {
  if (given === undefined) return crypto.randomUUID();
  if (printable(given, 1, 128)) return given;
  throw new TypeError("requestId must have 1 to 128 printable ASCII characters");
};

/** The header's key; undefined where the route takes none there. */
export const headerKeyOf = (line: RouteLine, given: string | undefined): string | undefined => {
  if (line.key !== "header") {
    if (given === undefined) return undefined;
    const place =
      line.key === "body" ? "is a field of this call's input" : "is nothing to this call";
    throw new TypeError(`idempotencyKey ${place}`);
  }
  if (given === undefined) return crypto.randomUUID();
  if (printable(given, 16, 64)) return given;
  throw new TypeError("idempotencyKey must have 16 to 64 printable ASCII characters");
};

/** The input with a key of its own, where its body has one and the caller leaves it to the client. */
export const keyedInput = (line: RouteLine, input: Input): Input =>
  line.key === "body" && input["idempotencyKey"] === undefined
    ? { ...input, idempotencyKey: crypto.randomUUID().replaceAll("-", "") }
    : input;

/** The key that the call is sent with, wherever it is said. */
export const keyOf = (
  line: RouteLine,
  { idempotencyKey }: Input,
  headerKey: string | undefined,
): { readonly idempotencyKey?: string } => {
  const key = line.key === "body" ? idempotencyKey : headerKey;
  return typeof key === "string" ? { idempotencyKey: key } : {};
};
