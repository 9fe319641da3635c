/** A Blob Storage of its own on this machine, for a test file: the emulator from npm, in memory. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

export interface BlobStorage {
  readonly connectionString: string;
  readonly accountUrl: string;
  stop(): Promise<void>;
}

/** The emulator's account, which everybody knows. */
const account = "devstoreaccount1";
const key =
  "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

/** Takes tokens besides the account's key, and for their sake speaks HTTPS with a made-up certificate. */
export const withTokens: readonly string[] = [
  ...["--oauth", "basic"],
  ...["--cert", resolve("test/support/documents/seal-rsa.p12"), "--pwd", "secret"],
];

const command = resolve("node_modules/azurite/dist/src/blob/main.js");

export const startBlobStorage = async (more: readonly string[] = []): Promise<BlobStorage> => {
  const folder = await mkdtemp(join(tmpdir(), "borsello-blobs-"));
  const options = ["--inMemoryPersistence", "--skipApiVersionCheck", "--disableTelemetry"];
  const child = spawn(
    process.execPath,
    [command, "--blobHost", "127.0.0.1", "--blobPort", "0", "--silent", ...options, ...more],
    { cwd: folder, stdio: ["ignore", "pipe", "ignore"] },
  );
  const killed = (): void => void child.kill("SIGKILL");
  process.once("exit", killed);
  const ended = once(child, "exit");
  const listening = (async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      const address = /listens on (https?:\S+)/.exec(line)?.[1];
      if (address !== undefined) return address;
    }
    throw new Error("the emulator of Blob Storage did not start");
  })();
  const address = await listening;
  child.stdout.resume();
  const accountUrl = `${address}/${account}`;
  return {
    accountUrl,
    connectionString:
      `DefaultEndpointsProtocol=${address.split(":")[0] ?? ""};AccountName=${account};` +
      `AccountKey=${key};BlobEndpoint=${accountUrl};`,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
      process.off("exit", killed);
      await rm(folder, { recursive: true, force: true });
    },
  };
};
