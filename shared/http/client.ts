/** A typed client of the routes: parameters, bodies and answers have the declared types. */
import type { z } from "zod";
import { issuer, keptTokens, type Tokens } from "../../client/src/tokens.js";
import type { ErrorCode } from "../contracts/errors.js";
import { ErrorModel } from "../contracts/platform/error-models.js";
import {
  isBinaryBody,
  type BinarySuccess,
  type BodyDeclaration,
  type JsonSuccess,
  type Route,
  type TextShape,
} from "../contracts/route.js";
import { parsedJson } from "../platform/parsed-json.js";
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

export type ValueOf<Ok> =
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
type Fetch = typeof fetch;

/** Who uses this client wants to know of each answer, also of one that a repeat would mend. */
const askedOnce = { attempts: 1, firstDelayMs: 0, delayMsMax: 0 } as const;
const neverEnded = new AbortController().signal;

const tokensOf = (baseUrl: string, credentials: ClientCredentials, send: Fetch): Tokens => {
  const {
    clientId,
    clientSecret,
    tokenPath = sandboxTokenPath,
    scope = sandboxScope,
  } = credentials;
  const tokenUrl = new URL(tokenPath, baseUrl).href;
  return keptTokens(issuer({ tokenUrl, clientId, clientSecret, scope }, send, askedOnce));
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
  const model = ErrorModel.safeParse(parsedJson(text));
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
  const tokens = tokensOf(baseUrl, credentials, send);
  const token = (): Promise<string> => tokens.current(neverEnded);

  const headersFor = (route: Pick<Route, "api">, bearer: string): Record<string, string> => {
    const access = accessOf[route.api];
    const [partnerHeader = "Partner"] = access.partnerHeaders;
    return {
      Authorization: `Bearer ${bearer}`,
      [partnerHeader]: credentials.partnerKey,
      ...(access.authKey ? { AuthKey: credentials.authKey } : {}),
    };
  };

  const perform = async (route: Route, input: AnyInput): Promise<CallResult<unknown>> => {
    const content = outgoing(route.body, input.body);
    const once = async (bearer: string | undefined): Promise<Response> =>
      send(address(baseUrl, route, input.params ?? {}, input.query ?? {}), {
        method: route.method,
        headers: {
          ...(content === undefined ? {} : { "Content-Type": content.type }),
          ...(bearer === undefined ? {} : headersFor(route, bearer)),
          ...input.headers,
        },
        ...(content === undefined ? {} : { body: content.body }),
      });
    const bearer = route.role === null ? undefined : await token();
    let answer = await once(bearer);
    if (answer.status === 401 && bearer !== undefined) {
      // The platform may have forgotten our token before its time: one fresh try.
      tokens.forget(bearer);
      await answer.arrayBuffer();
      answer = await once(await token());
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

  return { call, token };
};
