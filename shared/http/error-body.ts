/** Error answers: the body of each API's own error model, its status and its headers. */
import { STATUS_CODES } from "node:http";
import { errorTable, type ErrorCode } from "../contracts/errors.js";
import type { Api } from "../contracts/route.js";
import type { RefusalProperties } from "../domain/outcome.js";

export interface ErrorReply {
  readonly status: number;
  readonly errorCode: ErrorCode;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ErrorDetail {
  readonly code: ErrorCode;
  readonly properties?: RefusalProperties;
  /** Replaces the table's sentence where the case at hand has a better one. */
  readonly description?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const retryAfterSeconds = 5;

/** Headers that a status always carries. */
const statusHeaders: Readonly<Partial<Record<number, Readonly<Record<string, string>>>>> = {
  401: { "WWW-Authenticate": "Bearer" },
  503: { "Retry-After": String(retryAfterSeconds) },
};

/** The ticketing API has no properties: what they say goes into its one sentence. */
const ticketingBody = (
  status: number,
  description: string,
  properties: RefusalProperties,
): object => {
  const details = Object.entries(properties).map(([key, text]) => {
    // A JSON pointer to a field of the body reads better without its slash.
    const name = key.replace(/^\//, "");
    if (!text.endsWith(".")) return `${name}: ${text}.`;
    return name === "" ? `It ${text}` : `${name} ${text}`;
  });
  return {
    error: STATUS_CODES[status] ?? "Error",
    error_description: [description, ...details].join(" "),
  };
};

/**
 * Every API but ticketing speaks the wallet seed's error model, and holds the request's id in it: an
 * error is often all that a caller keeps. The other one has no place for it but the header.
 */
export const errorReply = (api: Api, detail: ErrorDetail, requestId: string): ErrorReply => {
  const entry = errorTable[detail.code];
  const description = detail.description ?? entry.description;
  const properties = detail.properties ?? {};
  const body =
    api === "ticketing"
      ? ticketingBody(entry.status, description, properties)
      : {
          errorCode: detail.code,
          errorDescription: description,
          errorProperties: { ...properties, requestId },
        };
  return {
    status: entry.status,
    errorCode: detail.code,
    headers: {
      "Content-Type": "application/json",
      ...statusHeaders[entry.status],
      ...detail.headers,
    },
    body: JSON.stringify(body),
  };
};
