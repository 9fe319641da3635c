/** Calls as they go out with their caller's credentials, and what comes back. */
import type { Call, Sandbox } from "../../reference/call-plan.js";
import { forgetTokens, headersOf, type Caller } from "./caller.js";

export const keyHeader = "Idempotency-Key";

type Texts = Readonly<Record<string, string>>;

export interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: Texts;
  readonly body: string | File | undefined;
}

export interface Sent {
  readonly answer: Response;
  /** What the answer says in JSON, or its bytes. */
  readonly content: { readonly json: unknown } | { readonly bytes: Blob };
  readonly ms: number;
}

export const addressOf = (path: string, parameters: Texts, query: Texts): string => {
  const filled = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = parameters[name];
    return value === undefined ? whole : encodeURIComponent(value);
  });
  const text = new URLSearchParams(query).toString();
  return `${filled}${text === "" ? "" : `?${text}`}`;
};

/** The "…" of a token that was copied from where it was cut, for one, goes into no header. */
const checkHeaders = (headers: Texts): void => {
  for (const [name, value] of Object.entries(headers))
    if (!/^[\t\u0020-\u00ff]*$/.test(value))
      throw new Error(`${name} has a character that no header can carry.`);
};

const send = async ({ method, url, headers, body }: Request, credentials: Texts): Promise<Sent> => {
  checkHeaders({ ...headers, ...credentials });
  const startedAt = performance.now();
  const answer = await fetch(url, {
    method,
    headers: { ...headers, ...credentials },
    ...(body === undefined ? {} : { body }),
  });
  const isJson = /[/+]json\b/.test(answer.headers.get("Content-Type") ?? "");
  const content = isJson
    ? { json: (await answer.json()) as unknown }
    : { bytes: await answer.blob() };
  return { answer, content, ms: Math.round(performance.now() - startedAt) };
};

/** Once more with a new token where the platform no longer takes the one that was kept. */
export const sendAs = async (
  request: Request,
  caller: Caller | null,
  call: Call,
  sandbox: Sandbox | null,
): Promise<Sent> => {
  const sent = await send(request, await headersOf(caller, call, sandbox));
  if (sent.answer.status !== 401 || caller?.kind !== "sandbox") return sent;
  forgetTokens();
  return send(request, await headersOf(caller, call, sandbox));
};

export const isReplay = ({ answer }: Sent): boolean =>
  answer.headers.get("Idempotency-Replayed") === "true";

export const jsonOf = ({ content }: Sent): unknown =>
  "json" in content ? content.json : undefined;

/** Of refusals without a code, the status in its place. */
export const codeOf = (sent: Sent): string => {
  const json = jsonOf(sent);
  const isCoded = typeof json === "object" && json !== null && "errorCode" in json;
  return String(isCoded ? json.errorCode : sent.answer.status);
};
