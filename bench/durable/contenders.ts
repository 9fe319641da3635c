/** Who runs the chain of three side by side: this engine, the floor, DBOS and Restate. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { startChild } from "../kit/child.js";
import type { BenchPostgres } from "./bench-postgres.js";
import { startBenchHost } from "./bench-host.js";
import type { Load, SlotFigures } from "./closed-loop.js";

export interface Contender {
  slot(load: Load): Promise<SlotFigures>;
  stop(): Promise<void>;
}

export type RivalName = "dbos" | "restate";

export const howToInstallRivals =
  "The rivals are not installed: `npm ci --prefix bench/rivals` fetches them.";

const rivalPackages: Readonly<Record<RivalName, string>> = {
  dbos: "@dbos-inc/dbos-sdk",
  restate: "@restatedev/restate-server",
};

export const isInstalled = (rival: RivalName): boolean =>
  existsSync(join("bench", "rivals", "node_modules", rivalPackages[rival], "package.json"));

/** A program that reads loads and writes figures, a line each. */
const program = async (args: readonly string[]): Promise<Contender> => {
  const child = startChild(args);
  await child.lineAfter("ready");
  return {
    slot: async (load) => {
      child.write(JSON.stringify(load));
      return JSON.parse(await child.lineAfter("figures ")) as SlotFigures;
    },
    stop: child.stop,
  };
};

export const startOurs = async (postgres: BenchPostgres): Promise<Contender> => {
  const host = await startBenchHost(await postgres.createDatabase("ours"));
  return { slot: async (load) => host.drive("chain", load), stop: host.stop };
};

export const startFloor = async (
  postgres: BenchPostgres,
  kind: "single" | "grouped",
): Promise<Contender> =>
  program([
    resolve("dist/bench/durable/floor.js"),
    await postgres.createDatabase(`floor_${kind}`),
    kind,
  ]);

export const startRival = async (
  postgres: BenchPostgres,
  rival: RivalName,
): Promise<Contender | null> => {
  if (!isInstalled(rival)) return null;
  return rival === "dbos"
    ? program([resolve("bench/rivals/dbos.mjs"), await postgres.createDatabase("dbos"), "slots"])
    : program([resolve("bench/rivals/restate.mjs"), join(postgres.folder, "restate")]);
};
