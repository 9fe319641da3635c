/** The check of every test's messages finds what is not as the catalogue of events says. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventNamed } from "../../../shared/contracts/events/catalogue.js";
import { withClient } from "../../support/database/connections.js";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";
import { checkToldEvents } from "../../support/database/told-events.js";

let created: TestDatabase;
beforeAll(async () => {
  created = await createDatabase({ migrated: true });
});
afterAll(() => created.drop());

const example = eventNamed("WalletUpdated")?.example ?? {};
const walletId = String(example["walletId"]);

interface Told {
  readonly subject: string;
  readonly session: string;
  readonly version: number | null;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly destinations: readonly string[];
  readonly columns: string;
}

const sound: Told = {
  subject: "WalletUpdated",
  session: walletId,
  version: 3,
  payload: example,
  destinations: ["acme", "platform-events"],
  columns: "",
};

/** Writes them, has them checked, and takes them back. */
const check = (...messages: readonly Partial<Told>[]): Promise<void> =>
  withClient({ connectionString: created.url }, async (client) => {
    await client.query("begin");
    try {
      for (const message of messages) {
        const { subject, session, version, payload, destinations, columns } = {
          ...sound,
          ...message,
        };
        await client.query("select borsello.publish_event($1, 'acme', $2, $3, $4::json)", [
          subject,
          session,
          version,
          JSON.stringify(payload),
        ]);
        await client.query(
          `update borsello.outbox set destinations = $1${columns}
           where outbox_id = (select max(outbox_id) from borsello.outbox)`,
          [destinations],
        );
      }
      await checkToldEvents(client);
    } finally {
      await client.query("rollback");
    }
  });

test("what is as declared passes: events in their order, a forced one, stand-ins", async () => {
  const forced = { version: null, destinations: ["acme"] };
  await check(
    {},
    { version: 4 },
    forced,
    { payload: { walletId } },
    { subject: "Test", payload: { any: 1 } },
  );
});

const withoutIban = Object.fromEntries(
  Object.entries(example).filter(([field]) => field !== "iban"),
);

test.each<[string, readonly Partial<Told>[], RegExp]>([
  ["of no event", [{ subject: "WalletRenamed" }], /no event of the catalogue/],
  ["that lacks a field", [{ payload: withoutIban }], /iban: /],
  ["that has one too many", [{ payload: { ...example, balance: 1 } }], /balance/],
  ["with a number for a text", [{ payload: { ...example, email: 7 } }], /email: /],
  ["in another session", [{ session: "01980d3c-93a5-7cc4-8a63-5f2a8f0e1b78" }], /its session/],
  ["of another partner", [{ payload: { ...example, partnerKey: "globex" } }], /another partner/],
  ["that the flows do not hear", [{ destinations: ["acme"] }], /it goes to acme/],
  ["that its partner does not hear", [{ destinations: ["globex", "platform-events"] }], /it goes/],
  ["under another id", [{ columns: ", message_id = uuidv7()" }], /message id is not its id/],
  [
    "with a date of another zone",
    [{ payload: { ...example, creationDate: "2026-03-02T10:15:00.000+01:00" } }],
    /creationDate is not in UTC/,
  ],
  ["that is older than the one before", [{ version: 4 }, { subject: "WalletClosed" }], /follows 4/],
  ["that tells a change again", [{ version: 4 }, { version: 4 }], /was told before/],
])("an event %s is found", async (_what, messages, told) => {
  await expect(check(...messages)).rejects.toThrow(told);
});
