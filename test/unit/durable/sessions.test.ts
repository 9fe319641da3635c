/** Code that waits in memory between turns does exactly what a replay of its history would do. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { applyTurn } from "../../../local/durable/turns/apply-turn.js";
import { runTurn } from "../../../local/durable/turns/code-turn.js";
import type { MessageBody } from "../../../local/durable/protocol/messages.js";
import type { OrchestrationState } from "../../../local/durable/turns/orchestration-state.js";
import { eventCode } from "../../../local/durable/protocol/protocol.js";
import { arrivals } from "../../../local/durable/turns/turn-events.js";
import type { Turn } from "../../../local/durable/turns/turn.js";
import {
  appOf,
  orchestrator,
  steps,
  type Sight,
} from "../../support/durable/random-orchestrator.js";

const newState = (): OrchestrationState => ({
  id: "instance",
  key: 1,
  name: "random",
  version: undefined,
  rewinds: 0,
  parent: undefined,
  epoch: 1,
  turn: 0,
  executionId: "execution",
  status: "Pending",
  input: "0",
  history: [],
  session: undefined,
  carried: [],
  inbox: new Map(),
  ends: [],
  openActivities: new Map(),
  openTimers: new Map(),
  openChildren: new Set(),
});

/** Random numbers become their places in the order of appearance; stack traces differ, so they go. */
const comparable = (turn: Turn, cancelled: unknown): string => {
  const known = new Map<string, string>();
  const { change, events, next, opened } = turn;
  const end = { ...next, session: undefined };
  const seen = { change, events, end, timers: [...opened.timers], cancelled };
  return JSON.stringify(seen)
    .replaceAll(/StackTrace: .*?(?=")/gu, "")
    .replaceAll(/[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}/gu, (id) => {
      const place = known.get(id) ?? `#${known.size}`;
      known.set(id, place);
      return place;
    });
};

/** The ids under which entities will answer. */
const requestsOf = (turn: Turn): string[] =>
  turn.events.flatMap(({ EventType, Name, Input }) => {
    if (EventType !== eventCode.EventSent || Name !== "op") return [];
    const { id } = JSON.parse(Input ?? "{}") as { id?: string };
    return id === undefined ? [] : [id];
  });

/** Lets chance decide what of all that is open comes about before the next turn. */
class World {
  readonly state = newState();
  #messageId = 1_000;
  #now = 1_700_000_000_000;
  readonly #requests: string[] = [];
  readonly #chance: () => boolean;

  constructor(chance: () => boolean) {
    this.#chance = chance;
  }

  #receive(body: MessageBody): void {
    const id = this.#messageId++;
    this.state.inbox.set(id, { id, target: "instance", body });
  }

  advance(): void {
    const { state } = this;
    this.#now += 1_000;
    const { executionId } = state;
    for (const taskId of state.openActivities.keys())
      if (this.#chance())
        state.ends.push({
          taskId,
          executionId,
          outcome: this.#chance()
            ? { ok: true, result: '{"statusCode":200,"content":"1","headers":{}}' }
            : { ok: false, reason: "refused", details: "{}", error: "refused" },
        });
    for (const taskId of state.openTimers.keys())
      if (this.#chance()) this.#receive({ type: "timer", taskId, fireAt: this.#now });
    for (const taskId of state.openChildren)
      if (this.#chance())
        this.#receive(
          this.#chance()
            ? { type: "childCompleted", taskId, result: '"child"' }
            : { type: "childFailed", taskId, reason: "failed", details: "{}" },
        );
    for (const name of this.#requests.splice(0))
      if (this.#chance()) this.#receive({ type: "event", name, input: '{"result":"1"}' });
      else this.#requests.push(name);
    for (const name of ["even", "odd"])
      if (this.#chance()) this.#receive({ type: "event", name, input: `"${this.#messageId}"` });
  }

  /** The same for every state: both runs of a turn see the same moment and the same numbers. */
  context(functions: ReturnType<typeof appOf>, state: OrchestrationState) {
    const now = new Date(this.#now);
    let id = this.#now;
    return {
      state,
      functions,
      now,
      arrivals: arrivals(state, now),
      nextMessageId: () => id++,
      defaultVersion: undefined,
    };
  }

  apply(turn: Turn, context: ReturnType<World["context"]>): void {
    this.#requests.push(...requestsOf(turn));
    applyTurn(this.state, turn, context.arrivals);
  }
}

test("a session and a replay agree on every turn of any orchestrator", async () => {
  let warmTurns = 0;
  const chances = fc.infiniteStream(fc.boolean());
  await fc.assert(
    fc.asyncProperty(steps, chances, async (plan, stream) => {
      let seen: Sight[] = [];
      const functions = appOf(orchestrator(plan, (sight) => void seen.push(sight)));
      const chance = (): boolean => Boolean(stream.next().value);
      const world = new World(chance);
      for (let turns = 0; turns < 40; turns++) {
        if (chance() && chance()) world.state.session = undefined;
        world.advance();
        const cold = world.context(functions, { ...world.state, session: undefined });
        const warm = world.context(functions, world.state);
        seen = [];
        const replayed = await runTurn(cold);
        const seenByReplay = seen;
        seen = [];
        const isWarm = world.state.session?.canResume === true;
        const turn = await runTurn(warm);
        if (isWarm) warmTurns++;
        expect(comparable(turn, turn.cancelledTimers)).toBe(
          comparable(replayed, replayed.cancelledTimers),
        );
        expect(seen).toEqual(seenByReplay.slice(seenByReplay.length - seen.length));
        world.apply(turn, warm);
        if (turn.next.kind === "ended") return;
      }
    }),
    { numRuns: 400 },
  );
  expect(warmTurns).toBeGreaterThan(500);
});
