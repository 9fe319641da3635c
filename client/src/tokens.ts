/** Bearer tokens by the OAuth 2.0 client credentials grant, each asked for once and renewed before it ends. */
import { jsonOf, readBytes } from "./answer.js";
import { delayAfter, type RepeatPolicy } from "./repeats.js";
import { pause, timeLimit, within } from "./time-limit.js";

/** The identity provider has refused the client: its id, its secret or the scope is wrong. */
export class TokenRefusedError extends Error {
  override readonly name = "TokenRefusedError";
}

export interface TokenRequest {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
}

export interface Tokens {
  /** The token for the next call. */
  current(signal: AbortSignal): Promise<string>;
  /** The platform does not take this one: the next call gets another. */
  forget(token: string): void;
}

export interface Issued {
  readonly token: string;
  /** From its issue on. */
  readonly lifetimeMs: number;
}

/** A token is renewed so long before it ends that none ends on its way: a minute, or a fifth of a short life. */
const renewBeforeMs = (lifetimeMs: number): number => Math.min(60_000, lifetimeMs / 5);

const bytesMax = 64 * 1024;
const requestMs = 10_000;

/** What all calls share while it is asked for, so that none of them may end it. */
export const keptTokens = (issue: () => Promise<Issued>, now: () => number = Date.now): Tokens => {
  let held: Promise<{ readonly token: string; readonly untilMs: number }> | undefined;
  let untilMs = Number.POSITIVE_INFINITY;
  let last = "";
  const renew = async () => {
    const askedMs = now();
    const { token, lifetimeMs } = await issue();
    untilMs = askedMs + lifetimeMs - renewBeforeMs(lifetimeMs);
    last = token;
    return { token, untilMs };
  };
  return {
    current: async (signal) => {
      if (held === undefined || now() >= untilMs) {
        untilMs = Number.POSITIVE_INFINITY;
        const asked = renew();
        held = asked;
        asked.catch(() => {
          if (held === asked) held = undefined;
        });
      }
      return (await within(signal, held)).token;
    },
    forget: (token) => {
      if (token === last) held = undefined;
    },
  };
};

const issuedIn = (body: unknown): Issued | undefined => {
  if (typeof body !== "object" || body === null) return undefined;
  const { access_token: token, expires_in: seconds } = body as Readonly<Record<string, unknown>>;
  return typeof token === "string" && typeof seconds === "number"
    ? { token, lifetimeMs: seconds * 1000 }
    : undefined;
};

const why = (status: number, body: unknown): string => {
  const { error, error_description: sentence } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const said = [error, sentence].filter((text) => typeof text === "string").join(": ");
  return `No token (${status})${said === "" ? "" : ` ${said}`}`;
};

const isAway = (status: number): boolean => status === 429 || status >= 500;

/** Asks for a token; where the provider is away or busy, more than once. */
export const issuer = (
  request: TokenRequest,
  send: typeof fetch,
  policy: RepeatPolicy,
): (() => Promise<Issued>) => {
  const once = async (signal: AbortSignal): Promise<[status: number | null, body: unknown]> => {
    const form = new URLSearchParams({
      grant_type: "client_credentials",
      client_id: request.clientId,
      client_secret: request.clientSecret,
      scope: request.scope,
    });
    const answer = await send(request.tokenUrl, {
      method: "POST",
      body: form,
      redirect: "error",
      signal,
    });
    return [answer.status, jsonOf(await readBytes(answer, bytesMax))];
  };
  return async () => {
    for (let attempt = 1; ; attempt += 1) {
      const limit = timeLimit(requestMs);
      let cause: unknown;
      const [status, body] = await once(limit.signal)
        .catch((error: unknown) => {
          cause = error;
          return [null, undefined] as const;
        })
        .finally(() => limit.release());
      const issued = status === 200 ? issuedIn(body) : undefined;
      if (issued !== undefined) return issued;
      const delay = delayAfter({ status }, true, attempt, policy, Math.random());
      if (delay !== null) await pause(delay, new AbortController().signal);
      else if (status === null) throw cause instanceof Error ? cause : new Error(String(cause));
      else if (isAway(status)) throw new Error(why(status, body));
      else throw new TokenRefusedError(why(status, body));
    }
  };
};
