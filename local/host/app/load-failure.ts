/** What a file of the app that does not load is told as. */
import { relative } from "node:path";
import { StartError } from "../../start-error.js";

/**
 * One sentence; a syntax error's place is in its stack's first line and would be lost otherwise. What an app
 * says of its settings, by an error of that name, is meant for whoever starts it, and stands for itself.
 */
export const loadFailure = (directory: string, file: string, error: unknown): StartError => {
  if (error instanceof Error && error.name === "SettingsError")
    return new StartError(error.message);
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const place = error instanceof SyntaxError ? ` (${error.stack?.split("\n")[0] ?? ""})` : "";
  return new StartError(`${relative(directory, file)} does not load: ${reason}${place}`);
};
