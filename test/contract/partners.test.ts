/** Partners that come, change and go while the platform runs, as their own systems see it. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { customer } from "../../bench/platform/customers.js";
import { readTopic } from "../../bench/platform/topic-reader.js";
import { getAllWalletsRoute } from "../../shared/contracts/wallet/search.js";
import { createWalletRoute } from "../../shared/contracts/wallet/wallets.js";
import { client, type Client } from "../../shared/http/client.js";
import { runPartner } from "../support/partners/partner-command.js";
import { addressOf, send, valueOf } from "../support/platform/api.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";

let stack: TestStack;

beforeAll(async () => {
  stack = await startTestStack();
});

afterAll(async () => {
  await stack.stop();
});

const run = async (...args: string[]): Promise<unknown> => {
  const { code, printed, complained } = await runPartner(stack, ...args, "--json");
  if (code !== 0) throw new Error(complained + printed);
  return JSON.parse(printed);
};

const Added = z.object({
  authKey: z.string(),
  clientId: z.string(),
  clientSecret: z.string(),
  connectionString: z.string(),
});

const add = async (partnerKey: string, ...options: string[]) => ({
  partnerKey,
  ...Added.parse(await run("add", partnerKey, ...options)),
});

const list = async (caller: Client): Promise<number> =>
  (await caller.call(getAllWalletsRoute, { query: { pageSize: 1 } })).status;

test("a partner that is added while the platform runs calls, and reads on its topic what it did", async () => {
  const credentials = await add("hooli", "--dealers", "dealer-lodi");
  const reader = readTopic(credentials.connectionString, "hooli");
  const { owner } = customer(1);
  const body = { ...owner, originatingDealerKey: "dealer-lodi" };
  const caller = client(stack.url, credentials);
  const { walletId } = valueOf(await caller.call(createWalletRoute, { body }));
  await expect
    .poll(() => reader.events.map((event) => [event.name, event.walletId]), { interval: 20 })
    .toEqual([["WalletCreated", walletId]]);
  await reader.stop();
});

test("its AuthKey is replaced again and again under load, and no call is refused", async () => {
  const credentials = await add("pied-piper");
  const callers = [client(stack.url, credentials)];
  const statuses = new Map<number, number>();
  let isOver = false;
  const keepCalling = async (turn: number): Promise<void> => {
    for (let calls = turn; !isOver; calls += 1) {
      const caller = callers[calls % callers.length];
      if (caller === undefined) throw new Error("there is always a caller");
      const status = await list(caller);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  const load = [0, 1, 2, 3].map(keepCalling);
  const enough = (count: number) =>
    expect.poll(() => statuses.get(200) ?? 0, { interval: 10 }).toBeGreaterThan(count);
  await enough(10);
  for (let turn = 0; turn < 3; turn += 1) {
    const rotated = await run("rotate-authkey", "pied-piper", "--keep-old-for", "1h");
    const { authKey } = Added.pick({ authKey: true }).parse(rotated);
    // Those with keys before go on beside the one with the new key, which calls at once.
    callers.push(client(stack.url, { ...credentials, authKey }));
    await enough((statuses.get(200) ?? 0) + 20);
  }
  isOver = true;
  await Promise.all(load);
  expect([...statuses.keys()]).toEqual([200]);
});

test("a partner that is removed gets no answer and no token within seconds", async () => {
  const credentials = await add("initrode");
  const token = await client(stack.url, credentials).token();
  const { authKey: authkey, partnerKey: partner } = credentials;
  const headers = { authorization: `Bearer ${token}`, authkey, partner };
  const call = async () => (await send(stack, addressOf(getAllWalletsRoute), { headers })).status;
  expect(await call()).toBe(200);
  const untilRefused = () => expect.poll(call, { interval: 100 }).toBe(401);
  await runPartner({ ...stack, pause: untilRefused }, "remove", "initrode");
  await expect(client(stack.url, credentials).token()).rejects.toThrow("invalid_client");
});
