/** Forced events beside real ones: whose they are, what a repeated id does, where they go, their numbers and order. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { lockWallet } from "../../../shared/database/access/wallet-access.js";
import { forgetSent } from "../../../shared/database/outbox/forget-sent.js";
import { forceEvent, type ForcedEvent } from "../../../shared/database/outbox/forced-events.js";
import { destroyWallet } from "../../../shared/database/wallet/deletion.js";
import { closeWallet, suspendWallet } from "../../../shared/database/wallet/states.js";
import { startOutboxRelay } from "../../../shared/events/outbox-relay.js";
import type { OutgoingMessage } from "../../../shared/events/service-bus.js";
import { noFaultPoints } from "../../../shared/platform/fault-points.js";
import { eventNamed } from "../../../shared/contracts/events/catalogue.js";
import { silentLogger } from "../../support/wallet/bank-fixtures.js";
import {
  acme,
  globex,
  made,
  openWallet,
  openWalletTest,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";
import { walletStates } from "../../support/wallet/wallet-states.js";

let wallets: WalletTest;
beforeAll(async () => {
  wallets = await openWalletTest();
});
afterAll(() => wallets.end());

const example = eventNamed("WalletUpdated")?.example ?? {};

const event = (
  change: Partial<ForcedEvent> = {},
  walletId: string = randomUUID(),
): ForcedEvent => ({
  name: "WalletUpdated",
  sessionId: walletId,
  envelope: {},
  payload: { ...example, walletId },
  ...change,
});

const force = (forced: ForcedEvent, as = acme) => forceEvent(wallets.database, as, forced);

const Row = z.object({
  destinations: z.array(z.string()),
  subject: z.string(),
  partnerKey: z.string(),
  entityVersion: z.bigint().nullable(),
  body: z.record(z.string(), z.unknown()),
});

const rowsOf = (id: string) =>
  wallets.database.rows(
    Row,
    `select destinations, subject, partner_key as "partnerKey",
       entity_version as "entityVersion", body
     from borsello.outbox where message_id = $1 order by partner_key`,
    [id],
  );

/** Sends what waits, as a relay does to a broker that takes everything. */
const sent = async (): Promise<(OutgoingMessage & { readonly destination: string })[]> => {
  const arrived: (OutgoingMessage & { destination: string })[] = [];
  const relay = startOutboxRelay({
    database: wallets.database,
    bus: {
      send: async (destination, messages) => {
        arrived.push(...messages.map((message) => ({ ...message, destination })));
        return { acknowledged: messages.length };
      },
    },
    faults: noFaultPoints,
    logger: silentLogger,
  });
  await relay.sweep();
  await relay.close();
  return arrived;
};

const sequenceOf = ({ applicationProperties }: OutgoingMessage): number =>
  Number(applicationProperties?.["sequence"]);

test("what is given of the envelope is kept, what is left out is filled in, and the audit says who did it", async () => {
  const given = {
    id: randomUUID(),
    timestamp: "2020-02-29T10:00:00+01:00",
    isLastRetry: true,
  };
  const forced = event({ envelope: given });
  const { id, publishedAt } = made(await force(forced));
  expect(id).toBe(given.id);
  const [row] = await rowsOf(id);
  expect(row).toMatchObject({
    destinations: ["acme"],
    subject: "WalletUpdated",
    entityVersion: null,
  });
  expect(row?.body).toEqual({
    ...given,
    ...forced.payload,
    messageVersion: 1,
    messagePublisher: "Borsello",
    messageCreationDate: publishedAt,
    messagePublishDate: publishedAt,
  });
  expect(publishedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const audited = await wallets.database.rows(
    z.object({ actor: z.string(), partnerKey: z.string(), action: z.string() }),
    `select actor, partner_key as "partnerKey", action from borsello.audit
     where entity = 'Event' and entity_id = $1`,
    [id],
  );
  expect(audited).toEqual([{ actor: acme.clientId, partnerKey: "acme", action: "force" }]);
});

test("without an id each call is an event of its own", async () => {
  const forced = event();
  const [one, other] = [made(await force(forced)), made(await force(forced))];
  expect(one.id).not.toBe(other.id);
});

test("of twenty calls at once with one id, all are answered alike and one event is published", async () => {
  const id = randomUUID();
  const forced = event({ envelope: { id } });
  const answers = await Promise.all(Array.from({ length: 20 }, () => force(forced)));
  expect(new Set(answers.map((answer) => JSON.stringify(made(answer)))).size).toBe(1);
  expect(await rowsOf(id)).toHaveLength(1);
  expect(made(await force(forced))).toEqual(made(answers[0] ?? (await force(forced))));
  const arrived = (await sent()).filter(({ messageId }) => messageId === id);
  expect(arrived).toHaveLength(1);
});

test.each([
  [
    "another payload",
    (forced: ForcedEvent) => ({ payload: { ...forced.payload, firstName: "X" } }),
  ],
  ["another event", () => ({ name: "WalletClosed" })],
  [
    "another time",
    (forced: ForcedEvent) => ({
      envelope: { ...forced.envelope, timestamp: "2020-01-01T00:00:00Z" },
    }),
  ],
])("an id that was forced with %s is refused, and nothing is published", async (_what, change) => {
  const id = randomUUID();
  const forced = event({ envelope: { id } });
  made(await force(forced));
  const before = await rowsOf(id);
  expect(await force({ ...forced, ...change(forced) })).toMatchObject({
    ok: false,
    code: "IdempotencyKeyReused",
  });
  expect(await rowsOf(id)).toEqual(before);
});

const Told = z.object({
  id: z.uuid(),
  subject: z.string(),
  body: z.record(z.string(), z.unknown()),
});

test("an id that a real event of the partner has publishes nothing: the same is answered, other content refused", async () => {
  const { walletId } = await openWallet(wallets.database);
  const [real] = await wallets.database.rows(
    Told,
    "select message_id as id, subject, body from borsello.outbox where session_id = $1 and partner_key = 'acme'",
    [walletId],
  );
  if (real === undefined) throw new Error("a created wallet told nothing");
  const { id, messageVersion, ...payload } = real.body;
  const forced = event({ name: real.subject, envelope: { id, messageVersion }, payload }, walletId);
  expect(made(await force(forced))).toMatchObject({ id: real.id, sessionId: walletId });
  const other = { ...forced, payload: { ...payload, firstName: "X" } };
  expect(await force(other)).toMatchObject({ ok: false, code: "IdempotencyKeyReused" });
  expect(await rowsOf(real.id)).toMatchObject([{ destinations: ["acme", "platform-events"] }]);
});

test("an id that another partner's event has is free, and both are published", async () => {
  const id = randomUUID();
  made(await force(event({ envelope: { id } })));
  const other = event({ envelope: { id }, payload: { ...example, partnerKey: "globex" } });
  expect(made(await force(other, globex)).id).toBe(id);
  expect(await rowsOf(id)).toMatchObject([{ partnerKey: "acme" }, { partnerKey: "globex" }]);
  const arrived = (await sent()).filter(({ messageId }) => messageId === id);
  expect(arrived.map(({ destination }) => destination).sort()).toEqual(["acme", "globex"]);
});

test("an id is a new one once the log has forgotten it", async () => {
  const id = randomUUID();
  const forced = event({ envelope: { id } });
  made(await force(forced));
  await sent();
  await forgetSent(wallets.database, 0n, 0, 10_000);
  made(await force(forced));
  expect((await sent()).map(({ messageId }) => messageId)).toEqual([id]);
});

const states = walletStates(() => wallets.database);

/** Whatever a command on the wallet would have changed. */
const recordsOf = (walletId: string) =>
  wallets.database.rows(
    z.object({ record: z.unknown() }),
    `select to_jsonb(w) as record from borsello.wallet as w where wallet_id = $1
     union all select to_jsonb(m) from borsello.mandate as m where wallet_id = $1
     union all select to_jsonb(v) from borsello.iban_validation as v where wallet_id = $1
     union all select to_jsonb(a) from borsello.audit as a where entity_id = $1::uuid::text`,
    [walletId],
  );

const deletedForGood = async (): Promise<string> => {
  const walletId = await states.inStatus("Closed")();
  made(await destroyWallet(wallets.database, acme, walletId));
  return walletId;
};

test.each([
  ["active", states.anyWallet],
  ["of an active mandate", states.withMandate("Active")],
  ["suspended", states.inStatus("Suspended")],
  ["closed", states.inStatus("Closed")],
  ["deleted for good", deletedForGood],
  ["another partner's", states.ofGlobex],
  ["nobody's", async () => randomUUID()],
])(
  "a wallet that is %s is neither looked at nor changed, and no flow is told",
  async (_state, given) => {
    const walletId = await given();
    const before = await recordsOf(walletId);
    for (const name of [
      "WalletCreated",
      "WalletClosed",
      "WalletReactivated",
      "WalletIbanDeleted",
    ]) {
      const forced = eventNamed(name)?.example;
      if (forced === undefined) throw new Error(`${name} is no event`);
      const { id } = made(await force(event({ name, payload: { ...forced, walletId } }, walletId)));
      expect(await rowsOf(id)).toMatchObject([{ destinations: ["acme"], partnerKey: "acme" }]);
    }
    expect(await recordsOf(walletId)).toEqual(before);
  },
);

test("a command on the wallet that is under way is not waited for", async () => {
  const { walletId } = await openWallet(wallets.database);
  await wallets.database.transaction(async (tx) => {
    made(await lockWallet(tx, acme, walletId));
    made(await force(event({}, walletId)));
  });
});

test("a thousand forced events in a row reach the partner's topic alone, in order and numbered without a gap, among real ones", async () => {
  const { walletId } = await openWallet(wallets.database);
  await sent();
  const count = 1_000;
  for (let number = 1; number < count; number += 1)
    made(
      await force(
        event({ payload: { ...example, walletId, firstName: String(number) } }, walletId),
      ),
    );
  made(await suspendWallet(wallets.database, acme, walletId));
  made(await closeWallet(wallets.database, acme, walletId, { requiresZeroBalance: false }));
  // Closed by now: forced all the same.
  made(await force(event({ payload: { ...example, walletId, firstName: "1000" } }, walletId)));
  const arrived = await sent();
  const atTopic = arrived.filter(({ destination }) => destination === "acme");
  const first = sequenceOf(atTopic[0] ?? { messageId: "", subject: "", body: "" });
  expect(atTopic.map(sequenceOf)).toEqual(atTopic.map((_, index) => first + index));
  const Body = z.object({ firstName: z.string() });
  const forcedNames = atTopic
    .filter(({ subject }) => subject === "WalletUpdated")
    .map(({ body }) => Body.parse(JSON.parse(body)).firstName);
  expect(forcedNames).toEqual(Array.from({ length: count }, (_, index) => String(index + 1)));
  const ofStates = ["WalletSuspended", "WalletClosed"];
  expect(atTopic.map(({ subject }) => subject).filter((name) => ofStates.includes(name))).toEqual(
    ofStates,
  );
  expect(atTopic.at(-1)?.subject).toBe("WalletUpdated");
  const elsewhere = arrived.filter(({ destination }) => destination !== "acme");
  expect(elsewhere.filter(({ subject }) => subject === "WalletUpdated")).toEqual([]);
});
