/** What a text says in JSON, where it comes from others and may be none. */

/** Undefined where it is not JSON: a schema then refuses it as it does any other value. */
export const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};
