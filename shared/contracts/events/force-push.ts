/** The routes that force events onto the caller's own topic, one for each that can be forced (wallet seed, 4.7). */
import { z } from "zod";
import { route } from "../route.js";
import { forcibleEvents } from "./catalogue.js";
import { DateTime, Id, Text } from "./fields.js";
import { forcedBody } from "./forced.js";

const ForcedEvent = z
  .object({
    id: Id.describe("The event's and its message's."),
    type: Text.describe("The event's name, which is the message's subject."),
    sessionId: Text.describe("The message's session, in which events keep their order."),
    publishedAt: DateTime.describe("The body's `messagePublishDate`."),
  })
  .meta({ id: "ForcedEvent" });

const description =
  "In testing and development only. The whole event, flat, is published as it is sent, on the topic of the " +
  "partner in its `partnerKey` and nowhere else: no flow of the platform starts, nothing is looked up, and " +
  "nothing but the log of events changes. Fields of the envelope may be left out and are filled in; fields " +
  "without a value may be left out and are null. It takes a `sequence` like any event.\n\n" +
  "An `id` that an event of the partner has already: the same event is answered as before and not published " +
  "again, another one is refused.";

export const forcePushes = forcibleEvents.map((event) => ({
  event,
  route: route({
    id: `force${event.name}`,
    api: "wallet",
    method: "POST",
    path: `bypass/${event.forcedAs}`,
    body: forcedBody(event),
    role: "Sandbox.Use",
    refusedInProduction: true,
    ok: { status: 200, schema: ForcedEvent },
    errors: ["EventOfAnotherPartner", "IdempotencyKeyReused"],
    summary: `Force ${event.name}: ${event.summary.charAt(0).toLowerCase()}${event.summary.slice(1)}`,
    result: "The event was published, or had been under this id.",
    description,
  }),
}));
