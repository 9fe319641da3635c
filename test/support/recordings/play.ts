/** Plays the conversations of a recording against a host and says where its answers differ. */
import { setTimeout as sleep } from "node:timers/promises";
import { differences, type Difference, type Run } from "./pattern.js";
import { readRecording, type Answer, type Recording, type Step, type Until } from "./recording.js";
import { send, sendRaw } from "./send.js";

export interface Playing {
  /** The file of test/conformance/recordings. */
  readonly recording: string;
  /** How many cases at the same time. */
  readonly parallel?: number;
  /** What sets the ids of this run apart; a later recording may go on with an earlier one's. */
  readonly run?: string;
}

/** By the name of the case; a place begins with the number of the step. */
export type Differences = ReadonlyMap<string, readonly Difference[]>;

const pollMs = 25;
const patienceMs = 60_000;
/** For what the genuine host never came to: long enough for this one, which does so at once. */
const shortPatienceMs = 15_000;

/** An object may hold more than is waited for. */
const withRest = (shows: unknown): unknown =>
  typeof shows === "object" && shows !== null ? { ...shows, "<rest>": true } : shows;

/** What waiting waits for; a body of plain text, such as a number, is JSON as well. */
const isReached = ({ status = 200, shows }: Until, answer: Answer, run: Run): boolean => {
  const answered = answer.text === undefined ? answer.json : (JSON.parse(answer.text) as unknown);
  if (shows === undefined) return answer.status === status;
  return differences(withRest(shows), answered, run).length === 0;
};

const wait = async (base: URL, step: Until, run: Run): Promise<Difference[]> => {
  const { never = false } = step;
  const deadline = Date.now() + (never ? shortPatienceMs : patienceMs);
  for (;;) {
    const answer = await send(base, { send: `GET ${step.until}` }, run);
    const reached = isReached(step, answer, run);
    if (reached || Date.now() > deadline)
      return reached === never
        ? [{ place: "until", recorded: never ? "never" : step.shows, actual: answer }]
        : [];
    await sleep(pollMs);
  }
};

const playStep = async (
  base: URL,
  step: Step,
  run: Record<string, string>,
): Promise<Difference[]> => {
  if ("until" in step) return wait(base, step, run);
  if ("remember" in step) {
    run[step.remember] = new Date(Date.now() + (step.plusMs ?? 0)).toISOString();
    return [];
  }
  if ("together" in step) {
    await Promise.all(step.together.map(async (each) => send(base, each, run)));
    return [];
  }
  const answer = "raw" in step ? await sendRaw(base, step, run) : await send(base, step, run);
  if ("keeps" in step && step.keeps !== undefined)
    run["kept token"] = String(answer.headers?.[step.keeps]);
  return step.answer === undefined ? [] : differences(step.answer, answer, run);
};

const playCase = async (base: URL, steps: readonly Step[], run: Run): Promise<Difference[]> => {
  const own = { ...run };
  const found: Difference[] = [];
  for (const [number, step] of steps.entries())
    for (const difference of await playStep(base, step, own))
      found.push({ ...difference, place: `${number}.${difference.place}` });
  return found;
};

const playAll = async (
  base: URL,
  recording: Recording,
  run: Run,
  parallel: number,
): Promise<Differences> => {
  const found = new Map<string, readonly Difference[]>();
  const cases = Object.entries(recording)[Symbol.iterator]();
  const player = async (): Promise<void> => {
    for (const [name, steps] of cases) {
      const differing = await playCase(base, steps, run);
      if (differing.length > 0) found.set(name, differing);
    }
  };
  await Promise.all(Array.from({ length: parallel }, player));
  return found;
};

/** Plays every case of a recording against the local host at this address. */
export const playRecording = async (url: string, given: Playing): Promise<Differences> => {
  const { recording, parallel = 1, run: token = `r${Date.now().toString(36)}` } = given;
  const base = new URL(url);
  const run: Run = {
    base: base.origin,
    host: base.host,
    durable: `${base.origin}/runtime/webhooks/durabletask`,
    access: `taskHub=goldhub&connection=Storage&code=local-key`,
    run: token,
    "in an hour": new Date(Date.now() + 3_600_000).toISOString(),
    "system key": "local-key",
    "function key": "local-function-key",
    "master key": "local-master-key",
  };
  return playAll(base, await readRecording(recording), run, parallel);
};
