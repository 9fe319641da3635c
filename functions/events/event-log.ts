/** GET …/events: a partner's event log, for whoever missed messages or has no subscription. */
import { listEventsRoute } from "../../shared/contracts/events/log.js";
import { eventPage } from "../../shared/database/outbox/event-log.js";
import { checkedMoments } from "../../shared/domain/date-range.js";
import { endpoint } from "../kit/endpoint.js";

export const listEventsEndpoint = endpoint(
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
