/** A route as a value: everything that registration, checks, OpenAPI, client and tests read. */
import type { z } from "zod";
import type { ErrorCode } from "./errors.js";
import type { Role } from "./roles.js";

export type Api = "ticketing" | "wallet" | "card" | "sandbox" | "platform";
export type Method = "GET" | "POST" | "PUT" | "DELETE";

type ParameterNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never;

/**
 * Path parameters and query: each value arrives as text and is parsed by its schema. In a query, a
 * name that ends in a dot stands for all that begin with it, as one record: `tag.` takes `tag.till=3`.
 */
export type TextShape = Readonly<Record<string, z.ZodType>>;

export const isNameFamily = (name: string): boolean => name.endsWith(".");

/** A shape without fields. */
export type NoFields = Readonly<Record<string, never>>;

export interface JsonSuccess<Schema extends z.ZodType = z.ZodType> {
  readonly status: 200 | 202;
  readonly schema: Schema;
}

export interface BinarySuccess {
  readonly status: 200;
  readonly contentType: string;
  /** Further media types, which callers get who prefer them by their Accept header. */
  readonly alternatives?: readonly string[];
  /** The answer carries `Repr-Digest`, the SHA-256 over its bytes. */
  readonly hasDigest?: true;
}

/** Of answers whose bytes are summed up (RFC 9530). */
export const digestHeader = "Repr-Digest";

/** Every media type of the answer; the first one is for callers who ask for none of them. */
export const mediaTypesOf = ({
  contentType,
  alternatives = [],
}: BinarySuccess): readonly [string, ...string[]] => [contentType, ...alternatives];

/** A body of raw bytes, which the handler gets piece by piece. */
export interface BinaryBody {
  /** Media types that a caller may declare; a body that declares none is read, too. */
  readonly contentTypes: readonly string[];
  readonly bytesMax: number;
}

export type BodyDeclaration = z.ZodType | BinaryBody;

/** A refusal in the form that a standard demands, in place of the API's own error model. */
export interface StandardRefusal {
  readonly status: number;
  readonly schema: z.ZodType;
  readonly description: string;
  /** A whole body. */
  readonly example: unknown;
}

export const isBinaryBody = (body: BodyDeclaration): body is BinaryBody => "bytesMax" in body;

/** Whether a caller may leave the JSON body out. */
export const isOptionalBody = (body: z.ZodType): boolean => body.safeParse(undefined).success;

export interface Route<
  Path extends string = string,
  Params extends TextShape = TextShape,
  Query extends TextShape = TextShape,
  Body extends BodyDeclaration = BodyDeclaration,
  Ok extends JsonSuccess | BinarySuccess = JsonSuccess | BinarySuccess,
  Code extends ErrorCode = ErrorCode,
> {
  /** Operation id, unique over all APIs: `getWallet`. */
  readonly id: string;
  readonly api: Api;
  readonly method: Method;
  /** Below the API's base path, without a leading slash: `wallets/{walletId}/iban`. */
  readonly path: Path;
  readonly params?: Params;
  readonly query?: Query;
  /**
   * A schema: JSON, closed (`z.strictObject`) unless the seeds show it open; an optional one lets
   * callers leave the body out. Or raw bytes. Absent: any body is ignored.
   */
  readonly body?: Body;
  /** The fields of a form in place of a body, which the handler reads itself. */
  readonly form?: z.ZodType;
  /** Creates something and has no key in its body: repeats under one Idempotency-Key create it once. */
  readonly takesIdempotencyKey?: true;
  /**
   * Changes something, and yet the same call again changes nothing more, tells nothing more and gets the same
   * answer. Not so where each call is an event of its own, or the second one finds a state that refuses it.
   */
  readonly repeatable?: true;
  /** For tests only: production refuses the call, whatever role the caller has. */
  readonly refusedInProduction?: true;
  /** Null: open to everyone (health, documentation, the token endpoint). */
  readonly role: Role | null;
  readonly ok: Ok;
  /** Beyond those that the kit itself gives (401, 403, 404, 405, 413, 415, 422, 429, 500, 503). */
  readonly errors: readonly Code[];
  readonly standardRefusals?: readonly StandardRefusal[];
  readonly summary: string;
  /** What a success means, in a sentence. */
  readonly result?: string;
  /** Markdown for the documentation page: rules, source section. */
  readonly description?: string;
}

/** Declares a route; ties the parameter schemas to the names in its path. */
export const route = <
  const Path extends string,
  const Ok extends JsonSuccess | BinarySuccess,
  const Code extends ErrorCode,
  Params extends Readonly<Record<ParameterNames<Path>, z.ZodType>> = Readonly<
    Record<ParameterNames<Path>, z.ZodType>
  >,
  Query extends TextShape = NoFields,
  Body extends BodyDeclaration = z.ZodUndefined,
>(
  declared: Route<Path, Params, Query, Body, Ok, Code>,
): Route<Path, Params, Query, Body, Ok, Code> => declared;
