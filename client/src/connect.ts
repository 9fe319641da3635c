/** Makes a client: one method for each line of the table of routes. */
import type { AttemptReport } from "./attempt-report.js";
import { call, type AnyCallOptions, type Connection } from "./call.js";
import { pagedCall } from "./pages.js";
import { defaultPolicy } from "./repeats.js";
import type { Input } from "./request.js";
import type { Table } from "./route-line.js";
import { issuer, keptTokens, type Tokens } from "./tokens.js";

export interface ClientOptions {
  /** Where the platform is: `http://127.0.0.1:7071`. */
  readonly baseUrl: string;
  /** The partner's name. */
  readonly partner: string;
  /** The partner's key, which wallet and card calls carry beside the token. */
  readonly authKey?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** Where tokens come from; by default the sandbox's identity provider. */
  readonly tokenUrl?: string;
  /** By default `api://borsello/.default`. */
  readonly scope?: string;
  /** Gives the token for a call, in place of client id and secret. Asked at every call: it keeps tokens itself. */
  readonly token?: () => Promise<string>;
  /** Milliseconds for a call with all its repeats, where the call says nothing else: 60,000. */
  readonly timeout?: number;
  /** How often a call is repeated at most, where a repeat is safe: 3. */
  readonly retries?: number;
  /** Answers that are longer are refused: 64 MiB. */
  readonly answerBytesMax?: number;
  /** Sends the requests: by default the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** Hears of each attempt, for logs and metrics. It must not throw: nobody would catch it. */
  readonly onAttempt?: (report: AttemptReport) => void;
}

const sandboxTokenPath = "/sandbox/identity/local/oauth2/v2.0/token";
const defaultScope = "api://borsello/.default";
const defaultTimeoutMs = 60_000;
const attemptMs = 25_000;
const mebibyte = 1024 * 1024;

const tokensFor = (options: ClientOptions, send: typeof fetch, baseUrl: string): Tokens => {
  const { token, clientId, clientSecret, tokenUrl, scope = defaultScope } = options;
  if (token !== undefined) return { current: async () => token(), forget: () => undefined };
  if (clientId === undefined || clientSecret === undefined)
    throw new TypeError("clientId and clientSecret must be given, or token");
  return keptTokens(
    issuer(
      { tokenUrl: tokenUrl ?? baseUrl + sandboxTokenPath, clientId, clientSecret, scope },
      send,
      defaultPolicy,
    ),
  );
};

const connectionOf = (options: ClientOptions, userAgent: string): Connection => {
  const { protocol } = new URL(options.baseUrl);
  if (protocol !== "https:" && protocol !== "http:")
    throw new TypeError("baseUrl must begin with https:// or http://");
  const baseUrl = options.baseUrl.replace(/\/+$/, "");
  // Looked up at each call, so that what replaces the global one later is used, too.
  const send: typeof fetch = options.fetch ?? ((input, init) => fetch(input, init));
  return {
    baseUrl,
    send,
    tokens: tokensFor(options, send, baseUrl),
    authKey: options.authKey,
    partner: options.partner,
    policy: { ...defaultPolicy, attempts: 1 + (options.retries ?? defaultPolicy.attempts - 1) },
    timeoutMs: options.timeout ?? defaultTimeoutMs,
    attemptMs,
    answerBytesMax: options.answerBytesMax ?? 64 * mebibyte,
    userAgent,
    onAttempt: options.onAttempt,
  };
};

type Method = (input?: Input, options?: AnyCallOptions) => unknown;

/** By API and operation id; the package's declarations say what each method takes and gives. */
export const connect = (
  table: Table,
  options: ClientOptions,
  userAgent = "borsello-client",
): Readonly<Record<string, Readonly<Record<string, Method>>>> => {
  const connection = connectionOf(options, userAgent);
  const methods = Object.entries(table).map(([name, api]) => {
    const ofApi = Object.entries(api.routes).map(([id, line]): [string, Method] => [
      id,
      (input = {}, callOptions = {}) => {
        const send = (asked: Input, chosen: AnyCallOptions) =>
          call(connection, api, line, asked, chosen);
        return line.paging === undefined
          ? send(input, callOptions)
          : pagedCall(line.paging, send, input, callOptions);
      },
    ]);
    return [name, Object.fromEntries(ofApi)] as const;
  });
  return Object.fromEntries(methods);
};
