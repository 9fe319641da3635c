/** A host that works one session after the other off does not collect listeners. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { hostJson } from "../../../local/host/settings/host-json.js";
import { HostLog } from "../../../local/host/app/log.js";
import { ServiceBusConnections } from "../../../local/host/service-bus/connections.js";
import { pumpSessions } from "../../../local/host/service-bus/sessions.js";
import {
  brokerFixture,
  connectionString,
  type BrokerFixture,
} from "../../support/broker/broker.js";

let fixture: BrokerFixture;
const warnings: string[] = [];
const collect = ({ name }: Error): number => warnings.push(name);

beforeAll(async () => {
  process.on("warning", collect);
  fixture = await brokerFixture();
});
afterAll(async () => {
  process.off("warning", collect);
  await fixture.stop();
});

test("many sessions, each left after a wait in vain, leave no listener behind", async () => {
  const sessions = 24;
  const sender = fixture.client.createSender("sessions");
  for (let n = 0; n < sessions; n++) await sender.sendMessages({ sessionId: `s${n}`, body: n });
  const log = new HostLog(() => undefined, {});
  const connections = new ServiceBusConnections(
    { ServiceBus: connectionString(fixture.broker.port) },
    log,
  );
  const { extensions } = hostJson.parse({
    extensions: { serviceBus: { sessionIdleTimeout: "00:00:00.02" } },
  });
  let left = sessions;
  const pump = pumpSessions(
    {
      name: "session",
      address: { connection: undefined, entity: "sessions", subscription: undefined },
      config: extensions.serviceBus,
      log,
      run: async () => {
        left--;
        return Promise.resolve();
      },
    },
    connections,
    false,
  );
  // One whose lock a busy machine let lapse comes twice.
  await expect.poll(() => left <= 0).toBe(true);
  await pump.stop();
  await connections.close();
  expect(warnings).not.toContain("MaxListenersExceededWarning");
});
