/** `npm run start:func`: the way to the genuine host, with its storage, or why there is none. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { reservePort } from "../../../local/reserve-port.js";

const script = resolve("scripts/start-func.mjs");
const run = promisify(execFile);
const nodeFolder = dirname(process.execPath);
let root = "";
let checkout = "";
let ports: readonly number[] = [];

/** Stands for Core Tools: says how it was called and whether the storage answers. */
const fakeFunc = `#!${process.execPath}
const { port } = JSON.parse(require("node:fs").readFileSync("ports.json", "utf8"));
fetch("http://127.0.0.1:" + port + "/devstoreaccount1?comp=list").then(
  ({ status }) => { console.log(process.argv.slice(2).join(" "), "storage", status); process.exit(3); },
  () => { console.log("no storage"); process.exit(4); },
);
`;

const freePort = async (): Promise<number> => {
  const reserved = await reservePort(0, "");
  await reserved.release();
  return reserved.port;
};

const storage = (): string =>
  ["Blob", "Queue", "Table"]
    .map((name, index) => `${name}Endpoint=http://127.0.0.1:${ports[index] ?? 0}/devstoreaccount1`)
    .join(";");

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "borsello-func-"));
  await writeFile(join(root, "func"), fakeFunc);
  await chmod(join(root, "func"), 0o755);
});
afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});
beforeEach(async () => {
  checkout = await mkdtemp(join(root, "checkout-"));
  await mkdir(join(checkout, "node_modules"));
  await symlink(resolve("node_modules/azurite"), join(checkout, "node_modules/azurite"));
  ports = [await freePort(), await freePort(), await freePort()];
  await writeFile(join(checkout, "ports.json"), JSON.stringify({ port: ports[0] }));
});

const settings = async (values: Readonly<Record<string, string>>): Promise<void> => {
  await writeFile(join(checkout, "local.settings.json"), JSON.stringify({ Values: values }));
};

/** Exit code and all that was said. */
const started = async (path: string): Promise<{ code: unknown; output: string }> => {
  const done = run(process.execPath, [script, "--port", "7072"], {
    cwd: checkout,
    env: { PATH: path },
  });
  return done.then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    (error: unknown) => {
      const { code, stdout, stderr } = error as { code: unknown; stdout: string; stderr: string };
      return { code, output: `${stdout}${stderr}`.trim() };
    },
  );
};

test("without Core Tools it says so in one sentence", async () => {
  const { code, output } = await started(nodeFolder);
  expect([code, output.split("\n").length]).toEqual([1, 1]);
  expect(output).toContain("Azure Functions Core Tools are missing");
});

test("without settings, or a storage in them, it says what to do in one sentence", async () => {
  const path = [root, nodeFolder].join(delimiter);
  const bare = await started(path);
  expect(bare).toMatchObject({ code: 1 });
  expect(bare.output).toMatch(/^There is no local\.settings\.json: copy .*$/u);
  await settings({ FUNCTIONS_WORKER_RUNTIME: "node" });
  const unstored = await started(path);
  expect(unstored).toMatchObject({ code: 1 });
  expect(unstored.output).toMatch(/^The setting AzureWebJobsStorage is missing.*$/u);
});

/** Stands for the genuine host: it still needs its storage while it ends. */
const slowFunc = `#!${process.execPath}
const { port } = JSON.parse(require("node:fs").readFileSync("ports.json", "utf8"));
const ask = () => fetch("http://127.0.0.1:" + port + "/devstoreaccount1?comp=list").then(
  () => "there", () => "gone");
process.on("SIGINT", async () => {
  let storage = "there";
  for (let n = 0; n < 20 && storage === "there"; n += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    storage = await ask();
  }
  console.log("storage", storage);
  process.exit(0);
});
setInterval(() => undefined, 1000);
console.log("started");
`;

test("at Ctrl-C the host ends first, and has its storage until then", async () => {
  await settings({ AzureWebJobsStorage: storage() });
  await writeFile(join(checkout, "func"), slowFunc, { mode: 0o755 });
  // A group of its own, as a terminal makes one for a command.
  const started = spawn(process.execPath, [script], {
    cwd: checkout,
    env: { PATH: [checkout, nodeFolder].join(delimiter) },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  let output = "";
  started.stdout.on("data", (data: Buffer) => (output += data.toString()));
  await expect.poll(() => output).toContain("started");
  const ended = once(started, "exit");
  process.kill(-(started.pid ?? 0), "SIGINT");
  expect(await ended).toEqual([0, null]);
  expect(output).toContain("storage there");
  await expect(fetch(`http://127.0.0.1:${ports[0] ?? 0}/`)).rejects.toThrow();
});

test("it starts Azurite where none answers, then the host, and passes its exit code on", async () => {
  await settings({ AzureWebJobsStorage: storage() });
  const { code, output } = await started([root, nodeFolder].join(delimiter));
  expect(output).toMatch(/^start --port 7072 storage [1-5]\d\d$/u);
  expect(code).toBe(3);
  await expect(fetch(`http://127.0.0.1:${ports[0] ?? 0}/`)).rejects.toThrow();
});
