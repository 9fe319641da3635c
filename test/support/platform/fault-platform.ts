/** The platform on a data folder of its own, with the faults that a test may inflict on its parts. */
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { reservePort } from "../../../local/reserve-port.js";
import { withClient } from "../database/connections.js";
import { startApartBroker, type ApartBroker } from "./apart-broker.js";
import { mountSmallDisk, takeRest, unmountSmallDisk } from "./small-disk.js";
import { supervisePlatform } from "./supervisor.js";

export type Rows = readonly Record<string, unknown>[];

/** What may be stopped for a while; `server` is the postmaster with all its sessions. */
export type Pausable = "platform" | "postmaster" | "server" | "broker";

export interface FaultPlatformOptions {
  /** Puts the data on a disk of that size, which can be filled. */
  readonly diskMegabytes?: number;
  /** Runs the broker as a process of its own. */
  readonly isBrokerApart?: boolean;
}

export interface FaultPlatform {
  /** The same in all lives. */
  readonly url: string;
  readonly brokerConnectionString: string;
  readonly databaseUrl: string;
  /** Ends of the platform that nobody asked for. */
  readonly crashes: readonly string[];
  /** Starts that it gave up while something else was wrong. */
  readonly refusedStarts: readonly string[];
  /** Asks the database until it answers. */
  query(text: string, values?: readonly unknown[]): Promise<Rows>;
  /** The messages that the broker holds, counted by entity. */
  held(): Promise<Rows>;
  kill(): Promise<void>;
  /** Ends all connections of the platform; resolves to how many. */
  endConnections(): Promise<number>;
  killPostmaster(): Promise<void>;
  /** Kills one of PostgreSQL's other processes, drawn from those that there are. */
  killServerProcess(draw: (bound: number) => number): Promise<void>;
  killBroker(): Promise<void>;
  pause(what: Pausable, ms: number): Promise<void>;
  /** Leaves no byte for the database, neither for tables nor for its log, for so long. */
  fillDisk(ms: number): Promise<void>;
  /** Resolves to the milliseconds that it took until the health was ok. */
  healthy(): Promise<number>;
  end(): Promise<void>;
}

const patienceMs = 180_000;
const pollMs = 100;

/** Each out of its own: the platform's ports differ. Below those that the system gives out by itself. */
const firstPorts = { http: 20_000, broker: 26_000 } as const;
const portsOfAKind = 6_000;

/** Nobody else takes it between two lives. */
const lastingPort = async (kind: keyof typeof firstPorts): Promise<number> => {
  for (;;) {
    const port = firstPorts[kind] + Math.floor(Math.random() * portsOfAKind);
    const reserved = await reservePort(port, "").catch(() => undefined);
    if (reserved === undefined) continue;
    await reserved.release();
    return port;
  }
};

const held = `
  select path, count(*)::int as messages, max(delivery_count) as deliveries
  from broker.message join broker.entity using (entity_id) group by path order by path`;

const asked = async (url: string, text: string, values: readonly unknown[]): Promise<Rows> => {
  const config = { application_name: "judge", connectionTimeoutMillis: 5_000 };
  return withClient({ ...config, connectionString: url }, async (client) => {
    const { rows } = await client.query<Record<string, unknown>>(text, [...values]);
    return rows;
  });
};

const isHealthy = async (url: string): Promise<boolean> =>
  fetch(`${url}/health`, { signal: AbortSignal.timeout(5_000) }).then(
    ({ status }) => status === 200,
    () => false,
  );

/** False: it has ended in the meantime. */
const signalled = (pid: number, name: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
};

const childrenOf = async (pid: number): Promise<number[]> => {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  return text.trim() === "" ? [] : text.trim().split(" ").map(Number);
};

const untilDefined = async <Value>(look: () => Promise<Value | undefined>): Promise<Value> => {
  const began = performance.now();
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() - began > patienceMs) throw new Error("What was waited for never came.");
    await sleep(pollMs);
  }
};

const startPlatform = async (data: string, broker: ApartBroker | undefined, brokerPort: number) => {
  const port = await lastingPort("http");
  return supervisePlatform(
    ["--port", String(port), "--broker-port", String(brokerPort), "--data", data],
    broker === undefined ? {} : { ServiceBus: broker.connectionString },
  );
};

export const startFaultPlatform = async ({
  diskMegabytes,
  isBrokerApart = false,
}: FaultPlatformOptions): Promise<FaultPlatform> => {
  const folder = await mkdtemp(join(tmpdir(), "borsello-faults-"));
  await chmod(folder, 0o711);
  if (diskMegabytes !== undefined) await mountSmallDisk(folder, diskMegabytes);
  const data = join(folder, "data");
  const brokerPort = await lastingPort("broker");
  const broker = isBrokerApart ? await startApartBroker(brokerPort) : undefined;
  const platform = await startPlatform(data, broker, brokerPort);
  const { url, brokerConnectionString } = platform.place;

  const query = async (text: string, values: readonly unknown[] = []): Promise<Rows> => {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      try {
        return await asked(platform.place.databaseUrl, text, values);
      } catch (error) {
        if (performance.now() > deadline) throw error;
        await sleep(pollMs);
      }
    }
  };
  /** Waits for one that runs. */
  const postmaster = (): Promise<number> =>
    untilDefined(async () => {
      const text = await readFile(join(data, "postgres/postmaster.pid"), "utf8").catch(() => "");
      const pid = Number(text.split("\n")[0]);
      return pid > 0 && signalled(pid, 0) ? pid : undefined;
    });
  const apart = (): ApartBroker => {
    if (broker === undefined) throw new Error("The broker is not a process of its own.");
    return broker;
  };
  const processesOf = async (what: Pausable): Promise<number[]> => {
    if (what === "platform") return [platform.pid];
    if (what === "broker") return [apart().pid];
    const parent = await postmaster();
    return what === "postmaster" ? [parent] : [parent, ...(await childrenOf(parent))];
  };
  return {
    url,
    brokerConnectionString,
    get databaseUrl() {
      return platform.place.databaseUrl;
    },
    crashes: platform.crashes,
    refusedStarts: platform.refusedStarts,
    query,
    held: () => (broker === undefined ? query(held) : asked(broker.databaseUrl, held, [])),
    kill: () => platform.kill(),
    endConnections: async () => {
      const [row] = await query(
        `select count(pg_terminate_backend(pid))::int as count from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      );
      return Number(row?.["count"]);
    },
    killPostmaster: async () => {
      while (!signalled(await postmaster(), "SIGKILL")) await sleep(pollMs);
    },
    killServerProcess: async (draw) => {
      const killed = async (): Promise<true | undefined> => {
        const children = await childrenOf(await postmaster());
        const pid = children[draw(children.length)];
        return pid !== undefined && signalled(pid, "SIGKILL") ? true : undefined;
      };
      await untilDefined(killed);
    },
    killBroker: () => apart().restart(),
    pause: async (what, ms) => {
      const stopped = await processesOf(what);
      for (const each of stopped) signalled(each, "SIGSTOP");
      await sleep(ms);
      for (const each of stopped) signalled(each, "SIGCONT");
    },
    fillDisk: async (ms) => {
      const ballast = join(folder, "ballast");
      await takeRest(ballast);
      // The log has segments in reserve: once they are used up, the server panics.
      const useUp = `do $$ begin
        for segment in 1 .. 64 loop
          perform pg_logical_emit_message(true, 'filler', 'x'), pg_switch_wal();
        end loop; end $$`;
      await asked(platform.place.databaseUrl, useUp, []).catch(() => undefined);
      await sleep(ms);
      await rm(ballast);
    },
    healthy: async () => {
      const began = performance.now();
      await untilDefined(async () => ((await isHealthy(url)) ? true : undefined));
      return performance.now() - began;
    },
    end: async () => {
      await platform.stop();
      await broker?.stop();
      if (diskMegabytes !== undefined) await unmountSmallDisk(folder);
      await rm(folder, { recursive: true, force: true });
    },
  };
};
