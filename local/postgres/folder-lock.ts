/** Lets one process at a time use a data folder, and survives the death of its holder. */
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCode, StartError } from "../start-error.js";
import { birthMark } from "./processes.js";

export interface FolderLock {
  release(): Promise<void>;
}

interface Holder {
  readonly pid: number;
  readonly born: string;
}

const attemptsMax = 20;

const parse = (text: string): Holder | undefined => {
  const [pid, ...born] = text.trim().split(" ");
  return pid === undefined || !/^\d+$/.test(pid)
    ? undefined
    : { pid: Number(pid), born: born.join(" ") };
};

/** The process that wrote this lock, if it still lives: another one with its id has another birth. */
const livingHolder = async (text: string): Promise<Holder | undefined> => {
  const holder = parse(text);
  if (holder === undefined) return undefined;
  return (await birthMark(holder.pid)) === holder.born ? holder : undefined;
};

/** Links a complete file into place: that either happens whole or finds the name taken. */
const tryTake = async (file: string, text: string): Promise<boolean> => {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, text);
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
};

/** Moves a dead holder's lock aside; if it was a living one's after all, puts it back. */
const clearStale = async (file: string, stale: string): Promise<void> => {
  const aside = `${file}.stale.${process.pid}`;
  try {
    await rename(file, aside);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return;
    throw error;
  }
  // Where somebody has taken the lock meanwhile, theirs counts.
  if ((await readFile(aside, "utf8")) !== stale)
    await link(aside, file).catch((error: unknown) => {
      if (errorCode(error) !== "EEXIST") throw error;
    });
  await rm(aside, { force: true });
};

/** Takes the folder, or says in one sentence who has it. */
export const lockFolder = async (folder: string): Promise<FolderLock> => {
  const file = join(folder, "lock");
  const mine = `${process.pid} ${(await birthMark(process.pid)) ?? ""}\n`;
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    if (await tryTake(file, mine)) return { release: () => rm(file, { force: true }) };
    const text = await readFile(file, "utf8").catch((error: unknown) => {
      if (errorCode(error) === "ENOENT") return "";
      throw error;
    });
    const holder = await livingHolder(text);
    if (holder !== undefined)
      throw new StartError(
        `The data folder ${folder} is in use by the process ${holder.pid}, which is running: stop that one first, or choose another folder with --data.`,
      );
    await clearStale(file, text);
  }
  throw new StartError(`The lock in the data folder ${folder} cannot be taken: try again.`);
};
