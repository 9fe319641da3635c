/** The application settings of a local run: the settings file, the environment over it, our own defaults last. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { errorCode, StartError } from "./start-error.js";

export type Settings = Readonly<Record<string, string>>;

const settingsFile = z.object({ Values: z.record(z.string(), z.string()).default({}) });

const readIfThere = async (file: string): Promise<string | undefined> => {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
};

const parse = (file: string, text: string): Settings => {
  try {
    return settingsFile.parse(JSON.parse(text)).Values;
  } catch {
    throw new StartError(
      `The file ${file} is not valid: it must be JSON with an object Values whose values are texts.`,
    );
  }
};

/** `local.settings.json` where a developer keeps one, else the sample that comes with the app. */
const readSettingsFile = async (appDirectory: string): Promise<Settings> => {
  for (const name of ["local.settings.json", "local.settings.sample.json"]) {
    const file = join(appDirectory, name);
    const text = await readIfThere(file);
    if (text !== undefined) return parse(file, text);
  }
  return {};
};

/** What somebody set for this run; an empty value counts as not set. */
export const readSettings = async (
  appDirectory: string,
  environment: NodeJS.ProcessEnv,
  given: Settings,
): Promise<Settings> => {
  const merged = { ...(await readSettingsFile(appDirectory)), ...environment, ...given };
  return Object.fromEntries(
    Object.entries(merged).flatMap(([name, value]) =>
      value === undefined || value === "" ? [] : [[name, value]],
    ),
  );
};
