/** Histories that the local engine recorded must replay on today's flows (scripts/record-histories.mjs). */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  contractSigning,
  fillContractPdf,
  sealContractPdf,
} from "../../orchestrations/contract-signing.flow.js";
import { flow, type Flow } from "../../shared/durable/flow.js";
import { Recording, replay } from "./recording.js";

const folder = join(import.meta.dirname, "histories");
const isFlow = (exported: unknown): exported is Flow =>
  typeof exported === "object" && exported !== null && "body" in exported && "steps" in exported;

/** Looked for, not listed: a flow that somebody adds cannot go without its recordings. */
const findFlows = async (): Promise<Flow[]> => {
  const directory = join(import.meta.dirname, "../../orchestrations");
  const files = readdirSync(directory).filter((file) => file.endsWith(".flow.ts"));
  const modules = await Promise.all(
    files.map(async (file) => (await import(join(directory, file))) as object),
  );
  return modules.flatMap((module) => Object.values(module).filter(isFlow));
};
const flows = await findFlows();

const recordingsOf = (name: string): Recording[] =>
  z.array(Recording).parse(JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")));

test("every flow has recordings, and every recording a flow", () => {
  expect(flows).not.toEqual([]);
  const names = readdirSync(folder).map((file) => basename(file, ".json"));
  expect(names.toSorted()).toEqual(flows.map(({ name }) => name).toSorted());
});

describe.each(flows.map((each) => [each.name, each] as const))("%s", (name, recordedFlow) => {
  test.each(recordingsOf(name).map((recording, place) => [place + 1, recording] as const))(
    "replays its recorded life %i",
    async (_, recording) => {
      expect(await replay(recordedFlow, recording)).toEqual([]);
    },
  );

  test("would notice a recorded step that it no longer takes", async () => {
    const [recording] = recordingsOf(name);
    if (recording === undefined) throw new Error("nothing is recorded");
    const history = recording.history.map((event) =>
      event.EventType === 4 ? { ...event, Name: "stepOfAnotherTime" } : event,
    );
    expect(await replay(recordedFlow, { ...recording, history })).not.toEqual([]);
  });
});

test("two steps in another order are caught, with what was asked before and today", async () => {
  const [recording] = recordingsOf("contractSigning");
  if (recording === undefined) throw new Error("nothing is recorded");
  const reordered = flow({
    ...contractSigning,
    *body(context, input) {
      yield* context.run(sealContractPdf, input);
      yield* context.run(fillContractPdf, input);
      return { status: "Signed" } as const;
    },
  });
  const differences = await replay(reordered, recording);
  expect(differences).toContain(
    "0: the step fillContractPdf before, the step sealContractPdf today",
  );
  expect(differences).toContain("2: the step concludeContract before, nothing today");
});
