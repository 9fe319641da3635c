/** Bounds a wait whose other side may never answer. */

/** The work's result, or `late()` thrown after `limitMs`; the work itself goes on, and nobody hears of its end. */
export const withinLimit = async <Result>(
  work: Promise<Result>,
  limitMs: number,
  late: () => Error,
): Promise<Result> => {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(late());
    }, limitMs);
  });
  try {
    return await Promise.race([work, expired]);
  } finally {
    clearTimeout(timer);
  }
};
