/** What force-push refuses, for each event that can be forced. */
import { randomUUID } from "node:crypto";
import { sessionOf } from "../../../shared/contracts/events/event.js";
import { forcePushes } from "../../../shared/contracts/events/force-push.js";
import { forceEvent } from "../../../shared/database/outbox/forced-events.js";
import type { Database } from "../../../shared/database/platform/database.js";
import type { RefusalCase } from "../platform/refusal-cases.js";
import { acme, made } from "../wallet/wallet-fixtures.js";
import type { WalletStates } from "../wallet/wallet-states.js";

export const forcePushCases = (
  database: () => Database,
  { nowhere }: WalletStates,
): readonly RefusalCase[] =>
  forcePushes.flatMap(({ event, route }): RefusalCase[] => {
    const { name, example } = event;
    return [
      {
        ...{ route, code: "EventOfAnotherPartner", given: nowhere },
        body: { ...example, partnerKey: "globex" },
        says: { "/partnerKey": "must be acme." },
      },
      {
        ...{ route, code: "IdempotencyKeyReused", given: nowhere },
        prepare: async () => {
          const id = randomUUID();
          const sessionId = sessionOf(event, example);
          const forced = { name, sessionId, envelope: { id }, payload: example };
          made(await forceEvent(database(), acme, forced));
          return { body: { ...example, id, messageVersion: 2 } };
        },
        says: { "/id": "is the id of another event: leave it out, or send one that no event has." },
      },
    ];
  });
