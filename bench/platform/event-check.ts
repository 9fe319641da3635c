/** What is wrong with a message to a partner: it is held against the catalogue of events. */
import type { ServiceBusReceivedMessage } from "@azure/service-bus";
import { z } from "zod";
import { eventNamed } from "../../shared/contracts/events/catalogue.js";
import { MessageProperties } from "../../shared/contracts/events/envelope.js";
import { eventBody, sessionOf, type BusinessEvent } from "../../shared/contracts/events/event.js";

export interface ToldMessage {
  /** Of a replay: the event's id, `#` and a number. */
  readonly messageId: string;
  readonly subject: string;
  readonly sessionId: string;
  readonly partnerKey: string | null;
  /** Null: a person forced it. */
  readonly entityVersion: number | null;
  readonly body: unknown;
}

const Body = z.record(z.string(), z.unknown());
const moment = /^\d{4}-\d{2}-\d{2}T/;
const ownMoment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

const schemas = new Map<string, z.ZodType>();
const schemaOf = (event: BusinessEvent): z.ZodType => {
  const known = schemas.get(event.name) ?? eventBody(event);
  schemas.set(event.name, known);
  return known;
};

/** Of what the platform itself says, and nobody forced. */
const ownDeviations = (body: Readonly<Record<string, unknown>>): string[] => {
  const found: string[] = [];
  const { messageVersion, messagePublisher, isLastRetry } = body;
  if (messageVersion !== 1 || messagePublisher !== "Borsello" || isLastRetry !== false)
    found.push("its envelope is not the platform's");
  if (
    body["timestamp"] !== body["messageCreationDate"] ||
    body["timestamp"] !== body["messagePublishDate"]
  )
    found.push("the moments of its envelope differ");
  for (const [field, value] of Object.entries(body))
    if (typeof value === "string" && field.endsWith("Date") && moment.test(value))
      if (!ownMoment.test(value)) found.push(`${field} is not in UTC with milliseconds`);
  return found;
};

/** None: it is what the catalogue says. */
export const deviationsOf = (told: ToldMessage): string[] => {
  const event = eventNamed(told.subject);
  if (event === undefined) return ["its subject is no event of the catalogue"];
  const parsed = schemaOf(event).safeParse(told.body);
  const body = Body.parse(told.body);
  const session = sessionOf(event, body);
  return [
    ...(parsed.success
      ? []
      : parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`)),
    ...(told.messageId.split("#")[0] === body["id"] ? [] : ["its message id is not its id"]),
    ...(told.partnerKey === body["partnerKey"] ? [] : ["it is of another partner than it says"]),
    ...(session === null || session === told.sessionId
      ? []
      : [`its session ${told.sessionId} is not ${session}`]),
    ...(told.entityVersion === null ? [] : ownDeviations(body)),
  ];
};

type Received = Pick<
  ServiceBusReceivedMessage,
  "messageId" | "subject" | "sessionId" | "contentType" | "applicationProperties" | "body"
>;

/** The same of a message as the partner's own client received it. */
export const receivedDeviations = (message: Received): string[] => {
  const { messageId, subject = "", sessionId = "", contentType } = message;
  const properties = MessageProperties.safeParse(message.applicationProperties);
  if (!properties.success) return [z.prettifyError(properties.error)];
  const { partnerKey, entityVersion } = properties.data;
  const body: unknown = message.body;
  const told = { subject, sessionId, partnerKey, entityVersion, body };
  return [
    ...(contentType === "application/json" ? [] : [`its content type is ${String(contentType)}`]),
    ...(properties.data["cloudEvents:type"] === subject ? [] : ["cloudEvents:type is another"]),
    ...(properties.data["cloudEvents:id"] === String(messageId).split("#")[0]
      ? []
      : ["cloudEvents:id is another"]),
    ...deviationsOf({ ...told, messageId: String(messageId) }),
  ].map((deviation) => `${subject} ${String(messageId)}: ${deviation}`);
};
