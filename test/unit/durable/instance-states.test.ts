/** The states of an instance in memory: what every event makes of every state, and what may never happen. */
import { describe, expect, test } from "vitest";
import {
  instanceEvents,
  instanceStates,
  isInMemory,
  transition,
  type InstanceEvent,
  type InstanceState,
} from "../../../local/durable/hosts/instance-states.js";

const pairs = instanceStates.flatMap((state) =>
  instanceEvents.map((event): [InstanceState, InstanceEvent] => [state, event]),
);

/** One line an event; columns in the order of the states; a point where the state stays. */
const expected = `
event         absent  queued  loading      loadingStale running     idle        holding     quarantined
message       queued  .       .            .            .           running     running     .
changed       queued  .       loadingStale .            .           .           .           .
readBegun     .       loading .            .            .           .           .           .
found         .       .       running      running      .           .           .           .
missing       .       .       absent       queued       .           .           .           .
readFailed    .       .       queued       queued       .           .           .           .
unreadable    .       .       quarantined  quarantined  .           .           .           .
created       running running running      running      .           .           .           .
begun         running running running      running      .           .           .           .
rested        .       .       .            .            idle        .           idle        .
restedHolding .       .       .            .            holding     holding     .           .
evicted       .       .       .            .            .           absent      .           .
ended         .       .       .            .            absent      absent      absent      .
refused       .       .       .            .            queued      queued      queued      .
unstorable    .       .       .            .            quarantined quarantined quarantined .
released      .       .       .            .            .           .           .           queued
removed       .       .       .            .            absent      absent      absent      absent
lost          .       .       loadingStale .            absent      absent      absent      absent
`;

const matrix = new Map(
  expected
    .trim()
    .split("\n")
    .slice(1)
    .flatMap((line) => {
      const [event, ...cells] = line.trim().split(/\s+/u);
      return cells.map((cell, column): [string, string] => {
        const state = instanceStates[column] ?? "";
        return [`${state} ${event ?? ""}`, cell === "." ? state : cell];
      });
    }),
);

test("the matrix names every pair of a state and an event", () => {
  expect([...matrix.keys()].sort()).toEqual(pairs.map((pair) => pair.join(" ")).sort());
});

describe.each(pairs)("in the state %s, upon %s", (state, event) => {
  const { to, actions } = transition(state, event);

  test("the next state is the one of the matrix", () => {
    expect(to).toBe(matrix.get(`${state} ${event}`));
  });

  test("an instance that leaves memory before its end can write nothing any more", () => {
    const leaves = isInMemory(state) && (!isInMemory(to) || to === "quarantined");
    const isOver = event === "ended" || state === "quarantined";
    expect(actions.includes("leave")).toBe(leaves && !isOver);
  });

  test("memory holds exactly one copy: who comes is taken in, or sent away where one is there", () => {
    const isTakenIn = !isInMemory(state) && isInMemory(to) && event !== "unreadable";
    expect(actions.includes("admit")).toBe(isTakenIn);
    expect(actions.includes("reject")).toBe(event === "begun" && isInMemory(state));
  });

  test("whoever comes to wait for a read is in the loader's queue", () => {
    expect(actions.includes("enqueue")).toBe(state !== "queued" && to === "queued");
  });

  test("a message is kept or delivered, unless the instance will be read again anyway", () => {
    if (event !== "message") return;
    const wanted = state === "quarantined" ? [] : [isInMemory(state) ? "deliver" : "keep"];
    expect(actions.filter((action) => action === "keep" || action === "deliver")).toEqual(wanted);
  });
});

test.each(instanceStates)(
  "from %s, what has changed in the database is read or fetched before the instance rests again",
  (state) => {
    const seen = new Set<InstanceState>();
    const open: InstanceState[] = [];
    const follow = (from: InstanceState, event: InstanceEvent): void => {
      const { to, actions } = transition(from, event);
      // Its messages are on the way, and no read that began before counts.
      if (!actions.includes("fetch")) open.push(to);
    };
    follow(state, "changed");
    // Removal, loss and the end take away what has changed, or have it found by a sweep.
    const endings: InstanceEvent[] = ["readBegun", "ended", "removed", "lost"];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      for (const event of instanceEvents) if (!endings.includes(event)) follow(next, event);
    }
    expect([...seen]).not.toContain("idle");
    expect([...seen]).not.toContain("holding");
    expect([...seen]).not.toContain("absent");
  },
);
