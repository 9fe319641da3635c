/** The folder that platform and bank exchange files in: `out/` to the bank, `in/` from it, `done/`, `failed/`. */
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface BankFolder {
  /** Writes a file to the end, where the bank does not look for it. */
  write(name: string, pieces: Iterable<string>): Promise<void>;
  /** Shows a written file to the bank under another name; false: it is not there (any more). */
  show(writtenName: string, name: string): Promise<boolean>;
  forget(writtenName: string): Promise<void>;
  /** Names of what the bank has sent, in their order; files that are still being written are left out. */
  incoming(filesMax: number): Promise<string[]>;
  read(name: string): AsyncIterable<Uint8Array>;
  /** Puts a file away. Whoever puts it away second finds it gone, which is as good. */
  putAway(name: string, where: "done" | "failed", newName: string): Promise<void>;
  /** Says beside a file that has failed what was wrong with it. */
  explain(newName: string, sentence: string): Promise<void>;
}

/** So much is written at once. */
const pieceCharacters = 64 * 1024;

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT";

const unlessMissing = async (work: Promise<void>): Promise<boolean> => {
  try {
    await work;
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
};

/** What senders call files that they have not finished. */
const unfinished = /^\.|\.(tmp|part|filepart)$/i;

const writeThrough = async (path: string, pieces: Iterable<string>): Promise<void> => {
  const file = await open(path, "w");
  try {
    let waiting = "";
    for (const piece of pieces) {
      waiting += piece;
      if (waiting.length < pieceCharacters) continue;
      await file.write(waiting);
      waiting = "";
    }
    await file.write(waiting);
    await file.sync();
  } finally {
    await file.close();
  }
};

export const openBankFolder = async (folder: string): Promise<BankFolder> => {
  const [out, incoming] = [join(folder, "out"), join(folder, "in")];
  for (const name of ["out", "in", "done", "failed"])
    await mkdir(join(folder, name), { recursive: true });
  return {
    write: (name, pieces) => writeThrough(join(out, name), pieces),
    show: (writtenName, name) => unlessMissing(rename(join(out, writtenName), join(out, name))),
    forget: (writtenName) => rm(join(out, writtenName), { force: true }),
    incoming: async (filesMax) => {
      const entries = await readdir(incoming, { withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile() && !unfinished.test(entry.name))
        .map(({ name }) => name)
        .sort()
        .slice(0, filesMax);
    },
    read: (name) => createReadStream(join(incoming, name)),
    putAway: async (name, where, newName) => {
      await unlessMissing(rename(join(incoming, name), join(folder, where, newName)));
    },
    explain: async (newName, sentence) => {
      await writeFile(join(folder, "failed", `${newName}.txt`), `${sentence}\n`);
    },
  };
};
