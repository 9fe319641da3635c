/** Code that changes under running orchestrations is found out, and the message says where. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";
import {
  startDurableHost,
  type DurableHost,
  type InstanceStatus,
} from "../../support/durable/durable-host.js";
import {
  drawMutants,
  ending,
  lastEvent,
  programs,
  type Program,
} from "../../support/durable/program-mutants.js";

let database: TestDatabase;
let host: DurableHost;

const startHost = async (code: "before" | "after"): Promise<DurableHost> =>
  startDurableHost(database.url, { CODE: code }, { app: "programs" });

const mutants = drawMutants(150, 1);
const idOf = (index: number): string => `mutant-${index}`;

/** Runs the code of before up to its last wait, raising what it waits for on the way. */
const runToRest = async (id: string, before: Program, after: Program): Promise<void> => {
  await host.start("program", id, {
    before: [...before, ...ending],
    after: [...after, ...ending],
  });
  for (const { kind, name } of before) if (kind === "event") await host.raise(id, 1, name);
  await expect.poll(async () => (await host.status(id)).customStatus).toBe("at rest");
};

const isCaught = ({ runtimeStatus, output }: InstanceStatus): boolean =>
  runtimeStatus === "Failed" &&
  /^Non-Deterministic workflow detected: (?:upon )?event \d+ of the history .*(?:but the code now asks for|the code now asks for .* but the history says|but the code no longer asks for)/u.test(
    String(output),
  );

beforeAll(async () => {
  database = await createDatabase();
  host = await startHost("before");
});
afterAll(async () => {
  await host.kill();
  await database.drop();
});

test("changed programs are caught, at least 95 of 100, and unchanged ones are not accused", async () => {
  await Promise.all(
    mutants.map(async ({ before, after }, index) => runToRest(idOf(index), before, after)),
  );
  const innocent = Object.entries(programs);
  for (const [name, program] of innocent) await runToRest(name, program, program);
  await host.kill();
  host = await startHost("after");
  const escaped = await Promise.all(
    mutants.map(async ({ program, change }, index) => {
      await host.raise(idOf(index), 1, lastEvent);
      const status = await host.until(idOf(index));
      return isCaught(status) ? [] : [`${program}: ${change}: ${JSON.stringify(status.output)}`];
    }),
  );
  for (const [name] of innocent) {
    await host.raise(name, 1, lastEvent);
    expect((await host.until(name)).output).toBe("done");
  }
  expect(mutants.length).toBeGreaterThanOrEqual(40);
  expect(escaped.flat().length, escaped.flat().join()).toBeLessThanOrEqual(mutants.length / 20);
}, 120_000);
