/** The client's own lines, made of the routes as the package's are, and what calls of tests share. */
import { endpointsOf } from "../../../functions/endpoints.js";
import { tableOf } from "../../../client/generate/lines.js";
import { call, type AnyCallOptions, type Connection } from "../../../client/src/call.js";
import type { Input } from "../../../client/src/request.js";
import type { Result } from "../../../client/src/result.js";
import type { ApiLine, RouteLine } from "../../../client/src/route-line.js";

export const table = tableOf(endpointsOf("development").map(({ route }) => route));

const found = (id: string): readonly [ApiLine, RouteLine] => {
  for (const api of Object.values(table)) {
    const line = api.routes[id];
    if (line !== undefined) return [api, line];
  }
  throw new Error(`no route ${id}`);
};

export const lineOf = (id: string): RouteLine => found(id)[1];

/** A connection whose waits are short, to whatever `send` is. */
export const connectionTo = (send: typeof fetch, change: Partial<Connection> = {}): Connection => ({
  baseUrl: "http://platform.test",
  send,
  tokens: { current: async () => "token", forget: () => undefined },
  authKey: "key",
  partner: "acme",
  policy: { attempts: 4, firstDelayMs: 1, delayMsMax: 3_000 },
  timeoutMs: 30_000,
  attemptMs: 10_000,
  answerBytesMax: 10_000,
  userAgent: "borsello-client/test",
  ...change,
});

export const callRoute = (
  connection: Connection,
  id: string,
  input: Input,
  options: AnyCallOptions = {},
): Promise<Result<unknown>> => call(connection, ...found(id), input, options);

export const json = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { "Content-Type": "application/json", ...headers },
  });

export const refused = (
  status: number,
  errorCode: string,
  headers: Readonly<Record<string, string>> = {},
): Response => json(status, { errorCode, errorDescription: "No.", errorProperties: {} }, headers);
