/** GET /health: asks database, broker and durable engine, each for two seconds at most, and says what is wrong. */
import { getClient, input } from "durable-functions";
import type { InvocationContext } from "@azure/functions";
import { getHealthRoute, type Health } from "../../shared/contracts/platform/health.js";
import {
  outboxBacklog,
  type BacklogLine,
  type OutboxBacklog,
} from "../../shared/database/outbox/backlog.js";
import { databaseProblem, probeWriting } from "../../shared/database/platform/health.js";
import { countSetAside } from "../../shared/database/platform/sweeps.js";
import { instanceState, type FlowClient } from "../../shared/durable/flow-client.js";
import type { ServiceBusConnection } from "../../shared/platform/config.js";
import { openEndpoint } from "../kit/endpoint.js";
import type { Services } from "../kit/services.js";
import { boundedLooks, type Looked } from "./bounded-look.js";

const patienceMs = 2_000;
/** One look serves everybody who asks meanwhile. */
const freshMs = 1_000;
/** So long messages may wait until somebody should hear of it, and until the platform counts as degraded. */
const toldAfterSeconds = 60;
const degradedAfterSeconds = 300;
const linesTold = 3;

const amqpsPort = 5671;

export const brokerPort = (connection: ServiceBusConnection): number => {
  if (connection.kind === "identity") return amqpsPort;
  const endpoint = /Endpoint=sb:\/\/([^;/]+)/i.exec(connection.connectionString)?.[1] ?? "";
  const { port } = new URL(`http://${endpoint}`);
  return port === "" ? amqpsPort : Number(port);
};

/** One of the platform's own, which each namespace has. */
const askedQueue = "bank-outcomes";

/** An instance that never existed: any answer about it means that the engine answers. */
const neverStarted = "health";

const stateOf = ({ problem }: Looked<unknown>): { status: "ok" | "unavailable" } => ({
  status: problem === null ? "ok" : "unavailable",
});

const waitsFor = ({ towards, oldestSeconds }: BacklogLine): string =>
  `for ${towards.join(" and ")} since ${Math.round(oldestSeconds)} seconds`;

const waitProblem = (lines: readonly BacklogLine[]): string | null => {
  const late = lines.filter(({ oldestSeconds }) => oldestSeconds >= toldAfterSeconds);
  if (late.length === 0) return null;
  const more = late.length > linesTold ? `, and elsewhere (${late.length - linesTold})` : "";
  return `Messages wait ${late.slice(0, linesTold).map(waitsFor).join(", ")}${more}.`;
};

const refusedProblem = (refused: OutboxBacklog["refused"]): string | null => {
  if (refused.length === 0) return null;
  const places = refused.slice(0, linesTold).map(({ destination }) => destination);
  const more = refused.length > linesTold ? ` and elsewhere (${refused.length - linesTold})` : "";
  const total = (count: "retried" | "givenUp"): number =>
    refused.reduce((sum, one) => sum + one[count], 0);
  return (
    `Messages are refused by ${places.join(", ")}${more}: tried again ${total("retried")}, ` +
    `given up on ${total("givenUp")}; borsello.held_message says why.`
  );
};

const outboxProblem = ({ lines, refused }: OutboxBacklog): string | null =>
  [waitProblem(lines), refusedProblem(refused)].filter((one) => one !== null).join(" ") || null;

const asideProblem = (setAside: number): string | null =>
  setAside === 0
    ? null
    : `Flows that could not be started: ${setAside}; borsello.set_aside says why.`;

const isHeldUp = ({ isOwn, oldestSeconds }: BacklogLine): boolean =>
  isOwn && oldestSeconds >= degradedAfterSeconds;

interface Kept {
  readonly backlog: OutboxBacklog;
  readonly setAside: number;
}

type Means = Pick<Services, "config" | "database" | "bus" | "note">;

/** Looks at all of it at once. */
export const healthOf = ({ config, database, bus, note }: Means) => {
  const lookAt = boundedLooks(note, patienceMs);
  const kept = async (): Promise<Kept> => {
    const backlog = await outboxBacklog(database);
    return { backlog, setAside: await countSetAside(database) };
  };
  return async (client: Pick<FlowClient, "getStatus">): Promise<Health> => {
    const [reads, writes, broker, durable] = await Promise.all([
      lookAt({ name: "The database", explain: databaseProblem }, kept),
      lookAt({ name: "Writing to the database", explain: databaseProblem }, () =>
        probeWriting(database),
      ),
      lookAt({ name: "The broker" }, () => bus.ask(askedQueue)),
      lookAt({ name: "The durable engine" }, () => instanceState(client, neverStarted)),
    ]);
    const lines = reads.value?.backlog.lines ?? [];
    const broken = [reads, writes, broker, durable].some(({ problem }) => problem !== null);
    return {
      status: broken || lines.some(isHeldUp) ? "degraded" : "ok",
      database: {
        ...stateOf(reads.problem === null ? writes : reads),
        problem: reads.problem ?? writes.problem,
      },
      broker: { ...stateOf(broker), port: brokerPort(config.serviceBus), problem: broker.problem },
      durable: {
        ...stateOf(durable),
        problem: durable.problem ?? asideProblem(reads.value?.setAside ?? 0),
      },
      outbox: {
        waiting: reads.value?.backlog.waiting ?? null,
        oldestSeconds: lines[0]?.oldestSeconds ?? null,
        problem: reads.value === undefined ? null : outboxProblem(reads.value.backlog),
      },
    };
  };
};

interface Looks {
  readonly look: ReturnType<typeof healthOf>;
  health?: Promise<Health>;
  startedAtMs: number;
}

const looksOf = new WeakMap<Services, Looks>();

const recentLook = (services: Services, context: InvocationContext): Promise<Health> => {
  const looks = looksOf.get(services) ?? { look: healthOf(services), startedAtMs: 0 };
  looksOf.set(services, looks);
  const nowMs = services.clock.nowMs();
  if (looks.health !== undefined && nowMs - looks.startedAtMs < freshMs) return looks.health;
  looks.health = looks.look(getClient(context));
  looks.startedAtMs = nowMs;
  return looks.health;
};

const getHealth = openEndpoint(
  getHealthRoute,
  async (services, _request, context) => {
    const health = await recentLook(services, context);
    return {
      status: health.status === "ok" ? 200 : 503,
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(health),
    };
  },
  { extraInputs: [input.durableClient()] },
);

export const healthEndpoints = [getHealth] as const;
