/** Tokens by OAuth 2.0 client credentials: kept until shortly before their end, fetched once for all who wait. */
import { z } from "zod";
import type { Exchange } from "./http-exchange.js";

export interface TokenSource {
  readonly get: () => Promise<string>;
  /** What is held was refused: the next one is fetched anew. */
  readonly forget: () => void;
}

export interface ClientCredentials {
  readonly clientId: string;
  readonly secret: string;
  readonly scope: string | null;
}

const Granted = z.object({
  access_token: z
    .string()
    .max(8_192)
    .regex(/^[\x21-\x7e]+$/),
  expires_in: z.number().positive().default(300),
});

const fetchMsMax = 2_000;
/** So long before its end a token is not used any more, or a fifth of its life. */
const spareMs = 60_000;

interface Held {
  readonly token: Promise<string>;
  /** Infinity while it is being fetched. */
  untilMs: number;
}

/** `post` sends a form to the address that grants tokens. */
export const tokenSource = (
  { clientId, secret, scope }: ClientCredentials,
  post: (form: string) => Exchange,
  nowMs: () => number,
): TokenSource => {
  let held: Held | undefined;

  const fetchToken = async (): Promise<z.output<typeof Granted>> => {
    const form = new URLSearchParams({
      grant_type: "client_credentials",
      client_id: clientId,
      client_secret: secret,
      ...(scope === null ? {} : { scope }),
    });
    const exchange = post(form.toString());
    const timer = setTimeout(exchange.abort, fetchMsMax);
    try {
      const { status, text } = await exchange.answer;
      if (status !== 200) throw new Error(`the token was refused with ${status}`);
      return Granted.parse(JSON.parse(text));
    } finally {
      clearTimeout(timer);
    }
  };

  const hold = (): Held => {
    const entry: Held = {
      untilMs: Number.POSITIVE_INFINITY,
      token: fetchToken().then(
        ({ access_token, expires_in }) => {
          const lifeMs = expires_in * 1_000;
          entry.untilMs = nowMs() + lifeMs - Math.min(spareMs, lifeMs / 5);
          return access_token;
        },
        (error: unknown) => {
          if (held === entry) held = undefined;
          throw error;
        },
      ),
    };
    return entry;
  };

  return {
    get: () => {
      if (held === undefined || nowMs() >= held.untilMs) held = hold();
      return held.token;
    },
    forget: () => {
      // One that is being fetched is not what was refused.
      if (held !== undefined && Number.isFinite(held.untilMs)) held = undefined;
    },
  };
};
