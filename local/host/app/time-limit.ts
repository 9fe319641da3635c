/** Bounds a wait whose other side may never answer. */

/** The wait took too long. What was waited for may still happen. */
export class TimeLimitError extends Error {
  override readonly name = "TimeLimitError";
}

/** Rejects with `TimeLimitError` after `limitMs`; what becomes of `work` later is nobody's concern. */
export const withTimeLimit = async <Result>(
  limitMs: number,
  what: string,
  work: Promise<Result>,
): Promise<Result> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new TimeLimitError(`${what} took longer than ${limitMs / 1000} s.`));
    }, limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};
