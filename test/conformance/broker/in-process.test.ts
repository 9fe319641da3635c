/** A client in the broker's own process: the genuine one, connected in memory instead of by the port. */
import { ServiceBusClient } from "@azure/service-bus";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { serveInProcess } from "../../../local/in-process-sockets.js";
import {
  brokerFixture,
  connectionString,
  one,
  type BrokerFixture,
} from "../../support/broker/broker.js";

const Opened = z.object({ socket: z.instanceof(Socket) });

let fixture: BrokerFixture;
let leave: () => void;
/** Sockets by which clients of this process have reached the broker. */
let sockets = 0;
const count = (message: unknown): void => {
  const { socket } = Opened.parse(message);
  socket.once("connect", () => {
    if (socket.remotePort === fixture.broker.port) sockets += 1;
  });
};

beforeAll(async () => {
  fixture = await brokerFixture();
  const { broker } = fixture;
  leave = serveInProcess(broker.port, (socket) => broker.accept(socket));
  subscribe("net.client.socket", count);
});
afterAll(async () => {
  unsubscribe("net.client.socket", count);
  leave();
  await fixture.stop();
});

/** Sends to a session, takes the message from it and settles it. */
const roundTrip = async (client: ServiceBusClient, sessionId: string): Promise<string> => {
  const sender = client.createSender("sessions");
  await sender.sendMessages({ body: `to ${sessionId}`, sessionId });
  const receiver = await client.acceptSession("sessions", sessionId);
  const message = one(await receiver.receiveMessages(1, { maxWaitTimeInMs: 10_000 }));
  await receiver.completeMessage(message);
  await receiver.close();
  await sender.close();
  return String(message.body);
};

const openedBy = async (work: () => Promise<unknown>): Promise<number> => {
  const before = sockets;
  await work();
  return sockets - before;
};

test("does all its work without a socket, and its end is the broker's to see", async () => {
  const connectionsBefore = fixture.broker.status().connections;
  const client = new ServiceBusClient(connectionString(fixture.broker.port));
  const opened = await openedBy(async () => {
    expect(await roundTrip(client, "memory")).toBe("to memory");
    const large = client.createSender("other");
    await large.sendMessages({ body: "x".repeat(200_000) });
    const receiver = client.createReceiver("other");
    const got = one(await receiver.receiveMessages(1, { maxWaitTimeInMs: 10_000 }));
    expect(String(got.body)).toHaveLength(200_000);
    await receiver.completeMessage(got);
  });
  expect(fixture.broker.status().connections).toBe(connectionsBefore + 1);
  await client.close();
  await expect.poll(() => fixture.broker.status().connections).toBe(connectionsBefore);
  expect(opened).toBe(0);
});

test("goes by the port once the broker is not served in memory any more", async () => {
  leave();
  const client = new ServiceBusClient(connectionString(fixture.broker.port));
  expect(await openedBy(() => roundTrip(client, "port"))).toBeGreaterThan(0);
  await client.close();
});
