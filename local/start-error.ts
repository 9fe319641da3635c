/** A start that cannot go on, told in one sentence to the person at the terminal. */

/** Its message is shown alone: the cause is the machine or the command line, not a defect of ours. */
export class StartError extends Error {
  override readonly name = "StartError";
}

/** The `code` of a system error ("ENOENT", "EACCES"), or undefined where there is none. */
export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined;
