/** Structured failure details: how a task failed, for code that wants to decide by it. */
import { z } from "zod";

/** As history events carry them and the library reads them, inner failures included. */
export interface FailureDetails {
  readonly ErrorType: string;
  readonly ErrorMessage: string;
  readonly StackTrace?: string | undefined;
  readonly IsNonRetriable: boolean;
  readonly Properties?: Readonly<Record<string, unknown>> | undefined;
  readonly InnerFailure?: FailureDetails | undefined;
}

export const FailureDetails: z.ZodType<FailureDetails> = z.object({
  ErrorType: z.string(),
  ErrorMessage: z.string(),
  StackTrace: z.string().optional(),
  IsNonRetriable: z.boolean(),
  Properties: z.record(z.string(), z.unknown()).optional(),
  get InnerFailure() {
    return FailureDetails.optional();
  },
});

/** The same in a worker's words, which are also those of the library's own errors. */
const WorkerFailure: z.ZodType<FailureDetails> = z
  .object({
    errorType: z.string(),
    errorMessage: z.string(),
    stackTrace: z.string().nullish(),
    isNonRetriable: z.boolean().nullish(),
    properties: z.record(z.string(), z.unknown()).nullish(),
    get innerFailure() {
      return WorkerFailure.nullish();
    },
  })
  .transform((failure) => ({
    ErrorType: failure.errorType,
    ErrorMessage: failure.errorMessage,
    IsNonRetriable: failure.isNonRetriable ?? false,
    ...(failure.stackTrace != null && { StackTrace: failure.stackTrace }),
    ...(failure.properties != null && { Properties: failure.properties }),
    ...(failure.innerFailure != null && { InnerFailure: failure.innerFailure }),
  }));

const parsed = (value: unknown): FailureDetails | undefined => WorkerFailure.safeParse(value).data;

/**
 * What the message of an activity's error says in a structured form: where the app has a provider of exception
 * properties, the library makes JSON of the error's message. Undefined for any other message.
 */
export const activityFailure = (message: string): FailureDetails | undefined => {
  if (!message.startsWith("{")) return undefined;
  try {
    return parsed(JSON.parse(message));
  } catch {
    // A text that begins like JSON, or is nested deeper than the stack: it is a message like others.
    return undefined;
  }
};

/** What an orchestrator passes on when it ends with the failure of a task of its own. */
export const passedOnFailure = (error: unknown): FailureDetails | undefined =>
  error instanceof Error && error.name === "TaskFailedError" && "failureDetails" in error
    ? parsed(error.failureDetails)
    : undefined;
