/** …/events: a partner's event log, for whoever missed messages or has no subscription; and sending it anew. */
import {
  listEventsRoute,
  replayEventRoute,
  replayEventsRoute,
} from "../../shared/contracts/events/log.js";
import { eventPage } from "../../shared/database/outbox/event-log.js";
import {
  beginReplay,
  beginReplayOf,
  findLogged,
  retryRefused,
  retryRefusedOne,
} from "../../shared/database/outbox/replays.js";
import { checkedMoments } from "../../shared/domain/date-range.js";
import { refusal } from "../../shared/domain/outcome.js";
import { endpoint, type Endpoint } from "../kit/endpoint.js";

const listEvents = endpoint(
  listEventsRoute,
  async ({ database }, { query, caller, okWritten, refuse }) => {
    const { after = 0, types = null, limit } = query;
    const moments = checkedMoments(query);
    if (!moments.ok) return refuse(moments);
    const filter = { after, types, ...moments.value };
    const page = await eventPage(database, caller.partnerKey, filter, limit);
    return page.ok ? okWritten(page.value) : refuse(page);
  },
);

const replayEvent = endpoint(
  replayEventRoute,
  async ({ database, relay, replayer }, { params: { id }, caller, ok, refuse }) => {
    const logged = await findLogged(database, caller.partnerKey, id);
    if (logged === undefined) return refuse(refusal("EventNotFound", { id }));
    if (logged.isHeld) {
      const count = await retryRefusedOne(database, caller.partnerKey, logged);
      void relay.sweep();
      return ok({ count });
    }
    const begun = await beginReplayOf(database, caller, logged);
    if (!begun.ok) return refuse(begun);
    replayer.nudge();
    return ok({ count: begun.value });
  },
);

const replayEvents = endpoint(
  replayEventsRoute,
  async ({ database, relay, replayer }, { body, caller, ok, refuse }) => {
    const { after = 0, types = null, onlyUndelivered } = body;
    const moments = checkedMoments(body);
    if (!moments.ok) return refuse(moments);
    const filter = { after, types, ...moments.value };
    if (onlyUndelivered) {
      const count = await retryRefused(database, caller.partnerKey, filter);
      void relay.sweep();
      return ok({ count });
    }
    const begun = await beginReplay(database, caller, filter);
    if (!begun.ok) return refuse(begun);
    replayer.nudge();
    return ok({ count: begun.value });
  },
);

export const eventLogEndpoints: readonly Endpoint[] = [listEvents, replayEvent, replayEvents];
