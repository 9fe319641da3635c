/** The AsyncAPI 3.0 document of a partner's events, written from the catalogue itself. */
import { z } from "zod";
import { envelope, MessageProperties } from "../contracts/events/envelope.js";
import type { BusinessEvent } from "../contracts/events/event.js";
import { moments, partnerKey } from "../contracts/story/story.js";
import { jsonSchemas, type Json, type JsonSchemas } from "./json-schemas.js";

export interface AsyncApiSettings {
  readonly version: string;
  /** The local broker's `host:port`; null: a namespace, which administrators name to their partners. */
  readonly brokerHost: string | null;
  /** Where a partner gets its token for the broker; null where it has a key instead. */
  readonly tokenUrl: string | null;
}

const overview = `What happens to a partner's wallets, operations, stores and tickets, as messages on the partner's own topic.

Each message is one flat JSON object: the envelope's fields and the event's, side by side. \`messageId\` is the
event's \`id\`, \`subject\` its name, \`sessionId\` what its order is kept by: the wallet's events come in the order in
which they happened.

Messages are delivered at least once: drop what has an \`id\` that was handled before. The property \`sequence\`
numbers all messages of the partner without a gap, so that a reader knows what it has missed. What is replayed has
its first body, \`id\` and \`sequence\`, and another \`messageId\`. A reader ignores fields that it does not know.`;

const reference = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });

const envelopeExample = (id: string, at: string): Json => ({
  messageVersion: 1,
  messagePublisher: "Borsello",
  timestamp: at,
  id,
  messageCreationDate: at,
  messagePublishDate: at,
  isLastRetry: false,
});

/** Of the event at this place in the list: the sequence counts from 1. */
const exampleId = (place: number): string =>
  `01980d3c-0000-7000-8000-${String(place + 1).padStart(12, "0")}`;

const descriptionOf = (event: BusinessEvent): string =>
  [
    ...(event.description === undefined ? [] : [event.description]),
    `Session: \`${event.session.join("`, else `")}\`. \`entityVersion\` counts the changes of the ${event.entity.name}.`,
    ...(event.forcedAs === null
      ? []
      : [`Outside production \`POST /wallet/bypass/${event.forcedAs}\` forces one.`]),
  ].join("\n\n");

const message = (event: BusinessEvent, place: number, schemas: JsonSchemas): Json => ({
  name: event.name,
  title: event.name,
  summary: event.summary,
  description: descriptionOf(event),
  contentType: "application/json",
  headers: reference("schemas", "MessageProperties"),
  payload: {
    allOf: [
      reference("schemas", "Envelope"),
      schemas.output(z.object(event.payload).meta({ id: event.name })),
    ],
  },
  examples: [
    {
      name: event.name,
      headers: {
        partnerKey,
        sequence: place + 1,
        entityVersion: 1,
        attempt: 1,
        "cloudEvents:specversion": "1.0",
        "cloudEvents:id": exampleId(place),
        "cloudEvents:source": `/partners/${partnerKey}`,
        "cloudEvents:type": event.name,
      },
      payload: {
        ...envelopeExample(exampleId(place), moments.paymentConfirmed),
        ...event.example,
      },
    },
  ],
});

const server = ({ brokerHost }: AsyncApiSettings): Json => ({
  host: brokerHost ?? "{namespace}.servicebus.windows.net",
  protocol: brokerHost === null ? "amqps" : "amqp",
  protocolVersion: "1.0",
  description: "Azure Service Bus, or the local broker that speaks its protocol.",
  ...(brokerHost === null
    ? { variables: { namespace: { description: "Named by the platform's administrators." } } }
    : {}),
  security: [reference("securitySchemes", "reader")],
});

const readerScheme = ({ tokenUrl }: AsyncApiSettings): Json =>
  tokenUrl === null
    ? {
        type: "userPassword",
        description:
          "A shared access key: `SharedAccessKeyName` and `SharedAccessKey` of the connection string.",
      }
    : {
        type: "oauth2",
        description: "The partner's own client id and secret, which may read its subscription.",
        flows: {
          clientCredentials: {
            tokenUrl,
            availableScopes: { [brokerScope]: "What the client may read of the broker." },
          },
        },
        scopes: [brokerScope],
      };

const brokerScope = "https://servicebus.azure.net/.default";

/** One channel: each partner has a topic of its own, with the same messages. */
export const asyncApiDocument = (
  events: readonly BusinessEvent[],
  settings: AsyncApiSettings,
): Json => {
  // Readers let fields pass that they do not know, so that new ones break nobody.
  const schemas = jsonSchemas({ areOpen: true });
  schemas.output(z.object(envelope).meta({ id: "Envelope" }));
  schemas.output(MessageProperties);
  const messages = Object.fromEntries(
    events.map((event, place) => [event.name, message(event, place, schemas)]),
  );
  const names = events.map(({ name }) => name);
  return {
    asyncapi: "3.0.0",
    info: { title: "Borsello: business events", version: settings.version, description: overview },
    defaultContentType: "application/json",
    servers: { broker: server(settings) },
    channels: {
      events: {
        address: "{partner}/Subscriptions/{partner}",
        title: "A partner's events",
        description:
          "The topic that is named after the partner, read by the subscription of the same name. The " +
          "subscription needs no sessions; messages carry them all the same.",
        parameters: { partner: { description: "The partner's name.", examples: ["acme"] } },
        servers: [{ $ref: "#/servers/broker" }],
        messages: Object.fromEntries(names.map((name) => [name, reference("messages", name)])),
      },
    },
    operations: {
      tellPartner: {
        action: "send",
        channel: { $ref: "#/channels/events" },
        title: "Tell the partner",
        summary: "The platform tells the partner what has happened, once it is committed.",
        messages: names.map((name) => ({ $ref: `#/channels/events/messages/${name}` })),
      },
    },
    components: {
      messages,
      schemas: schemas.components(),
      securitySchemes: { reader: readerScheme(settings) },
    },
  };
};
