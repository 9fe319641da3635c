/** Finds the files that make up a built function app: those that `main` of its package.json names. */
import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { z } from "zod";
import { errorCode, StartError } from "../../start-error.js";

const escapeRegExp = (text: string): string => text.replace(/[.+^$()|[\]\\]/g, "\\$&");

/** A glob of `*`, `**`, `?` and `{a,b}` as a regular expression over a path with slashes. */
export const globPattern = (glob: string): RegExp => {
  const source = escapeRegExp(glob)
    .replace(/\*\*\//g, "\u0000")
    .replace(/\*\*/g, "\u0001")
    .replace(/\*/g, "[^/]*")
    .replace(/\?/g, "[^/]")
    .replace(/\{([^{}]*)\}/g, (_whole, list: string) => `(?:${list.split(",").join("|")})`)
    .replaceAll("\u0000", "(?:[^/]+/)*")
    .replaceAll("\u0001", ".*");
  return new RegExp(`^${source}$`);
};

const whyNoApp = async (directory: string): Promise<string> =>
  stat(directory).then(
    () => `${directory} is no function app: it has no package.json.`,
    () => `There is no folder ${directory}: --app names the folder of a built function app.`,
  );

const Manifest = z.object({
  main: z.string().min(1),
  /** Of an app that can judge its settings before it is loaded. */
  settingsCheck: z.string().min(1).optional(),
});
type Manifest = z.output<typeof Manifest>;

export const readManifest = async (directory: string): Promise<Manifest> => {
  const packageFile = join(directory, "package.json");
  const text = await readFile(packageFile, "utf8").catch(async (error: unknown) => {
    throw new StartError(
      errorCode(error) === "ENOENT"
        ? await whyNoApp(directory)
        : `${packageFile} cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
    );
  });
  const manifest = Manifest.safeParse(parseJson(text));
  if (manifest.success) return manifest.data;
  const isMainFound = manifest.error.issues.every(({ path: [name] }) => name === "settingsCheck");
  throw new StartError(
    isMainFound
      ? `${packageFile} has a "settingsCheck" that names no file.`
      : `${packageFile} has no "main", so there is no function to load.`,
  );
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const isFile = async (file: string): Promise<boolean> =>
  stat(file).then(
    (found) => found.isFile(),
    () => false,
  );

/** The files of the app that `main` names, in order of their paths, or why there are none. */
export const entryFiles = async (directory: string): Promise<string[]> => {
  const packageFile = join(directory, "package.json");
  const glob = (await readManifest(directory)).main.replace(/^\.\//, "");
  const special = glob.search(/[*?{]/);
  if (special < 0) {
    const file = join(directory, glob);
    if (await isFile(file)) return [file];
    throw new StartError(`There is no ${file}, the "main" of ${packageFile}: is it built?`);
  }

  const root = join(directory, glob.slice(0, glob.lastIndexOf("/", special) + 1));
  const pattern = globPattern(glob);
  // A folder that is not there holds no files, which the next lines say.
  const found = await readdir(root, { recursive: true }).catch((): string[] => []);
  const files = found
    .map((name) => join(root, name))
    .filter((file) => {
      const path = relative(directory, file).split(sep).join("/");
      return pattern.test(path) && !path.includes("node_modules/");
    })
    .sort();
  if (files.length === 0)
    throw new StartError(`No file matches "${glob}", the "main" of ${packageFile}: is it built?`);
  return files;
};
