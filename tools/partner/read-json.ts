/** Reads a JSON file that a person wrote. */
import { open } from "node:fs/promises";
import { UsageError } from "../kit/command-line.js";

const bytesMax = 256 * 1024;

/** One byte more than may be there is enough to see that there are too many. */
export const readBytes = async (file: string, max: number): Promise<Buffer> => {
  const handle = await open(file).catch((error: unknown) => {
    throw new UsageError(`The file ${file} cannot be read: ${String(error)}`);
  });
  try {
    const bytes = Buffer.alloc(max + 1);
    let length = 0;
    for (let read = 1; read > 0 && length < bytes.length; length += read)
      read = (await handle.read(bytes, length)).bytesRead;
    return bytes.subarray(0, length);
  } finally {
    await handle.close();
  }
};

export const readJson = async (file: string): Promise<unknown> => {
  const bytes = await readBytes(file, bytesMax);
  if (bytes.length > bytesMax)
    throw new UsageError(`The file ${file} is larger than ${bytesMax} bytes.`);
  try {
    return JSON.parse(bytes.toString("utf8")) as unknown;
  } catch {
    throw new UsageError(`The file ${file} is no JSON.`);
  }
};
