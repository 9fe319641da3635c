/** Orchestrations that ask for sets of four boxes and end, one way or another, while they ask. */
import { expect } from "vitest";
import { rowsOf } from "../database/connections.js";
import { startDurableHost, type DurableHost } from "./durable-host.js";

/** A host of test/conformance/apps/sections. */
export const startSectionsHost = (databaseUrl: string): Promise<DurableHost> =>
  startDurableHost(databaseUrl, {}, { app: "sections" });

const ends = ["terminated", "returned", "thrown", "continued"] as const;

export interface HurriedSection {
  readonly id: string;
  readonly end: (typeof ends)[number];
  readonly boxes: readonly string[];
}

/** Each with four boxes of its own, so that a box that stays locked is the fault of one alone. */
export const hurriedSections = (name: string, count: number): HurriedSection[] =>
  Array.from({ length: count }, (_, n) => {
    const id = `${name}-${n}`;
    const boxes = ["a", "b", "c", "d"].map((letter) => `${id}-${letter}`);
    return { id, end: ends[n % ends.length] ?? "terminated", boxes };
  });

export const startHurried = async (
  host: DurableHost,
  { id, end, boxes }: HurriedSection,
): Promise<void> => {
  await host.start("hurried", id, { boxes, end });
  if (end === "terminated") await host.api("POST", `instances/${id}/terminate`);
};

/** The boxes that are locked once everything that travelled has arrived. */
export const lockedBoxes = async (databaseUrl: string): Promise<string[]> => {
  const travelling = "select from durable.message where type in ('lock', 'release')";
  await expect.poll(async () => (await rowsOf(databaseUrl, travelling)).length).toBe(0);
  const rows = await rowsOf<{ id: string }>(
    databaseUrl,
    "select id from durable.instance where entity_lock is not null",
  );
  return rows.map(({ id }) => id);
};
