/** The refusals of the event log. */
import { EventEmitter, once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import {
  listEventsRoute,
  replayEventRoute,
  replayEventsRoute,
} from "../../../shared/contracts/events/log.js";
import type { Database } from "../../../shared/database/platform/database.js";
import type { Prepared, RefusalCase } from "../platform/refusal-cases.js";
import { walletStates, type Given } from "../wallet/wallet-states.js";

const nobody = "01890a5d-ac96-774b-bcce-b302099a8057";
const reversed = "from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z";
const typesSentence =
  "must be names of events, separated by commas, such as WalletCreated,WalletClosed.";
const anyNumber = "must be a whole number without a sign.";

/** `read` is called when a state is asked for: the database may open later. */
export const eventLogCases = (read: () => Database): readonly RefusalCase[] => {
  const nothing: Given = () => Promise.resolve(nobody);
  const forgotten: Given = async () => {
    await read().execute(
      `insert into borsello.forgotten_events (partner_key, through, created_through)
       values ('globex', 5, '2020-01-01T00:00:00Z') on conflict do nothing`,
    );
    return nobody;
  };
  const replay = { route: replayEventsRoute, given: nothing } as const;
  const one = { route: replayEventRoute, given: nothing } as const;
  /** A log of so many numbers that nobody waits until they are looked at; and one with an event. */
  const endless: Given = async () => {
    await read().execute(
      `insert into borsello.partner_sequence values ('globex', 20000000)
       on conflict (partner_key) do update set last_sequence = 20000000`,
    );
    return nobody;
  };
  /** Ten replays that nobody goes on with for the time of the call. */
  const busy = async (id?: string): Promise<Prepared> => {
    const signals = new EventEmitter();
    const isHeld = once(signals, "held");
    const isOver = once(signals, "over");
    const holding = read().session(async (session) => {
      await session.execute("select pg_advisory_lock(7071003, hashtext('globex'))");
      signals.emit("held");
      await isOver;
    });
    await isHeld;
    await read().execute(
      `insert into borsello.replay (partner_key, number, place, through, asked_by, events)
       select 'globex', 1000 + more, 1, 1, 'test', 1 from generate_series(1, 10) as more`,
    );
    return {
      ...(id === undefined ? { body: {} } : { params: { id } }),
      release: async () => {
        await read().execute("delete from borsello.replay where partner_key = 'globex'");
        signals.emit("over");
        await holding;
      },
    };
  };
  /** Any event of the partner's that has arrived: it has a wallet that was created. */
  const arrived = async (): Promise<Prepared> => {
    for (;;) {
      const told = await read().row(
        z.object({ id: z.string() }),
        `select message_id as id from borsello.outbox
         where partner_key = 'globex' and sequence is not null
         order by sequence desc limit 1`,
      );
      if (told !== undefined) return busy(told.id);
      await delay(20);
    }
  };
  const list = { route: listEventsRoute, given: nothing } as const;
  const query = (text: string, says: Readonly<Record<string, string>>): RefusalCase => ({
    ...{ ...list, code: "QueryParameterInvalid", query: text, says },
  });
  return [
    query("types=WalletCreated,Nothing", {
      types: typesSentence,
    }),
    query("types=", { types: typesSentence }),
    query("after=-1", { after: anyNumber }),
    query("after=1.5", { after: anyNumber }),
    query("after=9007199254740992", { after: "must be at most 9007199254740991." }),
    query("limit=0", { limit: "must be at least 1." }),
    query("limit=101", { limit: "must be at most 100." }),
    { ...list, code: "DateRangeInvalid", query: reversed },
    { ...list, code: "DateRangeInvalid", query: "from=yesterday" },
    {
      ...{ ...list, given: forgotten, as: "globex", code: "EventsForgotten", query: "after=4" },
      says: { after: "must be at least 5." },
    },
    {
      ...{ ...list, given: forgotten, as: "globex", code: "EventsForgotten" },
      query: "from=2019-12-31T23:59:59Z",
      says: { from: "must be later than 2020-01-01T00:00:00.000Z." },
    },
    {
      ...{ ...replay, code: "DateRangeInvalid" },
      body: { from: "2026-02-01T00:00:00Z", to: "2026-01-01T00:00:00Z" },
    },
    {
      ...{ ...replay, given: forgotten, as: "globex", code: "EventsForgotten" },
      body: { after: 4 },
    },
    { ...{ ...replay, given: endless, as: "globex", code: "ReplayTooLarge" }, body: {} },
    { ...one, code: "EventNotFound", params: { id: nobody }, says: { id: nobody } },
    { ...{ ...replay, as: "globex", code: "ReplaysTooMany" }, prepare: () => busy() },
    {
      ...{ ...one, given: walletStates(read).ofGlobex, as: "globex", code: "ReplaysTooMany" },
      prepare: arrived,
    },
  ];
};
