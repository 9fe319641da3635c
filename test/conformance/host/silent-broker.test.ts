/** Service Bus functions whose broker stops answering: no wait for it lasts for ever. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { HostLog } from "../../../local/host/app/log.js";
import { ServiceBusConnections } from "../../../local/host/service-bus/connections.js";
import { pumpSessions } from "../../../local/host/service-bus/sessions.js";
import { hostJson } from "../../../local/host/settings/host-json.js";
import { startAppHost } from "../../support/platform/app-host.js";
import {
  brokerFixture,
  connectionString,
  type BrokerFixture,
} from "../../support/broker/broker.js";
import { DatabaseProxy } from "../../support/database/database-proxy.js";
import { createDatabase } from "../../support/database/database.js";

const timeout = 30_000;
let fixture: BrokerFixture;
beforeAll(async () => {
  fixture = await brokerFixture();
});
afterAll(() => fixture.stop());

const send = (mark: string): Promise<void> =>
  fixture.client.createSender("sessions").sendMessages({ sessionId: mark, body: { mark } });

/** Its sessions work, but what closes them is never answered, as where the broker is gone meanwhile. */
class UnclosableSessions extends ServiceBusConnections {
  override async nextSession(
    ...wanted: Parameters<ServiceBusConnections["nextSession"]>
  ): ReturnType<ServiceBusConnections["nextSession"]> {
    const session = await super.nextSession(...wanted);
    return Object.assign(session, { close: () => new Promise<void>(() => undefined) });
  }
}

test(
  "a session that cannot be closed gives its place to the next one",
  async () => {
    const log = new HostLog(() => undefined, {});
    const settings = { ServiceBus: connectionString(fixture.broker.port) };
    const connections = new UnclosableSessions(settings, log);
    const { extensions } = hostJson.parse({
      extensions: { serviceBus: { maxConcurrentSessions: 1, sessionIdleTimeout: "00:00:00.1" } },
    });
    const seen: unknown[] = [];
    const consumer = {
      name: "session",
      address: { connection: undefined, entity: "sessions", subscription: undefined },
      config: extensions.serviceBus,
      log,
      run: async (messages: readonly { readonly sessionId?: string }[]) =>
        void seen.push(...messages.map(({ sessionId }) => sessionId)),
    };
    const pump = pumpSessions(consumer, connections, false);
    for (const mark of ["first", "second"]) {
      await send(mark);
      await expect.poll(() => seen, { timeout }).toContain(mark);
    }
    await pump.stop();
    await connections.close();
  },
  2 * timeout,
);

test(
  "the host can be stopped, and ends in order",
  async () => {
    const database = await createDatabase();
    const between = await DatabaseProxy.before(`http://127.0.0.1:${fixture.broker.port}`);
    const { port } = new URL(between.url);
    const settings = { ServiceBus: connectionString(Number(port)), QUEUE: "plain" };
    const host = await startAppHost("bus", { databaseUrl: database.url, settings });
    await send("third");
    const seen = async (): Promise<string> => (await fetch(`${host.url}/seen`)).text();
    await expect.poll(seen, { timeout }).toContain("third");
    between.silence();
    expect(await host.stop()).toBe(0);
    await between.close();
    await database.drop();
  },
  timeout,
);
