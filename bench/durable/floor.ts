/** The floor: five durable points of a chain of three on bare PostgreSQL, with no engine around. */
import { Pool } from "pg";
import { serveSlots } from "./slot-program.js";

/** Created; three activities done; completed. */
const pointsOfRun = 5;
const poolSize = 16;
const flushesMax = 2;
const pointsPerFlushMax = 256;

const schema = `
  create table if not exists instance (id text primary key, point integer not null, output text);
  create table if not exists event (
    id text not null, point integer not null, body text not null, primary key (id, point)
  )`;

/** Any number of points: the state of each instance, and its history. */
const store = {
  name: "store",
  text: `
  with point as (select * from unnest($1::text[], $2::integer[], $3::text[]) as p(id, point, body)),
    history as (insert into event select id, point, body from point)
  insert into instance select id, point, body from point
    on conflict (id) do update set point = excluded.point, output = excluded.output`,
};

interface Point {
  readonly id: string;
  readonly point: number;
  readonly body: string;
}

type Store = (point: Point) => Promise<void>;

const write = async (pool: Pool, points: readonly Point[]): Promise<void> => {
  const columns = [points.map((p) => p.id), points.map((p) => p.point), points.map((p) => p.body)];
  await pool.query({ ...store, values: columns });
};

/** A: a commit for each point. */
const oneByOne =
  (pool: Pool): Store =>
  async (point) =>
    write(pool, [point]);

interface Waiting {
  readonly point: Point;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** B: what gathers while earlier commits are under way goes in one commit, whoever it belongs to. */
const grouped = (pool: Pool): Store => {
  let waiting: Waiting[] = [];
  let flushing = 0;
  const flush = (): void => {
    if (flushing === flushesMax || waiting.length === 0) return;
    flushing += 1;
    const batch = waiting.slice(0, pointsPerFlushMax);
    waiting = waiting.slice(pointsPerFlushMax);
    write(
      pool,
      batch.map(({ point }) => point),
    )
      .then(
        () => batch.forEach(({ done }) => done()),
        (error: unknown) => batch.forEach(({ failed }) => failed(error)),
      )
      .finally(() => {
        flushing -= 1;
        flush();
      });
  };
  return async (point) =>
    new Promise((done, failed) => {
      waiting.push({ point, done, failed });
      if (waiting.length === 1) setImmediate(flush);
    });
};

const [databaseUrl, kind] = process.argv.slice(2);
const pool = new Pool({ connectionString: databaseUrl, max: poolSize, min: poolSize });
await pool.query(schema);
const storePoint = kind === "grouped" ? grouped(pool) : oneByOne(pool);
const run = `${process.pid}-${Date.now()}`;
let runs = 0;
await serveSlots(async () => {
  runs += 1;
  const id = `${run}-${runs}`;
  for (let point = 0; point < pointsOfRun; point += 1)
    await storePoint({ id, point, body: JSON.stringify({ step: point }) });
});
await pool.end();
