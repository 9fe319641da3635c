/** A mixed load of orchestrations for hosts that die, and the judgement on what came of it. */
import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { z } from "zod";
import type { InstanceStatus } from "./durable-host.js";
import { answered, HostLives, type Death } from "./host-lives.js";
import { rowsOf } from "../database/connections.js";

/** The orchestrations of test/conformance/apps/faults that a round of the load begins. */
export const shapes = [
  "chain",
  "fan",
  "nap",
  "letters",
  "deadline",
  "family",
  "tally",
  "transfer",
  "rounds",
  "wavers",
  "relapses",
  "purged",
] as const;
export type Shape = (typeof shapes)[number];

interface Story {
  readonly id: string;
  readonly shape: Shape;
  readonly end: InstanceStatus;
}

const Trace = z.object({
  key: z.string(),
  given: z.string().nullish(),
  id: z.string().optional(),
});
type Trace = z.output<typeof Trace>;

const pollMs = 100;
/** With nobody dying any more, so long may the rest take. */
const judgementMaxMs = 60_000;
const ended = ["Completed", "Failed", "Terminated"];
const Ids = z.array(z.string());

/** The ids that the steps were answered with, by the step's key, from what an orchestration returned. */
const answeredSteps = ({ id, shape, end }: Story): readonly (readonly [string, string])[] => {
  const { output } = end;
  const numbered = (owner: string, ids: unknown) =>
    Ids.parse(ids).map((each, index) => [`${owner}/${index + 1}`, each] as const);
  switch (shape) {
    case "chain":
    case "purged":
    case "fan":
    case "nap":
    case "rounds":
      return numbered(id, output);
    case "letters":
    case "deadline":
      return numbered(id, z.tuple([z.unknown(), z.string()]).parse(output).slice(1));
    case "family": {
      const [named, unnamed, last] = z.tuple([Ids, z.string(), z.string()]).parse(output);
      return [...numbered(`${id}-kid`, named), [id, unnamed], [`${id}/1`, last]];
    }
    case "relapses": {
      const [before, , after] = z.tuple([z.string(), z.string(), z.string()]).parse(output);
      return numbered(id, [before, after]);
    }
    case "tally":
    case "transfer":
    case "wavers":
      return [];
  }
};

/** What a shape returns besides the ids of its steps; absent where there is nothing else. */
const fixedOutputs: Partial<Record<Shape, unknown>> = {
  letters: [[1, 2, 3, 4], expect.any(String)],
  deadline: [true, expect.any(String)],
  tally: 7,
  transfer: 0,
  wavers: "firm",
  relapses: [expect.any(String), "mended", expect.any(String)],
};

export interface LoadReport {
  readonly orchestrations: number;
  readonly steps: number;
  /** Runs of an activity beyond the first one of its step. */
  readonly redone: number;
}

export class FaultLoad {
  readonly lives: HostLives;
  readonly #databaseUrl: string;
  readonly #folder: string;
  readonly #stories: Promise<Story>[] = [];
  #rounds = 0;
  #open = 0;
  /** There is none while hosts still die. */
  #deadline = Infinity;

  constructor(databaseUrl: string, folder: string) {
    this.#databaseUrl = databaseUrl;
    this.#folder = folder;
    this.lives = new HostLives(databaseUrl, "faults", { TRACE_FILE: this.#traceFile });
  }

  get #traceFile(): string {
    return join(this.#folder, "trace");
  }

  /** Begins one orchestration of each shape; they go on by themselves through all lives. */
  beginRound(chosen: readonly Shape[] = shapes): void {
    this.#rounds += 1;
    this.#deadline = Infinity;
    for (const shape of chosen) {
      const story = this.#tell(shape, `${shape}-${this.#rounds}`);
      this.#open += 1;
      const close = (): void => void (this.#open -= 1);
      // Looked at in the end; until then a failed one is no unhandled rejection.
      story.then(close, close);
      this.#stories.push(story);
    }
  }

  /** One life of the host under this load. */
  async live(death: Death): Promise<void> {
    await this.lives.live(death, () => this.#open === 0);
  }

  async #tell(shape: Shape, id: string): Promise<Story> {
    await this.#start(shape, id);
    if (shape === "letters")
      for (const letter of [1, 2, 3, 4])
        await this.lives.ask("POST", `instances/${id}/raiseEvent/letter`, letter);
    if (shape === "deadline")
      await this.lives.ask("POST", `instances/${id}/raiseEvent/letter`, null);
    if (shape === "relapses") await this.#mend(id);
    const end = await this.#until(id, shape === "relapses" ? ["Completed"] : ended);
    if (shape === "purged") await this.lives.ask("DELETE", `instances/${id}`);
    return { id, shape, end };
  }

  /** A start that got no answer may have been done; an ended instance would begin anew. */
  async #start(shape: Shape, id: string): Promise<void> {
    const name = shape === "purged" ? "chain" : shape;
    await this.lives.call(async (host) => {
      const { status } = answered(await host.api("GET", `instances/${id}`));
      if (status !== 404) return;
      const { status: code } = answered(
        await host.api("POST", `orchestrators/${name}/${id}`, null),
      );
      expect(code).toBe(202);
    });
  }

  /** Takes away the cause of the failure, then rewinds until the orchestration runs again. */
  async #mend(id: string): Promise<void> {
    await this.#until(id, ["Failed"]);
    await appendFile(this.#traceFile, `${JSON.stringify({ key: `${id}/mended` })}\n`);
    await this.lives.call(async (host) => {
      const answer = answered(await host.api("GET", `instances/${id}`));
      const { runtimeStatus } = (await answer.json()) as InstanceStatus;
      if (runtimeStatus === "Failed") answered(await host.api("POST", `instances/${id}/rewind`));
    });
  }

  async #until(id: string, statuses: readonly string[]): Promise<InstanceStatus> {
    for (;;) {
      const answer = await this.lives.ask("GET", `instances/${id}`);
      const status = (await answer.json()) as InstanceStatus;
      if (statuses.includes(status.runtimeStatus)) return status;
      if (Date.now() > this.#deadline) throw new Error(`${id} is still ${status.runtimeStatus}.`);
      await sleep(pollMs);
    }
  }

  /** Waits for all of them, and holds what they returned against what was done. */
  async judge(): Promise<LoadReport> {
    this.#deadline = Date.now() + judgementMaxMs;
    const stories = await Promise.all(this.#stories);
    const trace = (await readFile(this.#traceFile, "utf8"))
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => Trace.parse(JSON.parse(line)));
    for (const { id, shape, end } of stories) {
      expect([id, end.runtimeStatus]).toEqual([id, "Completed"]);
      const fixed = fixedOutputs[shape];
      if (fixed !== undefined) expect([id, end.output]).toEqual([id, fixed]);
    }
    const steps = stories.flatMap(answeredSteps);
    this.#judgeSteps(steps, trace);
    await this.#judgeCounters(stories);
    await this.#judgeRemains();
    const deeds = trace.filter(({ id }) => id !== undefined).length;
    return { orchestrations: stories.length, steps: steps.length, redone: deeds - steps.length };
  }

  /** Each answer was given by a run of that step, and whoever came later was told that very answer. */
  #judgeSteps(steps: readonly (readonly [string, string])[], trace: readonly Trace[]): void {
    const runs = new Set(trace.map(({ key, id }) => `${key} ${id ?? ""}`));
    expect(steps.filter(([key, id]) => !runs.has(`${key} ${id}`))).toEqual([]);
    const known = new Set(steps.map(([, id]) => id));
    const strangers = trace.filter(
      ({ given, id }) =>
        id !== undefined && /^[\da-f-]{36}$/u.test(given ?? "") && !known.has(given ?? ""),
    );
    expect(strangers).toEqual([]);
  }

  /** Each shape adds its share; one that was added twice, or not at all, would show. */
  async #judgeCounters(stories: readonly Story[]): Promise<void> {
    const begun = (wanted: Shape): number => stories.filter(({ shape }) => shape === wanted).length;
    const sums = {
      total: 2 * begun("tally"),
      rounds: 3 * begun("rounds"),
      left: 0 - begun("transfer"),
      right: begun("transfer"),
    };
    const read = async (key: string): Promise<unknown> => {
      const answer = await this.lives.ask("GET", `entities/counter/${key}`);
      return answer.status === 404 ? 0 : answer.json();
    };
    for (const [key, sum] of Object.entries(sums)) await expect.poll(() => read(key)).toBe(sum);
  }

  /** Nothing is left over of what has ended, and nothing of what was purged. */
  async #judgeRemains(): Promise<void> {
    const count = async (): Promise<unknown[]> =>
      rowsOf(
        this.#databaseUrl,
        `select (select coalesce(json_agg(m), '[]') from durable.message m) as messages,
         (select count(*) from durable.activity)::int as activities,
         (select count(*) from durable.instance where id like 'purged-%')::int as purged,
         (select count(*) from durable.history h
          where not exists (select from durable.instance i where i.key = h.key))::int as orphans`,
      );
    await expect.poll(count).toEqual([{ messages: [], activities: 0, purged: 0, orphans: 0 }]);
  }

  async stop(): Promise<void> {
    await this.lives.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

export const openFaultLoad = async (databaseUrl: string): Promise<FaultLoad> => {
  const folder = await mkdtemp(join(tmpdir(), "borsello-faults-"));
  await writeFile(join(folder, "trace"), "");
  return new FaultLoad(databaseUrl, folder);
};
