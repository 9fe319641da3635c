/** A typed client of the routes: parameters, bodies and answers have the declared types. */
import type { z } from "zod";
import type { ErrorCode } from "../contracts/errors.js";
import { ErrorModel } from "../contracts/platform/error-models.js";
import { TokenAnswer } from "../contracts/sandbox/identity.js";
import {
  isBinaryBody,
  type BinarySuccess,
  type BodyDeclaration,
  type JsonSuccess,
  type Route,
  type TextShape,
} from "../contracts/route.js";
import { accessOf } from "./access.js";
import { fullPath } from "./paths.js";

export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly authKey: string;
  /** The partner that calls, or the one that an operator acts for. */
  readonly partnerKey: string;
  /** By default the sandbox's. */
  readonly tokenPath?: string;
  readonly scope?: string;
}

/** A part of a path: one of the words that its schema takes, where it takes some words alone. */
type Texts<Shape extends TextShape> = Readonly<{
  [Name in keyof Shape & string]: z.input<Shape[Name]> extends infer Word extends string
    ? Word
    : string;
}>;

type BodyInput<Body extends BodyDeclaration> = Body extends z.ZodUndefined
  ? { readonly body?: undefined }
  : Body extends z.ZodType
    ? undefined extends z.input<Body>
      ? { readonly body?: z.input<Body> }
      : { readonly body: z.input<Body> }
    : { readonly body: Uint8Array<ArrayBuffer> };

type QueryText = string | number | boolean;
/** The rest of each name, to what is said under it. */
type Family = Readonly<Record<string, string>>;

export type CallInput<
  Params extends TextShape,
  Query extends TextShape,
  Body extends BodyDeclaration,
> = ([keyof Params] extends [never]
  ? { readonly params?: undefined }
  : { readonly params: Texts<Params> }) &
  BodyInput<Body> & {
    readonly query?: Readonly<
      Partial<{ [Name in keyof Query & string]: Name extends `${string}.` ? Family : QueryText }>
    >;
    readonly headers?: Readonly<Record<string, string>>;
  };

/** What every input is, whatever its route. */
interface AnyInput {
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, QueryText | Family | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

type ValueOf<Ok> =
  Ok extends JsonSuccess<infer Schema>
    ? z.output<Schema>
    : Ok extends BinarySuccess
      ? Uint8Array
      : never;

export interface CallError extends ErrorModel {
  readonly retryAfterSeconds?: number;
}

export type CallResult<Value> =
  | { readonly ok: true; readonly status: number; readonly value: Value }
  | { readonly ok: false; readonly status: number; readonly error: CallError };

export interface Client {
  call<
    Path extends string,
    Params extends TextShape,
    Query extends TextShape,
    Body extends BodyDeclaration,
    Ok extends JsonSuccess | BinarySuccess,
    Code extends ErrorCode,
  >(
    route: Route<Path, Params, Query, Body, Ok, Code>,
    input: CallInput<Params, Query, Body>,
  ): Promise<CallResult<ValueOf<Ok>>>;
  /** The token that the next call would carry. */
  token(): Promise<string>;
}

const sandboxTokenPath = "/sandbox/identity/local/oauth2/v2.0/token";
const sandboxScope = "api://borsello/.default";
const binaryType = "application/octet-stream";
/** A token is renewed this long before it ends, so that none ends on its way. */
const renewBeforeMs = 60_000;

type Fetch = typeof fetch;

const tokenSource = (
  baseUrl: string,
  credentials: ClientCredentials,
  send: Fetch,
): { readonly token: () => Promise<string>; readonly forget: () => void } => {
  let held: { readonly token: Promise<string>; readonly untilMs: () => number } | undefined;
  const request = async (keepUntil: (ms: number) => void): Promise<string> => {
    const answer = await send(new URL(credentials.tokenPath ?? sandboxTokenPath, baseUrl), {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "client_credentials",
        client_id: credentials.clientId,
        client_secret: credentials.clientSecret,
        scope: credentials.scope ?? sandboxScope,
      }),
    });
    if (!answer.ok) throw new Error(`no token: ${answer.status} ${await answer.text()}`);
    const granted = TokenAnswer.parse(await answer.json());
    keepUntil(Date.now() + granted.expires_in * 1000 - renewBeforeMs);
    return granted.access_token;
  };
  return {
    token: () => {
      if (held !== undefined && Date.now() < held.untilMs()) return held.token;
      let untilMs = Number.POSITIVE_INFINITY;
      const token = request((ms) => (untilMs = ms)).catch((error: unknown) => {
        held = undefined;
        throw error;
      });
      held = { token, untilMs: () => untilMs };
      return token;
    },
    forget: () => (held = undefined),
  };
};

const address = (
  baseUrl: string,
  route: Pick<Route, "api" | "path">,
  params: Readonly<Record<string, string>>,
  query: Readonly<Record<string, QueryText | Family | undefined>>,
): URL => {
  const path = fullPath(route).replace(/\{(\w+)\}/g, (_match, name: string) =>
    encodeURIComponent(params[name] ?? ""),
  );
  const url = new URL(`/${path}`, baseUrl);
  for (const [name, value] of Object.entries(query))
    if (typeof value === "object")
      for (const [rest, text] of Object.entries(value)) url.searchParams.set(name + rest, text);
    else if (value !== undefined) url.searchParams.set(name, String(value));
  return url;
};

const failure = async (answer: Response): Promise<CallResult<never>> => {
  const text = await answer.text();
  const retryAfter = answer.headers.get("retry-after");
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  const model = ErrorModel.safeParse(body);
  const error: ErrorModel = model.success
    ? model.data
    : { errorCode: "", errorDescription: text, errorProperties: {} };
  return {
    ok: false,
    status: answer.status,
    error: { ...error, ...(retryAfter === null ? {} : { retryAfterSeconds: Number(retryAfter) }) },
  };
};

/** Reads the answer as the route declares it; the schema decides, so the type is not a promise. */
const readSuccess = async (answer: Response, ok: JsonSuccess | BinarySuccess): Promise<unknown> =>
  "schema" in ok
    ? ok.schema.parse(await answer.json())
    : new Uint8Array(await answer.arrayBuffer());

/** The body as it travels, under the first media type that the route takes. */
const outgoing = (
  declared: BodyDeclaration | undefined,
  body: unknown,
): { readonly type: string; readonly body: string | Uint8Array<ArrayBuffer> } | undefined => {
  if (body === undefined) return undefined;
  if (declared !== undefined && isBinaryBody(declared) && body instanceof Uint8Array)
    return { type: declared.contentTypes[0] ?? binaryType, body: new Uint8Array(body) };
  return { type: "application/json", body: JSON.stringify(body) };
};

export const client = (
  baseUrl: string,
  credentials: ClientCredentials,
  send: Fetch = fetch,
): Client => {
  const tokens = tokenSource(baseUrl, credentials, send);

  const headersFor = async (
    route: Pick<Route, "api" | "role">,
  ): Promise<Record<string, string>> => {
    if (route.role === null) return {};
    const access = accessOf[route.api];
    const [partnerHeader = "Partner"] = access.partnerHeaders;
    return {
      Authorization: `Bearer ${await tokens.token()}`,
      [partnerHeader]: credentials.partnerKey,
      ...(access.authKey ? { AuthKey: credentials.authKey } : {}),
    };
  };

  const perform = async (route: Route, input: AnyInput): Promise<CallResult<unknown>> => {
    const content = outgoing(route.body, input.body);
    const once = async (): Promise<Response> =>
      send(address(baseUrl, route, input.params ?? {}, input.query ?? {}), {
        method: route.method,
        headers: {
          ...(content === undefined ? {} : { "Content-Type": content.type }),
          ...(await headersFor(route)),
          ...input.headers,
        },
        ...(content === undefined ? {} : { body: content.body }),
      });
    let answer = await once();
    if (answer.status === 401 && route.role !== null) {
      // The platform may have forgotten our token before its time: one fresh try.
      tokens.forget();
      await answer.arrayBuffer();
      answer = await once();
    }
    if (!answer.ok) return failure(answer);
    return { ok: true, status: answer.status, value: await readSuccess(answer, route.ok) };
  };

  const call: Client["call"] = <
    Path extends string,
    Params extends TextShape,
    Query extends TextShape,
    Body extends BodyDeclaration,
    Ok extends JsonSuccess | BinarySuccess,
    Code extends ErrorCode,
  >(
    route: Route<Path, Params, Query, Body, Ok, Code>,
    input: CallInput<Params, Query, Body>,
  ) =>
    // readSuccess has parsed the value by the very schema that the type is inferred from.
    perform(route, input) as Promise<CallResult<ValueOf<Ok>>>;

  return { call, token: tokens.token };
};
