/** Refusals about events: the log, replays, and what is forced. */
import type { ErrorEntries } from "./entry.js";

export const eventErrors = {
  EventsForgotten: {
    status: 400,
    description:
      "Some of the events are no longer kept: begin after the number, or at the date, that is named.",
    mayHave: ["after", "from"],
  },
  ReplayTooLarge: {
    status: 400,
    description:
      "A replay sends at most a million events: begin after a higher number, at a later date, or name types.",
  },
  EventOfAnotherPartner: {
    status: 403,
    description: "The event's partnerKey names another partner: force events of your own.",
    properties: { "/partnerKey": "must be acme." },
  },
  EventNotFound: {
    status: 404,
    description: "The partner's log has no event with this id: read GET /wallet/events.",
    properties: { id: "01980d44-0b7f-7d31-a1c8-9e5b3f6d7a20" },
  },
  ReplaysTooMany: {
    status: 409,
    description: "Ten replays of the partner are under way: repeat when one of them has ended.",
  },
} as const satisfies ErrorEntries;
