/** Starting and waking flows, with a client that answers as the library does. */
import { expect, test } from "vitest";
import { ibanChanged } from "../../../orchestrations/iban-validation.flow.js";
import { walletOnboarding } from "../../../orchestrations/wallet-onboarding.flow.js";
import { raise, startOnce, type FlowClient } from "../../../shared/durable/flow-client.js";

const walletId = "0190a6b0-5a51-7000-8000-000000000001";
const start = { flow: walletOnboarding, instanceId: "one", input: { walletId } };

const unknown = new Error("DurableClient error: … replied with HTTP 404 response.");
const conflict = new Error("The operation failed with an unexpected status code: 409. Details: …");

/** What the library's client would do; a state that is an error is thrown. */
const clientOf = (state: string | Error, startAnswer?: Error) => {
  const calls: string[] = [];
  const client = {
    getStatus: async () => {
      if (state instanceof Error) throw state;
      return { runtimeStatus: state };
    },
    startNew: async (name: string) => {
      calls.push(name);
      if (startAnswer !== undefined) throw startAnswer;
      return "one";
    },
    raiseEvent: async (_instanceId: string, name: string) => {
      if (state instanceof Error) throw state;
      calls.push(name);
    },
  };
  return { client: client as unknown as FlowClient, calls };
};

test("an absent flow is started", async () => {
  const { client, calls } = clientOf(unknown);
  expect(await startOnce(client, start)).toBe(true);
  expect(calls).toEqual(["walletOnboarding"]);
});

test.each(["Running", "Pending", "Suspended", "ContinuedAsNew", "Completed", "Terminated"])(
  "a %s flow is left alone",
  async (state) => {
    const { client, calls } = clientOf(state);
    expect(await startOnce(client, start)).toBe(false);
    expect(calls).toEqual([]);
  },
);

test("a flow that failed is started again", async () => {
  const { client } = clientOf("Failed");
  expect(await startOnce(client, start)).toBe(true);
});

test("a flow that is over is started again after the ends that are named, and no others", async () => {
  const again = { ...start, restartAfter: ["completed", "failed"] } as const;
  expect(await startOnce(clientOf("Completed").client, again)).toBe(true);
  expect(await startOnce(clientOf("Failed").client, again)).toBe(true);
  expect(await startOnce(clientOf("Terminated").client, again)).toBe(false);
  expect(await startOnce(clientOf("Running").client, again)).toBe(false);
});

test("losing the race to start is no failure", async () => {
  const { client } = clientOf(unknown, conflict);
  expect(await startOnce(client, start)).toBe(false);
});

test("an outage is thrown, so that the message comes again", async () => {
  const outage = new Error("connect ECONNREFUSED");
  await expect(startOnce(clientOf(outage).client, start)).rejects.toBe(outage);
  await expect(startOnce(clientOf(unknown, outage).client, start)).rejects.toBe(outage);
  await expect(raise(clientOf(outage).client, "one", ibanChanged, null)).rejects.toBe(outage);
});

test("waking a flow that never ran tells so", async () => {
  const absent = new Error("No instance with ID 'one' found.");
  expect(await raise(clientOf(absent).client, "one", ibanChanged, null)).toBe(false);
  expect(await raise(clientOf("Running").client, "one", ibanChanged, null)).toBe(true);
});
