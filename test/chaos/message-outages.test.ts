/** Messages that come while the database is away: the broker elsewhere goes on, and none of them is given up. */
import { readFile } from "node:fs/promises";
import type { ServiceBusClient } from "@azure/service-bus";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchPlatform, type StartProcess } from "../../bench/platform/launch.js";
import { startBroker } from "../../local/broker/broker.js";
import { parseTopology } from "../../local/broker/topology.js";
import { connect, connectionString } from "../support/broker/broker.js";
import { rowsOf } from "../support/database/connections.js";
import { createDatabase, type TestDatabase } from "../support/database/database.js";
import { DatabaseProxy } from "../support/database/database-proxy.js";

const cleanups: (() => Promise<unknown>)[] = [];
let database: TestDatabase;
let messages: TestDatabase;
let proxy: DatabaseProxy;
let platform: StartProcess;
let client: ServiceBusClient;

beforeAll(async () => {
  [database, messages] = await Promise.all([createDatabase({ migrated: true }), createDatabase()]);
  cleanups.push(
    () => database.drop(),
    () => messages.drop(),
  );
  proxy = await DatabaseProxy.before(database.url);
  cleanups.push(() => proxy.close());
  const configuration: unknown = JSON.parse(await readFile("servicebus.config.json", "utf8"));
  const broker = await startBroker({
    connectionString: messages.url,
    topology: parseTopology(configuration),
    port: 0,
  });
  cleanups.push(() => broker.stop());
  client = connect(broker.port);
  cleanups.push(() => client.close());
  [platform] = await launchPlatform(["--port", "0", "--database-url", proxy.url], {
    ServiceBus: connectionString(broker.port),
  });
  cleanups.push(() => {
    platform.child.kill("SIGKILL");
    return platform.ended();
  });
});
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

/** What the platform's triggers have yet to handle. */
const held = () =>
  rowsOf<{ path: string; deliveries: number }>(
    messages.url,
    `select path, delivery_count as deliveries
     from broker.message join broker.entity using (entity_id)
     where path in ('bank-notifications', 'platform-events/Subscriptions/flows') order by path`,
  );

const transfer = {
  ...{ type: "IncomingSctStandard", transactionReference: "T1", debtorName: "ROSSI MARIA" },
  ...{ debtorIban: "IT60X0542811101000000123456", creditorIban: "IT00", amount: 10, reason: "x" },
  receptionDate: "2026-01-15T09:30:00.000Z",
};

test("a transfer and a flow's message wait for the database instead of using up their deliveries", async () => {
  proxy.refuse();
  await client.createSender("bank-notifications").sendMessages({ messageId: "T1", body: transfer });
  await client.createSender("platform-events").sendMessages({
    ...{ messageId: "E1", sessionId: "T1", subject: "NotificationAdvanced" },
    body: { bankNotificationId: "01a203b9-e045-7a73-9c56-98cb549776f5", partnerKey: "acme" },
  });
  const isWaiting = () =>
    ["bankNotifications", "platformEvents"].every((name) =>
      platform.output().includes(`A message for ${name}`),
    );
  await expect.poll(isWaiting).toBe(true);
  proxy.restore();
  await expect.poll(held).toEqual([]);
  expect(
    await rowsOf(database.url, "select transaction_reference from borsello.bank_notification"),
  ).toEqual([{ transaction_reference: "T1" }]);
});
