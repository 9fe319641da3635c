/** The client on a running platform: what it repeats is done once, and events come until they are handled. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { partnerConnectionString } from "../../bench/platform/topic-reader.js";
import { connect } from "../../client/src/connect.js";
import { readEvents, type Delivered, type ReadEventsOptions } from "../../client/src/events.js";
import { cutAfterCommit } from "../support/client/cut-connection.js";
import type { Database } from "../../shared/database/platform/database.js";
import { lineOf, table } from "../support/client/lines.js";
import { openStackDatabase, partnerNamed } from "../support/platform/api.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";
import { outboxOf } from "../support/wallet/bank-fixtures.js";
import { someone } from "../support/wallet/wallet-fixtures.js";

let stack: TestStack;
let database: Database;

beforeAll(async () => {
  stack = await startTestStack();
  database = openStackDatabase(stack);
});

afterAll(async () => {
  await database.close();
  await stack.stop();
});

const Success = z.object({ ok: z.literal(true), isReplayed: z.boolean(), value: z.unknown() });
const Wallet = z.object({ walletId: z.string() });

const acmeAt = (baseUrl: string, api: "wallet" | "sandbox" = "wallet") => {
  const methods = connect(table, { ...partnerNamed("acme"), baseUrl, partner: "acme" });
  return async (id: string, input: Readonly<Record<string, unknown>> = {}) =>
    Success.parse(await methods[api]?.[id]?.(input));
};

const createWallet = async (): Promise<string> => {
  const created = await acmeAt(stack.url)("createWallet", { ...someone().owner });
  return Wallet.parse(created.value).walletId;
};

const eventsOf = (change: Partial<ReadEventsOptions> = {}) =>
  readEvents({
    broker: partnerConnectionString(stack.brokerConnectionString, "acme"),
    partner: "acme",
    ...change,
  });

test("a connection that is cut after the commit leaves one wallet, and the client has its answer", async () => {
  const way = await cutAfterCommit(stack.url, "POST /wallet/wallets");
  const { owner } = someone();
  const created = await acmeAt(way.url)("createWallet", { ...owner });
  expect(way.cuts()).toBe(1);
  expect(created.isReplayed).toBe(true);
  const found = await acmeAt(stack.url)("searchWallet", { taxId: owner.taxId });
  expect(found.value).toMatchObject({ totalCount: 1, items: [created.value] });
  await way.close();
});

test("an IBAN whose answer was cut off is set again, and is told once", async () => {
  const walletId = await createWallet();
  const way = await cutAfterCommit(stack.url, `PUT /wallet/wallets/${walletId}/iban`);
  const { iban } = someone();
  const set = await acmeAt(way.url)("updateWalletIban", { walletId, iban });
  expect(way.cuts()).toBe(1);
  const { value } = await acmeAt(stack.url)("getWallet", { walletId });
  const Code = z.object({ ibanValidationCode: z.string() });
  expect(Code.parse(set.value)).toEqual(Code.parse(value));
  const told = await outboxOf(database, walletId);
  expect(told.map(({ subject }) => subject)).toEqual(["WalletCreated", "WalletUpdated", "IbanSet"]);
  await way.close();
});

test("what can be repeated in the sandbox is answered alike the second time, and told once", async () => {
  const walletId = await createWallet();
  const calls = [
    ["scriptBank", { kind: "payment", iban: someone().iban, outcome: "silent" }],
    ["setO2iTarget", { endpoint: "wallet", standIn: null }],
    ["declineContract", { walletId }],
  ] as const;
  for (const [id, input] of calls) {
    expect([id, lineOf(id).repeatable]).toEqual([id, true]);
    const [first, second] = [
      await acmeAt(stack.url, "sandbox")(id, input),
      await acmeAt(stack.url, "sandbox")(id, input),
    ];
    expect(second.value).toEqual(first.value);
  }
  const told = (await outboxOf(database, walletId)).map(({ subject }) => subject);
  expect(told).toEqual(["WalletCreated", "ContractDeclined"]);
});

/** A replay is sent after its answer: what is published meanwhile may overtake it. */
const openReplays = () =>
  database.rows(
    z.object({ id: z.bigint() }),
    `select replay_id as id from borsello.replay where ended_at is null`,
  );

test("an event whose handling failed comes again, one that was handled or replayed does not", async () => {
  const walletId = await createWallet();
  const isOf = (event: Delivered): boolean => event.sessionId === walletId;
  const failing = async (): Promise<void> => {
    for await (const event of eventsOf()) if (isOf(event)) throw new Error("not now");
  };
  await expect(failing()).rejects.toThrow("not now");

  const stop = new AbortController();
  const handled: Delivered[] = [];
  let other = "";
  for await (const event of eventsOf({ signal: stop.signal })) {
    handled.push(event);
    if (isOf(event)) {
      await acmeAt(stack.url)("replayEvent", { id: event.id });
      await expect.poll(openReplays).toEqual([]);
      other = await createWallet();
    }
    // What comes behind the replay: the reader has had it by then, and passed it by.
    if (event.sessionId === other) stop.abort();
  }
  const [first, second] = handled;
  expect(handled.map(({ sessionId }) => sessionId)).toEqual([walletId, other]);
  expect(first).toMatchObject({ type: "WalletCreated", deliveryCount: 2, gap: null });
  expect(second).toMatchObject({ deliveryCount: 1, gap: null });
  expect(second?.sequence).toBe((first?.sequence ?? 0) + 1);

  // The one that ended the loop was completed, too.
  const last = await createWallet();
  const later = new AbortController();
  for await (const event of eventsOf({ signal: later.signal, after: 1 })) {
    expect(event.sessionId).toBe(last);
    expect(event.gap).toEqual({ from: 2, to: event.sequence - 1 });
    later.abort();
  }
});

test("an ended signal ends a reader that waits, and a key that is refused ends it with an error", async () => {
  const stop = new AbortController();
  const waiting = eventsOf({ signal: stop.signal }).next();
  stop.abort();
  expect(await waiting).toEqual({ done: true, value: undefined });
  const broker = partnerConnectionString(stack.brokerConnectionString, "acme").replace(
    "acme-local-key",
    "another-key",
  );
  await expect(eventsOf({ broker }).next()).rejects.toMatchObject({ name: "EventReadingError" });
});
