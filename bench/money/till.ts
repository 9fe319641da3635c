/** A platform whose customers pay: payments that wait, their confirmation through HTTP, alone and in groups. */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import autocannon from "autocannon";
import { Client } from "pg";
import { z } from "zod";
import type { LoadFigures } from "../kit/load.js";
import { startPlatform, type PlatformProcess } from "../platform/process.js";
import { acme, headersFor } from "../platform/session.js";
import { fillWallets, openGroups, openPayments, openStore } from "./rows.js";

export interface Load {
  readonly connections: number;
  readonly seconds: number;
}

/** At all stores, or all at one. */
export type Where = "spread" | "hot";

export interface Till {
  readonly platform: PlatformProcess;
  readonly client: Client;
  readonly headers: Readonly<Record<string, string>>;
  /** The paths of payments to confirm, as many as are asked for and no more. */
  paymentsToConfirm(count: number, where?: Where): Promise<() => string>;
  /** Payments confirmed, each by a request of its own. */
  confirm(load: Load, where?: Where): Promise<LoadFigures>;
  /** The same of groups of ten payments: figures of the requests. */
  confirmGroups(load: Load): Promise<LoadFigures>;
  /** Payments initialised and then confirmed: figures of both kinds of requests together. */
  pay(load: Load): Promise<LoadFigures>;
  /** Resolves once every event has left. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

const storesMax = 100;
export const groupSize = 10;
/** More than a slot can confirm. */
const confirmedPerSecondMax = 4_000;
const groupsPerSecondMax = 500;

const Made = z.object({ operationId: z.string() });

type Requests = NonNullable<autocannon.Options["requests"]>;

const drive = async (
  till: { readonly url: string },
  { connections, seconds }: Load,
  requests: Requests,
): Promise<LoadFigures> => {
  const result = await autocannon({ url: till.url, connections, duration: seconds, requests });
  const counts = Object.entries(result.statusCodeStats ?? {});
  const byStatus = Object.fromEntries(counts.map(([code, { count }]) => [code, count ?? 0]));
  if (Object.keys(byStatus).join() !== "200" || result.errors > 0)
    throw new Error(`answered ${JSON.stringify(byStatus)}, ${result.errors} errors`);
  return {
    perSecond: (byStatus["200"] ?? 0) / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    byStatus,
  };
};

const pathsOf = (paths: readonly string[]): (() => string) => {
  let next = 0;
  return () => {
    const path = paths[next];
    next += 1;
    if (path === undefined) throw new Error("No more operations wait: the slot outran them.");
    return path;
  };
};

/** Starts it on a new data folder, with so many wallets that hold funds. */
export interface TillSettings {
  readonly environment?: Readonly<Record<string, string>>;
  /** The trace that every call of the partner belongs to. */
  readonly traceparent?: string;
}

export const openTill = async (
  dataFolder: string,
  wallets: number,
  { environment = {}, traceparent }: TillSettings = {},
): Promise<Till> => {
  const platform = await startPlatform(dataFolder, environment);
  const client = new Client({ connectionString: platform.databaseUrl });
  await client.connect();
  const session = await headersFor(platform.url, acme);
  const headers = traceparent === undefined ? session : { ...session, traceparent };
  await fillWallets(client, 0, wallets);
  const stores: string[] = [];
  while (stores.length < storesMax) stores.push(await openStore(client, `S-${stores.length}`));

  const paymentsToConfirm: Till["paymentsToConfirm"] = async (count, where = "spread") => {
    const waiting = await openPayments(client, {
      wallets,
      stores: where === "hot" ? stores.slice(0, 1) : stores,
      count,
    });
    return pathsOf(
      waiting.map(
        ({ walletId, operationId }) =>
          `/wallet/wallets/${walletId}/payments/${operationId}/confirm`,
      ),
    );
  };
  const change = (nextPath: () => string): Requests => [
    {
      method: "PUT",
      headers: { ...headers },
      setupRequest: (request) => ({ ...request, path: nextPath() }),
    },
  ];
  const confirm: Till["confirm"] = async (load, where) => {
    const count = load.seconds * confirmedPerSecondMax;
    return drive(platform, load, change(await paymentsToConfirm(count, where)));
  };
  const confirmGroups: Till["confirmGroups"] = async (load) => {
    const count = Math.min(load.seconds * groupsPerSecondMax, wallets);
    const groups = await openGroups(client, { wallets, stores, count, size: groupSize });
    const nextPath = pathsOf(
      groups.map(
        ({ walletId, groupId }) => `/wallet/wallets/${walletId}/groups/${groupId}/confirm`,
      ),
    );
    return drive(platform, load, change(nextPath));
  };
  const { rows: owners } = await client.query<{ id: string }>(
    "select wallet_id as id from borsello.wallet order by random() limit 10000",
  );
  let turn = 0;
  const pay: Till["pay"] = (load) =>
    drive(platform, load, [
      {
        method: "POST",
        headers: { ...headers },
        setupRequest: (request, context) => {
          turn += 1;
          const walletId = owners[turn % owners.length]?.id ?? "";
          const body = {
            idempotencyKey: randomBytes(16).toString("hex"),
            amount: 0.1,
            storeId: stores[turn % stores.length],
            tags: { till: "3" },
          };
          Object.assign(context, { walletId });
          const path = `/wallet/wallets/${walletId}/payments`;
          return { ...request, path, body: JSON.stringify(body) };
        },
        onResponse: (_status, body, context) => {
          Object.assign(context, Made.parse(JSON.parse(body)));
        },
      },
      {
        method: "PUT",
        headers: { ...headers },
        setupRequest: (request, context) => {
          const { walletId, operationId } = z
            .object({ walletId: z.string(), operationId: z.string() })
            .parse(context);
          return {
            ...request,
            path: `/wallet/wallets/${walletId}/payments/${operationId}/confirm`,
          };
        },
      },
    ]);
  const settle = async (): Promise<void> => {
    for (;;) {
      const { rows } = await client.query(
        "select from borsello.outbox where sent_at is null limit 1",
      );
      if (rows.length === 0) return;
      await sleep(50);
    }
  };
  return {
    platform,
    client,
    headers,
    paymentsToConfirm,
    confirm,
    confirmGroups,
    pay,
    settle,
    stop: async () => {
      await client.end();
      await platform.stop();
    },
  };
};
