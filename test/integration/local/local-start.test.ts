/** The command line from outside: what it refuses and how, what survives, what it leaves behind. */
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { repairLinks } from "../../../local/postgres/binaries.js";
import { birthMark } from "../../../local/postgres/processes.js";
import { startPostgres } from "../../../local/postgres/server.js";
import { runStart } from "../../../bench/platform/launch.js";
import { partnerConnectionString } from "../../../bench/platform/topic-reader.js";
import { startTestStack } from "../../support/platform/stack.js";
import { rowsOf } from "../../support/database/connections.js";
import { createDatabase } from "../../support/database/database.js";

let root = "";
let folders = 0;

/** A path below a folder of this file's own; nothing is there yet. */
const newFolder = (): string => join(root, `data-${(folders += 1)}`);

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "borsello-start-"));
  // PostgreSQL's own account has to pass through when this runs as root.
  await rm(root, { recursive: true });
  await mkdir(root, { mode: 0o755 });
});

afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

const opening = /^Borsello \d+\.\d+\.\d+ is starting: .*\n/;

/** What it says after its first line, where it came to say that. */
const refusal = async (...args: string[]): Promise<{ code: number | null; output: string }> => {
  const started = runStart(["--port", "0", "--broker-port", "0", ...args]);
  return { code: await started.ended(), output: started.output().replace(opening, "") };
};

const serverPid = async (folder: string): Promise<number> =>
  Number((await readFile(join(folder, "postgres/postmaster.pid"), "utf8")).split("\n")[0]);

const gone = async (pid: number): Promise<void> => {
  while ((await birthMark(pid)) !== undefined) await delay(20);
};

describe("a start that cannot be is refused in one sentence", () => {
  test.each([
    [["--prot", "1"], "Unknown option '--prot'"],
    [["--port", "eighty"], '--port must be a port number from 0 to 65535, not "eighty"'],
    [["--broker-port", "65536"], "--broker-port must be a port number"],
    [["--port", "7071", "--broker-port", "7071"], "must differ"],
    [["--data", ""], "--data must not be empty"],
    [["--database-url", "mysql://localhost/x"], "--database-url must look like"],
    [["surplus"], "Unexpected argument 'surplus'"],
  ])("for the options %j", async (args, sentence) => {
    const { code, output } = await refusal(...args);
    expect(output).toContain(sentence);
    expect(output.trim().split("\n")).toHaveLength(1);
    expect(code).toBe(1);
  });

  test.each([
    ["--port", "HTTP"],
    ["--broker-port", "AMQP"],
  ])("for a busy %s, which it names", async (option) => {
    const busy = createServer().listen(0, "127.0.0.1");
    await once(busy, "listening");
    const address = busy.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const folder = newFolder();
    const { code, output } = await refusal("--data", folder, option, String(port));
    busy.close();
    expect(output).toBe(`Port ${port} is in use: choose another one with ${option}.\n`);
    expect(code).toBe(1);
    await expect(readdir(folder)).rejects.toThrow("ENOENT");
  });

  test("for a data folder that is a file", async () => {
    const file = newFolder();
    await writeFile(file, "");
    const { code, output } = await refusal("--data", file);
    expect(output).toBe(
      `The data folder ${file} cannot be used: it is a file. Choose another with --data.\n`,
    );
    expect(code).toBe(1);
  });

  test("for a data folder below a file", async () => {
    const file = newFolder();
    await writeFile(file, "");
    const { code, output } = await refusal("--data", join(file, "below"));
    expect(output).toContain("a part of its path is a file");
    expect(code).toBe(1);
  });

  test("for a data folder where none can be made", async ({ skip }) => {
    skip(process.platform !== "linux", "there is no /proc to refuse it");
    const { code, output } = await refusal("--data", "/proc/borsello");
    expect(output).toContain("The data folder /proc/borsello cannot be used");
    expect(code).toBe(1);
  });

  test("for a data folder of another PostgreSQL version", async () => {
    const folder = newFolder();
    await mkdir(join(folder, "postgres"), { recursive: true });
    await writeFile(join(folder, "postgres/PG_VERSION"), "15\n");
    await writeFile(join(folder, "password"), "secret\n");
    const { code, output } = await refusal("--data", folder);
    expect(output).toContain(`The data folder ${folder} was written by PostgreSQL 15`);
    expect(output.trim().split("\n")).toHaveLength(1);
    expect(code).toBe(1);
  });

  test("for a database that does not answer, without showing its password", async () => {
    const { code, output } = await refusal("--database-url", "postgres://me:hidden@127.0.0.1:1/x");
    expect(output).toContain("The database 127.0.0.1:1/x cannot be used");
    expect(output).not.toContain("hidden");
    expect(code).toBe(1);
  });
});

test("a start that fails half-way ends what has begun, instead of waiting for it", async () => {
  const database = await createDatabase();
  await rowsOf(database.url, "create schema host");
  // The engine runs by the time when the timers are read.
  await rowsOf(database.url, "create table host.timer_status (app text)");
  const { code, output } = await refusal("--database-url", database.url);
  expect(output).toContain("The start failed");
  expect(code).toBe(1);
  await database.drop();
});

test("its first line says whose start it is, wrong settings are a line each, and nothing is set up for them", async () => {
  const folder = newFolder();
  const started = runStart(["--port", "0", "--broker-port", "0", "--data", folder], {
    LOG_LEVEL: "loud",
    SANDBOX_BANK: "none",
  });
  expect(await started.ended()).toBe(1);
  expect(started.output()).toMatch(opening);
  expect(started.output().replace(opening, "")).toBe(
    'The setting LOG_LEVEL must be debug, info, warn or error, not "loud". See docs/operating.md#log_level.\n' +
      'The setting SANDBOX_BANK must be on or off, not "none". See docs/operating.md#sandbox_bank.\n',
  );
  await expect(readdir(folder)).rejects.toThrow("ENOENT");
});

test("--help names every option and starts nothing", async () => {
  const { code, output } = await refusal("--help");
  for (const option of ["--port", "--broker-port", "--data", "--database-url"])
    expect(output).toContain(option);
  expect(code).toBe(0);
});

test("links that npm ci --ignore-scripts leaves out are made, once", async () => {
  const folder = newFolder();
  await mkdir(join(folder, "native/lib"), { recursive: true });
  await writeFile(join(folder, "native/lib/libpq.so.5.18"), "the library");
  const link = { source: "native/lib/libpq.so.5.18", target: "native/lib/libpq.so.5" };
  await writeFile(join(folder, "native/pg-symlinks.json"), JSON.stringify([link]));
  for (const attempt of ["first", "again"]) {
    const environment = await repairLinks(folder, newFolder());
    expect(environment, attempt).toEqual({});
  }
  expect(await readFile(join(folder, "native/lib/libpq.so.5"), "utf8")).toBe("the library");
  expect(await readlink(join(folder, "native/lib/libpq.so.5"))).toBe("libpq.so.5.18");
});

test("a PostgreSQL that is killed comes back on its port with its data", async () => {
  const folder = newFolder();
  const server = await startPostgres({ dataDirectory: folder });
  await rowsOf(server.url, "create table kept as select 42 as answer");
  const pid = await serverPid(folder);
  process.kill(pid, "SIGKILL");
  await gone(pid);
  const again = async (): Promise<unknown[]> =>
    rowsOf(server.url, "select * from kept").catch(async () => {
      await delay(20);
      return again();
    });
  expect(await again()).toEqual([{ answer: 42 }]);
  await server.stop();
});

test("a PostgreSQL that cannot start for a while is tried until it can", async () => {
  const folder = newFolder();
  const warnings: string[] = [];
  const server = await startPostgres({
    dataDirectory: folder,
    warn: (message) => warnings.push(message),
  });
  const pid = await serverPid(folder);
  const control = join(folder, "postgres/global/pg_control");
  await rename(control, `${control}.away`);
  process.kill(pid, "SIGKILL");
  await gone(pid);
  await vi.waitUntil(() => warnings.length > 0, { timeout: 45_000 });
  expect(warnings[0]).toContain("tried again");
  await rename(`${control}.away`, control);
  const answer = () => rowsOf(server.url, "select 42 as answer").catch(() => undefined);
  await expect.poll(answer).toEqual([{ answer: 42 }]);
  expect(await Promise.race([server.failed, Promise.resolve("still there")])).toBe("still there");
  await server.stop();
});

/** Every living process of the machine that `pid` started. */
const childrenOf = async (pid: number): Promise<number[]> => {
  const all = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const parents = await Promise.all(
    all.map(async (name) => {
      const status = await readFile(`/proc/${name}/status`, "utf8").catch(() => "");
      return Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]);
    }),
  );
  return all.map(Number).filter((_, index) => parents[index] === pid);
};

test("a stop leaves no process behind, neither the server nor its watcher", async ({ skip }) => {
  skip(process.platform !== "linux", "processes are read from /proc");
  const stack = await startTestStack({ dataDirectory: newFolder() });
  const children = await childrenOf(stack.pid);
  expect(children).toHaveLength(2);
  expect(await stack.stop()).toBe(0);
  for (const pid of children) expect(await birthMark(pid)).toBeUndefined();
});

test("killed and started again on a database of its own, it is where it was", async () => {
  const stack = await startTestStack();
  const { url, brokerConnectionString, pid } = stack;
  expect(stack.output()).toContain(partnerConnectionString(brokerConnectionString, "acme"));
  await rowsOf(stack.databaseUrl, "create table kept as select 42 as answer");
  await stack.kill9();
  await stack.restart();
  expect(stack.pid).not.toBe(pid);
  expect([stack.url, stack.brokerConnectionString]).toEqual([url, brokerConnectionString]);
  expect(await rowsOf(stack.databaseUrl, "select * from kept")).toEqual([{ answer: 42 }]);
  expect(await stack.stop()).toBe(0);
});

describe("on one data folder", () => {
  test("a second start is refused, naming the folder and the running process", async () => {
    const folder = newFolder();
    const stack = await startTestStack({ dataDirectory: folder });
    const { code, output } = await refusal("--data", folder);
    expect(output).toContain(`The data folder ${folder} is in use by the process ${stack.pid}`);
    expect(code).toBe(1);
    expect(await stack.stop()).toBe(0);
  });

  test("a start after kill -9 goes on with the same data and leaves no second server", async () => {
    const folder = newFolder();
    const stack = await startTestStack({ dataDirectory: folder });
    await rowsOf(stack.databaseUrl, "create table kept as select 42 as answer");
    const abandoned = await serverPid(folder);
    await stack.kill9();
    await stack.restart();
    expect(await birthMark(abandoned)).toBeUndefined();
    expect(await rowsOf(stack.databaseUrl, "select * from kept")).toEqual([{ answer: 42 }]);
    const current = await serverPid(folder);
    expect(await stack.stop()).toBe(0);
    expect(await birthMark(current)).toBeUndefined();
  });

  test("a server whose owner was killed is stopped by its watcher, without another start", async () => {
    const folder = newFolder();
    const stack = await startTestStack({ dataDirectory: folder });
    expect(stack.output()).toContain(`First start: sets up PostgreSQL in ${folder}`);
    const abandoned = await serverPid(folder);
    await stack.kill9();
    await gone(abandoned);
  });

  test("the lock of a process that is gone, or whose id is another's now, is no obstacle", async () => {
    const folder = newFolder();
    await mkdir(folder, { mode: 0o755 });
    for (const stale of [`${process.pid} another birth\n`, "4194305 never\n", "not a lock\n", ""]) {
      await writeFile(join(folder, "lock"), stale);
      const server = await startPostgres({ dataDirectory: folder, durable: false });
      await server.stop();
    }
    expect(await readdir(folder)).not.toContain("lock");
  });

  test("a server file that names an unrelated living process is no obstacle", async () => {
    const folder = newFolder();
    const first = await startPostgres({ dataDirectory: folder, durable: false });
    await first.stop();
    await writeFile(
      join(folder, "postgres/postmaster.pid"),
      `${process.pid}\n${join(folder, "postgres")}\n1\n1\n\n\n\n`,
    );
    const second = await startPostgres({ dataDirectory: folder, durable: false });
    await second.stop();
  });

  test("what an interrupted set-up left behind is cleared away", async () => {
    const folder = newFolder();
    await mkdir(join(folder, "postgres.new/base"), { recursive: true, mode: 0o755 });
    await writeFile(join(folder, "postgres.new/PG_VERSION"), "18\n");
    const server = await startPostgres({ dataDirectory: folder, durable: false });
    await server.stop();
    expect(await readdir(folder)).not.toContain("postgres.new");
  });
});
