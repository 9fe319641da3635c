/** The embedded server's Unix-domain socket: used where there can be one, and never in the way. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startPostgres } from "../../../local/postgres/server.js";
import { startTestStack } from "../../support/platform/stack.js";
import { rowsOf } from "../../support/database/connections.js";

let root = "";

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "borsello-socket-"));
  // PostgreSQL's own account has to pass through when this runs as root.
  await rm(root, { recursive: true });
  await mkdir(root, { mode: 0o755 });
});

afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

/** Connections of the network have an address. */
const way = 'select inet_client_addr() is null as "bySocket"';

const start = (dataDirectory: string) => startPostgres({ dataDirectory, durable: false });

test("a server is reached by its socket, whatever its folder is called, and asks for the password", async () => {
  const server = await start(join(root, `50% of "a", b's`));
  try {
    expect(await rowsOf(server.socketUrl, way)).toEqual([{ bySocket: true }]);
    expect(await rowsOf(server.url, way)).toEqual([{ bySocket: false }]);
    const { password } = new URL(server.url);
    const guess = server.socketUrl.replace(password, "guessed");
    await expect(rowsOf(guess, way)).rejects.toThrow("password authentication failed");
  } finally {
    await server.stop();
  }
});

test("a server that was killed comes back on its socket", async () => {
  const folder = join(root, "killed");
  const server = await start(folder);
  try {
    const [line] = (await readFile(join(folder, "postgres/postmaster.pid"), "utf8")).split("\n");
    process.kill(Number(line), "SIGKILL");
    const again = () => rowsOf(server.socketUrl, way).catch(() => undefined);
    await expect.poll(again).toEqual([{ bySocket: true }]);
  } finally {
    await server.stop();
  }
});

test("a folder whose path is too long for a socket has a server all the same", async () => {
  const server = await start(join(root, "a".repeat(60), "b".repeat(60)));
  try {
    expect(server.socketUrl).toBe(server.url);
    expect(await rowsOf(server.url, way)).toEqual([{ bySocket: false }]);
  } finally {
    await server.stop();
  }
});

test("a socket that a killed server left is no obstacle, though its process id is another's now", async () => {
  const folder = join(root, "left");
  const first = await start(folder);
  const { port } = new URL(first.url);
  await first.stop();
  const lock = join(folder, `postgres/.s.PGSQL.${port}.lock`);
  await writeFile(lock, `${process.pid}\n${join(folder, "postgres")}\n1\n${port}\n\n`);
  await writeFile(join(folder, "postgres/.s.PGSQL.1"), "");
  const second = await startPostgres({
    dataDirectory: folder,
    durable: false,
    port: Number(port),
  });
  try {
    expect(await rowsOf(second.socketUrl, way)).toEqual([{ bySocket: true }]);
    expect(await readdir(join(folder, "postgres"))).not.toContain(".s.PGSQL.1");
  } finally {
    await second.stop();
  }
});

test("app, engine and broker of a started platform use the socket", async () => {
  const stack = await startTestStack({ dataDirectory: join(root, "stack") });
  try {
    const others = await rowsOf(
      stack.databaseUrl,
      `select client_addr is null as "bySocket", count(*) > 1 as several
       from pg_stat_activity
       where backend_type = 'client backend' and pid <> pg_backend_pid() group by 1`,
    );
    expect(others).toEqual([{ bySocket: true, several: true }]);
  } finally {
    await stack.stop();
  }
});
