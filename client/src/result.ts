/** What a call comes to: a value, a refusal by the platform, or no answer at all. */

/** A refusal as the platform says it; routes name the codes that they have. */
export interface AnyRefusal {
  /** The platform's word for it, to decide by. Ticketing says none: it is told by `status`. */
  readonly code?: string;
  readonly status: number;
  /** What is wrong and what to change, for people. */
  readonly message: string;
  /** What was found or is allowed, by name; of a body that does not fit, by JSON pointer. */
  readonly properties: Readonly<Record<string, string | undefined>>;
  /** Names the call in the platform's log. */
  readonly requestId: string;
  /** Seconds after which to repeat the call, where the platform says so. */
  readonly retryAfter?: number;
  /** What the call was sent with, where it takes a key: with it, the same call again creates nothing twice. */
  readonly idempotencyKey?: string;
}

export interface Success<Value> {
  readonly ok: true;
  readonly status: number;
  readonly value: Value;
  readonly requestId: string;
  /** An earlier call with this idempotency key got this answer first. */
  readonly isReplayed: boolean;
}

export interface Failure<Refused extends AnyRefusal = AnyRefusal> {
  readonly ok: false;
  readonly error: Refused;
}

export type Result<Value, Refused extends AnyRefusal = AnyRefusal> =
  Success<Value> | Failure<Refused>;

/** A refusal as an exception: thrown by `valueOf` and by lists that are walked through. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly refusal: AnyRefusal;

  constructor(refusal: AnyRefusal) {
    super(`${refusal.code ?? String(refusal.status)}: ${refusal.message}`);
    this.refusal = refusal;
  }
}

/**
 * No answer that the platform has written: it was not reached, not in time, or something between gave
 * another answer. What was asked may have been done all the same.
 */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
  readonly requestId: string;
  /** How often the call was sent. */
  readonly attempts: number;
  /** What it was sent with, where it takes a key: with it, the same call again creates nothing twice. */
  readonly idempotencyKey: string | undefined;

  constructor(
    message: string,
    requestId: string,
    attempts: number,
    { cause, idempotencyKey }: { readonly cause?: unknown; readonly idempotencyKey?: string } = {},
  ) {
    super(message, { cause });
    this.requestId = requestId;
    this.attempts = attempts;
    this.idempotencyKey = idempotencyKey;
  }
}

/** The value of a success; a refusal is thrown as `RefusedError`. For scripts and tests. */
export const valueOf = <Value>(result: Result<Value>): Value => {
  if (result.ok) return result.value;
  throw new RefusedError(result.error);
};
