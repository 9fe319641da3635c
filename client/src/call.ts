/** One call: sent, answered, and repeated where that is safe. */
import { AnswerTooLargeError, jsonOf, readBytes, refusalOf, retryAfterMs } from "./answer.js";
import { tell, type AttemptListener, type AttemptReport } from "./attempt-report.js";
import { headerKeyOf, keyedInput, keyOf, requestIdOf } from "./keys.js";
import { delayAfter, type RepeatPolicy } from "./repeats.js";
import { addressOf, contentOf, type Content, type Input } from "./request.js";
import { NoAnswerError, type Result } from "./result.js";
import type { ApiLine, RouteLine } from "./route-line.js";
import { pause, timeLimit, within } from "./time-limit.js";
import { TokenRefusedError, type Tokens } from "./tokens.js";

export interface CallOptions {
  /** Ends the call: it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Milliseconds for the whole call with all its repeats. */
  readonly timeout?: number;
  /** How often it is repeated at most, where a repeat is safe. */
  readonly retries?: number;
  /** Names the call in the platform's log; made by the client where absent. */
  readonly requestId?: string;
}

/** Of calls that create something. */
export interface KeyedCallOptions extends CallOptions {
  /**
   * The same key with the same input creates once, however often it is sent, also by another process. Made
   * by the client where absent, which covers the client's own repeats.
   */
  readonly idempotencyKey?: string;
}

/** Of calls that answer with bytes, of several kinds. */
export interface ChoosingCallOptions<MediaType extends string = string> extends CallOptions {
  /** The media type to be answered with. */
  readonly accept?: MediaType;
}

export type AnyCallOptions = KeyedCallOptions & ChoosingCallOptions;

/** What all calls of a client share. */
export interface Connection {
  readonly baseUrl: string;
  readonly send: typeof fetch;
  readonly tokens: Tokens;
  readonly authKey: string | undefined;
  readonly partner: string;
  readonly policy: RepeatPolicy;
  readonly timeoutMs: number;
  /** For each attempt, so that one that hangs leaves time for another. */
  readonly attemptMs: number;
  readonly answerBytesMax: number;
  /** What the client says that it is. */
  readonly userAgent: string;
  readonly onAttempt?: AttemptListener | undefined;
}

interface Prepared {
  readonly url: URL;
  readonly line: RouteLine;
  readonly content: Content | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly requestId: string;
  /** `idempotencyKey`: in the header or in the body; empty where the call takes none. */
  readonly keyed: { readonly idempotencyKey?: string };
}

/** What one attempt comes to: what was answered, or why nothing was. */
type Attempt =
  | { readonly answer: Response; readonly bytes: Uint8Array<ArrayBuffer>; readonly token: string }
  | { readonly cause: unknown };

const prepare = (
  { baseUrl, authKey, partner, userAgent }: Connection,
  api: ApiLine,
  line: RouteLine,
  given: Input,
  options: AnyCallOptions,
): Prepared => {
  const input = keyedInput(line, given);
  const requestId = requestIdOf(options.requestId);
  const key = headerKeyOf(line, options.idempotencyKey);
  const content = contentOf(line, input);
  return {
    url: addressOf(baseUrl, line, input),
    line,
    content,
    requestId,
    keyed: keyOf(line, input, key),
    headers: {
      "User-Agent": userAgent,
      "X-Request-Id": requestId,
      [api.partnerHeader]: partner,
      ...(api.authKey && authKey !== undefined ? { AuthKey: authKey } : {}),
      ...(key === undefined ? {} : { "Idempotency-Key": key }),
      ...(content === undefined ? {} : { "Content-Type": content.type }),
      ...(options.accept === undefined ? {} : { Accept: options.accept }),
    },
  };
};

const isFinal = (error: unknown): boolean =>
  error instanceof AnswerTooLargeError || error instanceof TokenRefusedError;

/** Rejects only where no repeat would help. */
const attemptOnce = async (
  { send, tokens, attemptMs, answerBytesMax }: Connection,
  { url, line, content, headers }: Prepared,
  signal: AbortSignal,
): Promise<Attempt> => {
  const limit = timeLimit(attemptMs, [signal]);
  const exchange = async (): Promise<Attempt> => {
    const token = await tokens.current(limit.signal);
    const answer = await send(url, {
      method: line.method,
      headers: { ...headers, Authorization: `Bearer ${token}` },
      ...(content === undefined ? {} : { body: content.body }),
      // The partner's keys go to the platform and to nobody whom an answer names.
      redirect: "error",
      signal: limit.signal,
    });
    return { answer, bytes: await readBytes(answer, answerBytesMax), token };
  };
  try {
    // Whoever sends may hear the signal late, or not at all.
    return await within(limit.signal, exchange());
  } catch (cause) {
    if (signal.aborted || isFinal(cause)) throw cause;
    return { cause };
  } finally {
    limit.release();
  }
};

type Read = { readonly result: Result<unknown> } | { readonly cause: unknown };

/** The answer as a result; where it is not the platform's, what it is instead. */
const read = ({ line, requestId, keyed }: Prepared, attempt: Attempt): Read => {
  if ("cause" in attempt) return attempt;
  const { answer, bytes } = attempt;
  const { status, headers } = answer;
  const id = headers.get("x-request-id") ?? requestId;
  const isReplayed = headers.get("idempotency-replayed") === "true";
  const success = { ok: true, status, requestId: id, isReplayed } as const;
  if (answer.ok && line.bytes === true) return { result: { ...success, value: bytes } };
  const body = jsonOf(bytes);
  if (answer.ok && body !== undefined) return { result: { ...success, value: body } };
  const error = answer.ok
    ? undefined
    : refusalOf(status, body, id, retryAfterMs(headers, Date.now()));
  if (error !== undefined) return { result: { ok: false, error: { ...error, ...keyed } } };
  const type = headers.get("content-type") ?? "nothing";
  return { cause: new Error(`The answer is ${status} with ${type}, not the platform's`) };
};

const unauthorized = 401;

/**
 * The platform's answer, success or refusal. Rejects with `NoAnswerError` where there is none, with
 * `TokenRefusedError`, or with the reason of the caller's signal.
 */
export const call = async (
  connection: Connection,
  api: ApiLine,
  line: RouteLine,
  input: Input,
  options: AnyCallOptions,
): Promise<Result<unknown>> => {
  const { tokens, onAttempt } = connection;
  const { retries = connection.policy.attempts - 1 } = options;
  const policy = { ...connection.policy, attempts: 1 + retries };
  const prepared = prepare(connection, api, line, input, options);
  const { requestId, keyed } = prepared;
  const isRepeatable = line.repeatable === true;
  const timeoutMs = options.timeout ?? connection.timeoutMs;
  const limit = timeLimit(timeoutMs, [options.signal]);
  let hasFreshToken = false;
  let attempt = 0;
  let cause: unknown;
  try {
    for (;;) {
      const beganMs = performance.now();
      attempt += 1;
      const report = (came: Pick<AttemptReport, "status" | "code" | "cause">): void => {
        const durationMs = performance.now() - beganMs;
        const { method, path } = line;
        tell(onAttempt, { method, path, requestId, attempt, durationMs, ...came });
      };
      const made = await attemptOnce(connection, prepared, limit.signal).catch(
        (ending: unknown) => {
          report({ status: null, cause: ending });
          throw ending;
        },
      );
      const status = "cause" in made ? null : made.answer.status;
      const answered = read(prepared, made);
      const error = "result" in answered && !answered.result.ok ? answered.result.error : undefined;
      report({
        status,
        ...(error?.code === undefined ? {} : { code: error.code }),
        ...("cause" in answered ? { cause: answered.cause } : {}),
      });
      if (status === unauthorized && "token" in made && !hasFreshToken) {
        // The platform may have forgotten the token before its time: one fresh try.
        hasFreshToken = true;
        tokens.forget(made.token);
        attempt -= 1;
        continue;
      }
      if ("result" in answered && answered.result.ok) return answered.result;
      cause = "cause" in answered ? answered.cause : undefined;
      const delay = delayAfter(
        {
          // What answers success with something else is nobody's word on the call.
          status: status !== null && status < 400 ? null : status,
          code: error?.code,
          retryAfterMs: "cause" in made ? undefined : retryAfterMs(made.answer.headers, Date.now()),
        },
        isRepeatable,
        attempt,
        policy,
        Math.random(),
      );
      if (delay !== null) await pause(delay, limit.signal);
      else if ("result" in answered) return answered.result;
      else throw cause;
    }
  } catch (error) {
    if (isFinal(error) || (limit.signal.aborted && !limit.isOver())) throw error;
    const sentence = limit.isOver()
      ? `No answer within ${timeoutMs} ms`
      : `No answer: ${error instanceof Error ? error.message : String(error)}`;
    throw new NoAnswerError(sentence, requestId, attempt, { cause: cause ?? error, ...keyed });
  } finally {
    limit.release();
  }
};
