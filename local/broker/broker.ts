/** A message broker for one machine: AMQP 1.0 as the Service Bus clients speak it, kept in PostgreSQL. */
import type { Server } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "pg";
import { rights, type EntityAccess } from "./access/access-rules.js";
import { KeyRing } from "./access/key-ring.js";
import { Catalog } from "./administration/catalog.js";
import { IdleWatch, realIdleClock, type IdleClock } from "./administration/idle-watch.js";
import type { AdministrationServerParts } from "./administration/server.js";
import { certificateKeeper } from "./connections/certificate.js";
import { Directory } from "./entities/directory.js";
import { Listener } from "./connections/listener.js";
import type { HandshakeTimeouts } from "./peers/peer.js";
import { CommitLog } from "./storage/commit-log.js";
import { DefinitionStore } from "./storage/definition-store.js";
import { EntityStore } from "./storage/entity-store.js";
import { MessageCounter } from "./storage/message-counts.js";
import { MessageReader } from "./storage/message-reader.js";
import { Writer } from "./storage/writer.js";
import { noteFailure } from "../failures.js";
import type { Topology } from "./topology.js";

/** One connection of a given pool is held for good. */
type Database = { readonly pool: Pool } | { readonly connectionString: string };

export type BrokerOptions = Database & {
  readonly topology: Topology;
  /** 0 takes a free one. */
  readonly port: number;
  readonly host?: string;
  /** Value of the shared access key; without it the one of the emulator's connection strings. */
  readonly key?: string;
  /** Keys for entities of the topology. */
  readonly accessRules?: readonly EntityAccess[];
  /** Told of failures that no client waits for. */
  readonly report?: (error: unknown) => void;
  /** Where the certificate for TLS is kept, and made; without it there is no TLS. */
  readonly certificateFolder?: string;
  /** By which it is known that an entity is not used any more. */
  readonly idleClock?: IdleClock;
  /** How long a connection may take before it has proved itself. */
  readonly handshakeTimeouts?: HandshakeTimeouts;
};

export interface BrokerStatus {
  /** Clients wait while the database cannot be written to. */
  readonly status: "ok" | "waiting for the database" | "stopped";
  readonly port: number;
  readonly connections: number;
  readonly entities: number;
}

export interface Broker {
  readonly port: number;
  status(): BrokerStatus;
  /** Serves a client on this stream, as on a connection to the port. */
  accept(socket: Duplex): void;
  /** Closes connections, lets running writes end and gives the database back. */
  stop(): Promise<void>;
}

/** A broker for as long as it owns its database. */
interface Tenure extends Broker {
  /** Resolves when another broker has owned the database. */
  readonly ended: Promise<void>;
}

const rootKeyName = "RootManageSharedAccessKey";
const lastWritesMs = 5000;
const startAgainMs = 1000;

const reportToConsole = (error: unknown): void =>
  console.error(`broker: ${error instanceof Error ? error.message : String(error)}`);

/** What has to be undone, in the reverse order of its making. */
class Undo {
  readonly #steps: (() => void | Promise<void>)[] = [];

  add(step: () => void | Promise<void>): void {
    this.#steps.unshift(step);
  }

  async run(): Promise<void> {
    for (const step of this.#steps.splice(0)) await step();
  }
}

const poolOf = (options: Database, undo: Undo, report: (error: unknown) => void): Pool => {
  if ("pool" in options) return options.pool;
  const pool = new Pool({ connectionString: options.connectionString, max: 4 });
  // The end of an idle connection is news only while it is wanted.
  pool.on("error", (error) => (pool.ending ? undefined : report(error)));
  // A connection may break before whoever asked for it can listen; its next query tells, too.
  pool.on("connect", (client) => client.on("error", () => undefined));
  undo.add(() => pool.end());
  return pool;
};

/** Made ahead of the first client that asks for TLS: such a client is started with its path. */
const certificateOf = ({ certificateFolder, report = reportToConsole }: BrokerOptions) => {
  if (certificateFolder === undefined) return null;
  const keep = certificateKeeper(certificateFolder);
  keep().catch(report);
  return keep;
};

/** Few ever ask for it: it is loaded with the first request. */
const administrationOf = (
  parts: Omit<AdministrationServerParts, "counter" | "startedAtMs">,
  pool: Pool,
): (() => Promise<Server>) => {
  const startedAtMs = Date.now();
  let server: Promise<Server> | undefined;
  const load = async (): Promise<Server> => {
    const { administrationServer } = await import("./administration/server.js");
    return administrationServer({ ...parts, counter: new MessageCounter(pool), startedAtMs });
  };
  return () => (server ??= load());
};

const assemble = async (
  options: BrokerOptions,
  undo: Undo,
  takeOverMs: number | undefined,
): Promise<Tenure> => {
  const { topology, port, host = "127.0.0.1", key = "SAS_KEY_VALUE" } = options;
  const { report = reportToConsole } = options;
  const pool = poolOf(options, undo, report);
  const writer = await Writer.open(pool, takeOverMs);
  undo.add(() => writer.close());
  const log = new CommitLog(writer);
  // Without database the last writes cannot end; nobody was told that they had.
  undo.add(() => Promise.race([log.idle(), sleep(lastWritesMs, undefined, { ref: false })]));
  const entities = new EntityStore(pool, writer);
  const reader = new MessageReader(pool);
  const directory = await Directory.open(topology, { log, reader, entities, report });
  undo.add(() => directory.stop());
  const keys = new KeyRing([{ name: rootKeyName, rights, primaryKey: key, secondaryKey: key }]);
  const opened: { listener?: Listener } = {};
  const catalog = await Catalog.open({
    topology,
    accessRules: options.accessRules ?? [],
    keys,
    directory,
    definitions: new DefinitionStore(pool),
    endLinks: (path, error) => opened.listener?.endLinks(path, error),
    checkAccess: () => opened.listener?.checkAccess(),
    nowMs: Date.now,
  });
  directory.start();
  const idleWatch = new IdleWatch({
    catalog,
    directory,
    clock: options.idleClock ?? realIdleClock,
    report,
  });
  undo.add(() => idleWatch.stop());
  const listener = await Listener.open({
    directory,
    entities,
    keys,
    host,
    port,
    report,
    handshakeTimeouts: options.handshakeTimeouts,
    administration: administrationOf({ catalog, directory, entities, keys, report }, pool),
    certificate: certificateOf(options),
  });
  opened.listener = listener;
  undo.add(() => listener.close());
  let isStopped = false;
  undo.add(() => void (isStopped = true));
  return {
    port: listener.port,
    status: () => ({
      status: isStopped ? "stopped" : writer.isWriting ? "ok" : "waiting for the database",
      port: listener.port,
      connections: listener.connectionCount,
      entities: directory.size,
    }),
    accept: (socket) => listener.accept(socket),
    stop: () => undo.run(),
    ended: writer.deposed,
  };
};

const begin = async (options: BrokerOptions, takeOverMs?: number): Promise<Tenure> => {
  const undo = new Undo();
  try {
    return await assemble(options, undo, takeOverMs);
  } catch (error) {
    await undo.run();
    throw error;
  }
};

/**
 * Rejects where the port is taken (`code` EADDRINUSE) or another broker has the database. A broker
 * that lost its database to another one for a while starts anew when it gets it back: its clients
 * are asked to connect again, and all that it knew is read again.
 */
export const startBroker = async (options: BrokerOptions): Promise<Broker> => {
  const first = await begin(options);
  const { port } = first;
  let current: Tenure | undefined = first;
  let isStopped = false;

  const startAgain = async (): Promise<void> => {
    while (current === undefined && !isStopped) {
      try {
        current = await begin({ ...options, port }, 0);
      } catch (error) {
        noteFailure("The broker's start after another one owned its database", error);
        await sleep(startAgainMs, undefined, { ref: false });
      }
    }
  };
  const serve = async (): Promise<void> => {
    while (current !== undefined && !isStopped) {
      const tenure = current;
      await tenure.ended;
      current = undefined;
      await tenure.stop();
      await startAgain();
    }
  };
  const served = serve();
  served.catch(options.report ?? reportToConsole);

  return {
    port,
    status: () =>
      current?.status() ?? {
        status: isStopped ? "stopped" : "waiting for the database",
        port,
        connections: 0,
        entities: 0,
      },
    accept: (socket) => {
      if (current === undefined) socket.destroy();
      else current.accept(socket);
    },
    stop: async () => {
      isStopped = true;
      if (current === undefined) await served;
      // It may have begun a last time while it was told to stop.
      await current?.stop();
    },
  };
};
