/** Publishes whole events on a partner's topic, for the tests of whoever reads it. */
import { sessionOf } from "../../shared/contracts/events/event.js";
import { envelope } from "../../shared/contracts/events/envelope.js";
import { forcePushes } from "../../shared/contracts/events/force-push.js";
import { forceEvent } from "../../shared/database/outbox/forced-events.js";
import { refusal } from "../../shared/domain/outcome.js";
import { endpoint, type Endpoint } from "../kit/endpoint.js";

/** One flat object as its two parts: what every event has, and what this one says. */
const partsOf = (body: Readonly<Record<string, unknown>>) => {
  const inEnvelope = (name: string): boolean => Object.hasOwn(envelope, name);
  const fields = Object.entries(body).filter(([, value]) => value !== undefined);
  return {
    envelope: Object.fromEntries(fields.filter(([name]) => inEnvelope(name))),
    payload: Object.fromEntries(fields.filter(([name]) => !inEnvelope(name))),
  };
};

export const forcePushEndpoints: readonly Endpoint[] = forcePushes.map(({ event, route }) =>
  endpoint(route, async ({ database }, { body, caller, ok, refuse }) => {
    if (body["partnerKey"] !== caller.partnerKey)
      return refuse(
        refusal("EventOfAnotherPartner", { "/partnerKey": `must be ${caller.partnerKey}.` }),
      );
    const forced = await forceEvent(database, caller, {
      name: event.name,
      sessionId: sessionOf(event, body),
      ...partsOf(body),
    });
    return forced.ok ? ok({ ...forced.value, type: event.name }) : refuse(forced);
  }),
);
