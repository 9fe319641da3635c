/** GET /health: asks database, broker and durable engine, each for two seconds at most. */
import { connect } from "node:net";
import { getClient, input } from "durable-functions";
import type { InvocationContext } from "@azure/functions";
import { getHealthRoute, type Health } from "../../shared/contracts/platform/health.js";
import { outboxBacklog } from "../../shared/database/outbox/backlog.js";
import { instanceState } from "../../shared/durable/flow-client.js";
import type { ServiceBusConnection } from "../../shared/platform/config.js";
import { OutageError, type NoteFailure } from "../../shared/platform/outage.js";
import { openEndpoint } from "../kit/endpoint.js";
import type { Services } from "../kit/services.js";

const patienceMs = 2_000;
/** One look serves everybody who asks meanwhile. */
const freshMs = 1_000;

interface BrokerAddress {
  readonly host: string;
  readonly port: number;
}

const amqpsPort = 5671;

export const brokerAddress = (connection: ServiceBusConnection): BrokerAddress => {
  if (connection.kind === "identity")
    return { host: connection.fullyQualifiedNamespace, port: amqpsPort };
  const endpoint = /Endpoint=sb:\/\/([^;/]+)/i.exec(connection.connectionString)?.[1] ?? "";
  const { hostname, port } = new URL(`http://${endpoint}`);
  return { host: hostname, port: port === "" ? amqpsPort : Number(port) };
};

const withinPatience = async <Value>(
  note: NoteFailure,
  part: string,
  work: Promise<Value>,
): Promise<Value | undefined> => {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), patienceMs);
  });
  try {
    return await Promise.race([work, tooLate]);
  } catch (error) {
    note(`Health of the ${part}`, error);
    return undefined;
  } finally {
    clearTimeout(timer);
  }
};

/** The broker accepts connections; whether it accepts ours is for the relay to find out and log. */
const reaches = ({ host, port }: BrokerAddress): Promise<true> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: patienceMs });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("timeout", () => socket.destroy(new OutageError("the broker does not answer")));
    socket.once("error", reject);
  });

/** An instance that never existed: any answer about it means that the engine answers. */
const engineAnswers = async (context: InvocationContext): Promise<true> => {
  await instanceState(getClient(context), "health");
  return true;
};

const stateOf = (found: unknown): { status: "ok" | "unavailable" } => ({
  status: found === undefined ? "unavailable" : "ok",
});

const look = async (
  { config, database, note }: Services,
  context: InvocationContext,
): Promise<Health> => {
  const address = brokerAddress(config.serviceBus);
  const [backlog, broker, durable] = await Promise.all([
    withinPatience(note, "database", outboxBacklog(database)),
    withinPatience(note, "broker", reaches(address)),
    withinPatience(note, "durable engine", engineAnswers(context)),
  ]);
  const fine = backlog !== undefined && broker !== undefined && durable !== undefined;
  return {
    status: fine ? "ok" : "degraded",
    database: stateOf(backlog),
    broker: { ...stateOf(broker), port: address.port },
    durable: stateOf(durable),
    outbox: {
      waiting: backlog?.waiting ?? null,
      oldestSeconds: backlog?.lines[0]?.oldestSeconds ?? null,
    },
  };
};

interface Look {
  readonly health: Promise<Health>;
  readonly startedAtMs: number;
}

const looks = new WeakMap<Services, Look>();

const recentLook = (services: Services, context: InvocationContext): Promise<Health> => {
  const nowMs = services.clock.nowMs();
  const last = looks.get(services);
  if (last !== undefined && nowMs - last.startedAtMs < freshMs) return last.health;
  const health = look(services, context);
  looks.set(services, { health, startedAtMs: nowMs });
  return health;
};

const getHealth = openEndpoint(
  getHealthRoute,
  async (services, _request, context) => {
    const health = await recentLook(services, context);
    return {
      status: health.status === "ok" ? 200 : 503,
      headers: { "Content-Type": "application/json", "Cache-Control": "no-store" },
      body: JSON.stringify(health),
    };
  },
  { extraInputs: [input.durableClient()] },
);

export const healthEndpoints = [getHealth] as const;
