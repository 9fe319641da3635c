/** What an endpoint answers. */
import type { HttpResponseInit } from "@azure/functions";

/** The library's answer, with its headers as plain texts by name. */
export interface Reply extends HttpResponseInit {
  readonly headers?: Readonly<Record<string, string>>;
  /** Why it refuses, for those who look after the platform: not every API's error body says it. */
  readonly errorCode?: string;
}
