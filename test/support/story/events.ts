/** The partner reads the log of its events, has some sent again, and forces some to test its consumer. */
import * as eventLog from "../../../shared/contracts/events/log.js";
import { forcePushes } from "../../../shared/contracts/events/force-push.js";
import type { Story } from "./teller.js";

const replayedTypes = ["WalletCreated", "WalletUpdated"] as const;

/** Resolves to the ids of those that were forced. */
export const readEvents = async ({ at, tell }: Story): Promise<ReadonlySet<string>> => {
  await at("2025-04-01T09:00");
  const query = { after: 0, types: replayedTypes.join(","), limit: 2 };
  const { items } = await tell(eventLog.listEventsRoute, { query });
  const [first] = items;
  if (first === undefined) throw new Error("nothing has happened");
  await tell(eventLog.replayEventRoute, { params: { id: first.id } });
  const body = { after: 0, types: [...replayedTypes] };
  await tell(eventLog.replayEventsRoute, { body });
  await at("2025-04-01T10:00");
  const forced = new Set<string>();
  for (const { event, route } of forcePushes)
    forced.add((await tell(route, { body: event.example })).id);
  return forced;
};

/** Everything that the partner was told of. */
export const readWholeLog = async ({ call }: Story): Promise<eventLog.EventPage["items"]> => {
  const all: eventLog.EventPage["items"] = [];
  for (let after = 0; ;) {
    const page = await call(eventLog.listEventsRoute, { query: { after } });
    all.push(...page.items);
    if (page.nextAfter === after) return all;
    after = page.nextAfter;
  }
};
