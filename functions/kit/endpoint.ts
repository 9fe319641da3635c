/** Binds a declared route to its handler: access, parameters and body are checked before it runs. */
import type { FunctionInput, HttpRequest, InvocationContext } from "@azure/functions";
import { z } from "zod";
import type { ErrorCode } from "../../shared/contracts/errors.js";
import type { Role } from "../../shared/contracts/roles.js";
import {
  digestHeader,
  isBinaryBody,
  isOptionalBody,
  mediaTypesOf,
  type BinarySuccess,
  type BodyDeclaration,
  type JsonSuccess,
  type Route,
  type TextShape,
} from "../../shared/contracts/route.js";
import { refusal, success, type Outcome, type Refusal } from "../../shared/domain/outcome.js";
import { limitedKind } from "../../shared/http/access.js";
import { preferredType } from "../../shared/http/accept.js";
import { jsonWithBase64, type Base64Content } from "../../shared/http/base64-answer.js";
import { BodyCutError, BodyTooLargeError } from "../../shared/http/bounded-body.js";
import { byteStream } from "../../shared/http/byte-stream.js";
import { errorReply } from "../../shared/http/error-body.js";
import { readJsonBody } from "../../shared/http/json-body.js";
import { fullPath } from "../../shared/http/paths.js";
import { issueProperties } from "../../shared/http/schema-issues.js";
import { parseParams, parseQuery, pathReader } from "../../shared/http/text-parameters.js";
import { openUpload, tooLargeRefusal, type Upload } from "../../shared/http/upload.js";
import type { CallTrace } from "./call-line.js";
import { authorize, identify, type Caller, type Identity } from "./authorize.js";
import { answerOnce, readKey } from "./keyed-call.js";
import { answerWithin } from "./rate-limits.js";
import type { Reply } from "./reply.js";
import { requestHash } from "../../shared/platform/request-hash.js";
import type { Services } from "./services.js";

export interface Binary {
  /** At once, or piece by piece as the caller takes them. */
  readonly bytes: Uint8Array | AsyncGenerator<Uint8Array>;
  /** Name under which a browser would save it. */
  readonly filename?: string;
  /** What is known of bytes that come piece by piece: how many they are, and their SHA-256. */
  readonly written?: { readonly bytes: number; readonly sha256: Buffer };
}

type SuccessValue<Ok> =
  Ok extends JsonSuccess<infer Schema>
    ? z.output<Schema>
    : Ok extends BinarySuccess
      ? Binary
      : never;

type BodyValue<Body extends BodyDeclaration> = Body extends z.ZodType ? z.output<Body> : Upload;

/** One request, checked and parsed. */
export interface Call<
  Params extends TextShape = TextShape,
  Query extends TextShape = TextShape,
  Body extends BodyDeclaration = BodyDeclaration,
  Ok = JsonSuccess | BinarySuccess,
  Code extends ErrorCode = ErrorCode,
> {
  readonly params: z.output<z.ZodObject<Params>>;
  readonly query: z.output<z.ZodObject<Query>>;
  readonly body: BodyValue<Body>;
  readonly caller: Caller;
  /** Of the media types that the route answers with, the one that the caller prefers. */
  readonly mediaType: string;
  /** The invocation, for bindings such as the durable client. */
  readonly context: InvocationContext;
  /** `content` is written in Base64 where the value holds its place. */
  readonly ok: (value: SuccessValue<Ok>, content?: Base64Content) => Reply;
  /** The answer as JSON text that the database has written; the contract tests hold it to the schema. */
  readonly okWritten: (json: string) => Reply;
  readonly refuse: (refused: Refusal<Code>) => Reply;
}

/** A bound route, ready to be registered with the host or to be called in-process. */
export interface Endpoint {
  readonly route: Route;
  readonly extraInputs: readonly FunctionInput[];
  readonly answer: (
    services: Services,
    request: HttpRequest,
    context: InvocationContext,
    trace: CallTrace,
  ) => Promise<Reply>;
}

export interface EndpointOptions {
  readonly extraInputs?: readonly FunctionInput[];
}

const jsonType = "application/json";
const jsonHeaders = { "Content-Type": jsonType };

const jsonReply = ({ status }: JsonSuccess, value: unknown, content?: Base64Content): Reply => {
  if (content === undefined) return { status, headers: jsonHeaders, body: JSON.stringify(value) };
  const { length, body } = jsonWithBase64(value, content);
  return { status, headers: { ...jsonHeaders, "Content-Length": String(length) }, body };
};

/** A reader whose connection is cut sees it by the one, and what the way has changed by the other (RFC 9530). */
const writtenHeaders = ({ bytes, sha256 }: NonNullable<Binary["written"]>) => ({
  "Content-Length": String(bytes),
  [digestHeader]: `sha-256=:${sha256.toString("base64")}:`,
});

const binaryReply = (
  ok: BinarySuccess,
  { bytes, filename, written }: Binary,
  mediaType: string,
): Reply => {
  const disposition =
    filename === undefined ? {} : { "Content-Disposition": `inline; filename="${filename}"` };
  const charset = mediaType.startsWith("text/") ? "; charset=utf-8" : "";
  const vary = ok.alternatives === undefined ? {} : { Vary: "Accept" };
  return {
    status: 200,
    headers: {
      "Content-Type": mediaType + charset,
      ...disposition,
      ...vary,
      ...(written !== undefined && writtenHeaders(written)),
    },
    body: bytes instanceof Uint8Array ? bytes : byteStream(bytes),
  };
};

const preferredOf = (ok: JsonSuccess | BinarySuccess, headers: HttpRequest["headers"]): string =>
  "schema" in ok ? jsonType : preferredType(headers.get("accept"), mediaTypesOf(ok));

const successReply = (
  ok: JsonSuccess | BinarySuccess,
  mediaType: string,
  value: unknown,
  content?: Base64Content,
): Reply =>
  "schema" in ok ? jsonReply(ok, value, content) : binaryReply(ok, value as Binary, mediaType);

/** Reads the body as it is declared: parsed JSON, an upload not yet read, or nothing. */
const readBodyAs = <Body extends BodyDeclaration>(declared: Body | undefined) => {
  const isOptional = declared !== undefined && !isBinaryBody(declared) && isOptionalBody(declared);
  const read = async (request: HttpRequest): Promise<Outcome<unknown, ErrorCode>> => {
    if (declared === undefined) return success(undefined);
    if (isBinaryBody(declared)) return openUpload(request, declared);
    const json = await readJsonBody(request, { isOptional });
    if (!json.ok) return json;
    const parsed = declared.safeParse(json.value);
    return parsed.success
      ? success(parsed.data)
      : refusal("ValidationFailed", issueProperties(parsed.error.issues));
  };
  // Each branch gives what the declaration stands for, which the compiler cannot see.
  return read as (request: HttpRequest) => Promise<Outcome<BodyValue<Body>, ErrorCode>>;
};

/**
 * What became of a body while it was read; undefined where something else failed. A caller that went
 * away reads no answer, but the log should not call it a failure of ours.
 */
const bodyRefusal = (error: unknown, { body }: Route): Refusal<ErrorCode> | undefined => {
  if (error instanceof BodyCutError) return refusal("BodyIncomplete");
  if (error instanceof BodyTooLargeError && body !== undefined && isBinaryBody(body))
    return tooLargeRefusal(body.bytesMax);
  return undefined;
};

/** Reads and parses everything that the route declares; the first thing that does not fit refuses. */
const inputReader = <
  Params extends TextShape,
  Query extends TextShape,
  Body extends BodyDeclaration,
>(
  route: Route<string, Params, Query, Body>,
) => {
  // A route without parameters declares none: the empty shape is the only value of its type.
  const params = z.object(route.params ?? ({} as Params));
  const query = z.object(route.query ?? ({} as Query));
  const readPath = pathReader(fullPath(route));
  // Most routes declare no query: theirs is parsed once and for all.
  const noQuery =
    Object.keys(query.shape).length === 0
      ? parseQuery(query, new URLSearchParams(), [])
      : undefined;
  const bodyReader = readBodyAs(route.body);
  interface Input {
    readonly params: z.output<typeof params>;
    readonly query: z.output<typeof query>;
    readonly body: BodyValue<Body>;
  }
  return async (request: HttpRequest): Promise<Outcome<Input, ErrorCode>> => {
    const parsedParams = parseParams(params, readPath(request.url));
    if (!parsedParams.ok) return parsedParams;
    const parsedQuery = noQuery ?? parseQuery(query, request.query, route.errors);
    if (!parsedQuery.ok) return parsedQuery;
    const body = await bodyReader(request);
    if (!body.ok) return body;
    return success({ params: parsedParams.value, query: parsedQuery.value, body: body.value });
  };
};

const roleOf = ({ id, role }: Route): Role => {
  if (role === null)
    throw new Error(`The route ${id} is open to everyone: bind it by openEndpoint.`);
  return role;
};

export const endpoint = <
  Path extends string,
  Params extends TextShape,
  Query extends TextShape,
  Body extends BodyDeclaration,
  Ok extends JsonSuccess | BinarySuccess,
  Code extends ErrorCode,
>(
  route: Route<Path, Params, Query, Body, Ok, Code>,
  handle: (services: Services, call: Call<Params, Query, Body, Ok, Code>) => Promise<Reply>,
  { extraInputs = [] }: EndpointOptions = {},
): Endpoint => {
  const role = roleOf(route);
  const readInput = inputReader(route);
  const okWritten = (body: string): Reply => ({ status: 200, headers: jsonHeaders, body });
  const kind = limitedKind(route);
  type Refuse = (refused: Refusal<ErrorCode>) => Reply;

  const answerKnown = async (
    services: Services,
    identity: Identity,
    request: HttpRequest,
    context: InvocationContext,
    trace: CallTrace,
    refuse: Refuse,
  ): Promise<Reply> => {
    if (route.refusedInProduction === true && services.config.environment === "production")
      return refuse(refusal("OperationNotAllowedInEnvironment", { environment: "production" }));
    const caller = await authorize(services, identity, { api: route.api, role }, request.headers);
    if (!caller.ok) return refuse(caller);
    trace.partnerKey = caller.value.partnerKey;
    const key = readKey(route, request.headers);
    if (!key.ok) return refuse(key);
    try {
      const input = await readInput(request);
      if (!input.ok) return refuse(input);
      const mediaType = preferredOf(route.ok, request.headers);
      const call: Call<Params, Query, Body, Ok, Code> = {
        ...input.value,
        caller: caller.value,
        mediaType,
        context,
        ok: (value, content) => successReply(route.ok, mediaType, value, content),
        okWritten,
        refuse,
      };
      if (key.value === undefined) return await handle(services, call);
      const { params, query, body } = input.value;
      const keyed = {
        partnerKey: caller.value.partnerKey,
        routeId: route.id,
        key: key.value,
        requestHash: requestHash({ params, query, body }),
      };
      return await answerOnce(services, keyed, (within) => handle(within, call), refuse);
    } catch (error) {
      const refused = bodyRefusal(error, route);
      if (refused === undefined) throw error;
      return refuse(refused);
    }
  };

  return {
    route,
    extraInputs,
    answer: async (services, request, context, trace) => {
      const { requestId } = trace;
      const refuse: Refuse = (refused) => errorReply(route.api, refused, requestId);
      const identity = await identify(services, route.api, request.headers);
      if (!identity.ok) return refuse(identity);
      trace.partnerKey = identity.value.own.partnerKey;
      const answerIt = () => answerKnown(services, identity.value, request, context, trace, refuse);
      if (kind === null) return answerIt();
      // Before the body is read, and before anything is asked of the database.
      const quota = services.rateLimits.take(identity.value.own, kind);
      return answerWithin(kind, quota, answerIt, (exceeded) =>
        errorReply(route.api, exceeded, requestId),
      );
    },
  };
};

/** Binds a route without a role, whose answers are its own: documents, pages, tokens. */
export const openEndpoint = (
  route: Route,
  answer: Endpoint["answer"],
  { extraInputs = [] }: EndpointOptions = {},
): Endpoint => {
  if (route.role !== null)
    throw new Error(`The route ${route.id} asks for a role: bind it by endpoint.`);
  return { route, extraInputs, answer };
};
