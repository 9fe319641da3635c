/** Requests to pause and to go on count in the order in which they came. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { localClock } from "../../../local/clock.js";
import type { InstanceHost, TurnServices } from "../../../local/durable/turns/instance-host.js";
import type { MessageBody } from "../../../local/durable/protocol/messages.js";
import { Orchestration } from "../../../local/durable/turns/orchestration.js";
import { appOf } from "../../support/durable/random-orchestrator.js";

const nothing = (): void => undefined;

/** The statuses that an orchestration goes through which waits for one event. */
const statusesAfter = async (...requests: MessageBody["type"][]): Promise<string[]> => {
  const statuses: string[] = [];
  const services: TurnServices = {
    functions: appOf(function* ({ df: flow }) {
      yield flow.waitForExternalEvent("go");
    }),
    clock: localClock(),
    keepsSessions: true,
    versions: { match: "None", failure: "Reject", defaultVersion: undefined },
    entityBatchMax: 1,
    commit: async ({ turn }) => {
      if (turn !== undefined) statuses.push(turn.status);
      // All of them are there before the first turn is on disk.
      if (statuses.length === 1)
        requests.forEach((type, id) =>
          orchestration.receive({ id, target: "one", body: { type } as MessageBody }),
        );
      return Promise.resolve({ applied: true, created: new Map(), isShared: false });
    },
    areOpen: async () => Promise.resolve([]),
    nextMessageId: () => 1_000,
    isStopping: () => false,
    setAside: async () => undefined,
    log: () => undefined,
    startActivity: nothing,
  };
  const host: InstanceHost = {
    sent: nothing,
    begun: nothing,
    created: nothing,
    moved: nothing,
    ended: nothing,
    rested: nothing,
    refused: nothing,
    unstorable: (_instance, error) => {
      throw error;
    },
  };
  const orchestration = new Orchestration(services, host, {
    id: "one",
    key: 1,
    name: "flow",
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
  orchestration.wake();
  await expect.poll(() => orchestration.isIdle).toBe(true);
  await sleep(5);
  return statuses;
};

test("an orchestration that was told twice to pause goes on when it is told so", async () => {
  expect((await statusesAfter("suspend", "suspend", "resume")).at(-1)).toBe("Running");
});

test("an orchestration that was told to go on, and then to pause, pauses", async () => {
  expect((await statusesAfter("resume", "suspend")).at(-1)).toBe("Suspended");
});

test("an orchestration that was told to pause, to go on and to pause, pauses", async () => {
  expect((await statusesAfter("suspend", "resume", "suspend")).at(-1)).toBe("Suspended");
});
