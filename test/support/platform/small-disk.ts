/** A disk of a few hundred megabytes that can be filled to its last byte, where the machine allows one. */
import { execFile } from "node:child_process";
import { mkdtemp, open, rm, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export const mountSmallDisk = async (folder: string, megabytes: number): Promise<void> => {
  await run("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=711`, "tmpfs", folder]);
};

export const unmountSmallDisk = async (folder: string): Promise<void> => {
  await run("umount", [folder]);
};

/** Why this machine cannot have a small disk; undefined where it can. */
export const noSmallDisk = async (): Promise<string | undefined> => {
  if (process.platform !== "linux") return "a small disk is mounted on Linux only";
  if (process.getuid?.() !== 0) return "only root may mount a small disk";
  const folder = await mkdtemp(join(tmpdir(), "borsello-mount-"));
  try {
    await mountSmallDisk(folder, 1);
    await unmountSmallDisk(folder);
    return undefined;
  } catch (error) {
    return `a small disk cannot be mounted: ${String(error)}`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** False: the disk is full. */
const written = (handle: FileHandle, size: number): Promise<boolean> =>
  handle.write(Buffer.alloc(size)).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Error && "code" in error && error.code === "ENOSPC") return false;
      throw error;
    },
  );

/** Takes what is left of a disk, in a file that can be given back at once. */
export const takeRest = async (file: string): Promise<void> => {
  const handle = await open(file, "w");
  for (let size = 1024 * 1024; size >= 4096; size /= 2) while (await written(handle, size));
  await handle.close();
};
