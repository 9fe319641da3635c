/** Outcome of a command: a value, or a refusal that names its error code. Only outages are thrown. */

/** What a refusal may carry: which field, which limit, which state was found. */
export type RefusalProperties = Readonly<Record<string, string>>;

export interface Refusal<Code extends string> {
  readonly ok: false;
  readonly code: Code;
  readonly properties: RefusalProperties;
}

export interface Success<Value> {
  readonly ok: true;
  readonly value: Value;
}

export type Outcome<Value, Code extends string> = Success<Value> | Refusal<Code>;

export const success = <Value>(value: Value): Success<Value> => ({ ok: true, value });

export const refusal = <Code extends string>(
  code: Code,
  properties: RefusalProperties = {},
): Refusal<Code> => ({ ok: false, code, properties });
