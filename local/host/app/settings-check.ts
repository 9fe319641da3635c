/** Asks the app what is wrong with its settings, before anything is started for it. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { readManifest } from "./entry-files.js";
import { loadFailure } from "./load-failure.js";

type Check = (settings: Readonly<Record<string, string>>) => unknown;

const Checking = z.object({
  default: z.custom<Check>((value) => typeof value === "function"),
});

/** The module that `settingsCheck` in the app's package.json names, if it names one, throws what it has to say. */
export const checkSettings = async (
  directory: string,
  settings: Readonly<Record<string, string>>,
): Promise<void> => {
  const { settingsCheck } = await readManifest(directory);
  if (settingsCheck === undefined) return;
  const file = join(directory, settingsCheck);
  try {
    const checking = Checking.safeParse(await import(pathToFileURL(file).href));
    if (!checking.success) throw new Error("its default export is no function.");
    await checking.data.default(settings);
  } catch (error) {
    throw loadFailure(directory, file, error);
  }
};
