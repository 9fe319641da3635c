/** Requests to the durable HTTP API, and the shapes of its answers. */
import { stackFrames } from "../protocol/exception-text.js";
import { writeJson } from "./json-text.js";

/** A request as the host hands it over; header names are in lower case. */
export interface HttpCall {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A call below the API's base path: its decoded path segments and its query. */
export interface ApiCall {
  readonly method: string;
  /** The whole address. */
  readonly url: URL;
  /** From the client library, on its own address. */
  readonly isFromLibrary: boolean;
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

export const empty = (status: number, headers: Record<string, string> = {}): HttpAnswer => ({
  status,
  headers,
  body: "",
});

/** `value` is plain data; what is JSON text in it goes out as it is. */
export const json = (
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): HttpAnswer => ({
  status,
  headers: { "Content-Type": "application/json; charset=utf-8", ...headers },
  body: writeJson(value),
});

export const refusal = (
  status: number,
  message: string,
  exception?: { readonly message: string; readonly type: string },
): HttpAnswer =>
  json(status, {
    Message: message,
    ...(exception !== undefined && {
      ExceptionMessage: exception.message,
      ExceptionType: exception.type,
      StackTrace: stackFrames(new Error(message).stack),
    }),
  });

/** What the service says about whatever it did not foresee. */
export const unforeseen = "Something went wrong while processing your request";

/** The JSON text of a body, or undefined where it is not JSON. */
export const jsonBody = (body: string): string | undefined => {
  try {
    JSON.parse(body);
    return body;
  } catch {
    return undefined;
  }
};
