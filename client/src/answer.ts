/** Reads an answer: never more of it than the client is willing to hold. */
import type { AnyRefusal } from "./result.js";

/** Longer than the client holds; a repeat would be as long. */
export class AnswerTooLargeError extends Error {
  override readonly name = "AnswerTooLargeError";
}

export const readBytes = async (
  answer: Response,
  bytesMax: number,
): Promise<Uint8Array<ArrayBuffer>> => {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const body: AsyncIterable<Uint8Array> | null = answer.body;
  for await (const chunk of body ?? []) {
    length += chunk.byteLength;
    if (length > bytesMax)
      throw new AnswerTooLargeError(`The answer is longer than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
};

/** Undefined where it is not JSON. */
export const jsonOf = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  } catch {
    return undefined;
  }
};

/** Milliseconds, from seconds or a date. */
export const retryAfterMs = (headers: Headers, nowMs: number): number | undefined => {
  const said = headers.get("retry-after");
  if (said === null) return undefined;
  const ms = /^\d{1,9}$/.test(said) ? Number(said) * 1000 : Date.parse(said) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** All but the request's id, which the refusal itself has. */
const propertiesIn = (value: unknown): Record<string, string> =>
  isRecord(value)
    ? Object.fromEntries(
        Object.entries(value)
          .filter(([name]) => name !== "requestId")
          .map(([name, text]) => [name, String(text)]),
      )
    : {};

/** The refusal in either of the platform's error models; undefined: somebody else has answered. */
export const refusalOf = (
  status: number,
  body: unknown,
  requestId: string,
  waitMs: number | undefined,
): AnyRefusal | undefined => {
  if (!isRecord(body)) return undefined;
  const retryAfter = waitMs === undefined ? {} : { retryAfter: Math.ceil(waitMs / 1000) };
  const { errorCode, errorDescription, errorProperties, error_description: sentence } = body;
  if (typeof errorCode === "string")
    return {
      code: errorCode,
      status,
      message: String(errorDescription),
      properties: propertiesIn(errorProperties),
      requestId,
      ...retryAfter,
    };
  return typeof sentence === "string"
    ? { status, message: sentence, properties: {}, requestId, ...retryAfter }
    : undefined;
};
