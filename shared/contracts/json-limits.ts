/** What bounds every JSON body before its own schema looks at it. */

/** Several times what the largest legal body needs, in whatever escapes it is written. */
export const jsonBytesMax = 256 * 1024;

/** Strings, numbers, keys and the like: a list of nothings costs more to look at than its bytes tell. */
export const jsonValuesMax = 10_000;

export const jsonDepthMax = 64;
