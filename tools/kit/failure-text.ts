/** Why something could not be done, as a person can use it: with its cause, without secrets. */
import { redact } from "../../shared/platform/logger.js";

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** What the first in the chain says, and what lies at its bottom. */
const chainText = (error: unknown): string => {
  let root = error;
  // No chain of causes is as long as that, unless it is a circle.
  for (let depth = 0; depth < 10 && root instanceof Error && root.cause !== undefined; depth += 1)
    root = root.cause;
  const [first, last] = [messageOf(error), messageOf(root)];
  return last === "" || first.includes(last) ? first : `${first} (${last})`;
};

export const failureText = (error: unknown): string => {
  const text = redact(chainText(error));
  return /self-signed certificate/i.test(text)
    ? `${text}. A broker on this machine is trusted by --broker-certificate: npm start prints the file.`
    : text;
};
