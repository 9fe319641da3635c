/** Holds every message that a test's database was left with against what is declared of messages. */
import { z } from "zod";
import type { Client } from "pg";
import { deviationsOf } from "../../../bench/platform/event-check.js";
import { eventNamed } from "../../../shared/contracts/events/catalogue.js";
import { flowMessages } from "../../../shared/contracts/platform/flow-messages.js";

const Row = z.object({
  message_id: z.string(),
  destinations: z.array(z.string()),
  session_id: z.string(),
  subject: z.string(),
  partner_key: z.string().nullable(),
  entity_version: z.coerce.number().nullable(),
  body: z.record(z.string(), z.unknown()),
});
type Row = z.output<typeof Row>;

const platformEvents = "platform-events";
/** Written by the platform to the bank or to the card processor alone. */
const requestQueues = new Set([
  "bank-requests",
  "bank-mandate-requests",
  "card-processor-commands",
]);

/** The subject of messages that stand for any other. */
const standIn = "Test";

const flowSchemas: ReadonlyMap<string, z.ZodObject> = new Map(Object.entries(flowMessages));

const fieldsOf = (subject: string): string[] =>
  Object.keys(eventNamed(subject)?.payload ?? flowSchemas.get(subject)?.shape ?? {});

/** Tests about how messages travel write some that say next to nothing. */
const isStandIn = ({ subject, body }: Row): boolean => {
  if (subject === standIn) return true;
  const fields = fieldsOf(subject);
  return fields.filter((field) => field in body).length < fields.length / 2;
};

const flowDeviations = ({ subject, body }: Row): string[] => {
  const schema = flowSchemas.get(subject);
  if (schema === undefined) return ["its subject is no flow message"];
  const parsed = schema.safeParse(body);
  return parsed.success ? [] : [z.prettifyError(parsed.error)];
};

/** A real event goes to its partner, then to the flows; a forced one to its partner alone. */
const routeDeviations = ({ destinations, partner_key, entity_version }: Row): string[] => {
  const [topic, flows, ...others] = destinations;
  const isRouted =
    topic === partner_key &&
    others.length === 0 &&
    (entity_version === null ? flows === undefined : flows === platformEvents);
  return isRouted ? [] : [`it goes to ${destinations.join(", ")}`];
};

const rowDeviations = (row: Row): string[] => {
  if (isStandIn(row)) return [];
  if (row.destinations.every((destination) => requestQueues.has(destination))) return [];
  if (row.destinations.every((destination) => destination === platformEvents))
    return flowDeviations(row);
  return [
    ...routeDeviations(row),
    ...deviationsOf({
      messageId: row.message_id,
      subject: row.subject,
      sessionId: row.session_id,
      partnerKey: row.partner_key,
      entityVersion: row.entity_version,
      body: row.body,
    }),
  ];
};

/** An entity's events come in the order of its changes, and no change is told a partner twice by the same event. */
const versionsIn = () => {
  const last = new Map<string, number>();
  return (row: Row): string[] => {
    const { subject, session_id, entity_version, body } = row;
    const event = eventNamed(subject);
    if (event === undefined || entity_version === null || isStandIn(row)) return [];
    const id = body[event.entity.id];
    const entity = `${event.entity.name} ${typeof id === "string" ? id : session_id}`;
    const told = `${subject} ${entity} ${row.partner_key ?? ""}`;
    const before = last.get(entity) ?? 1;
    const toldBefore = last.get(told) ?? 0;
    last.set(entity, Math.max(entity_version, before));
    last.set(told, Math.max(entity_version, toldBefore));
    return [
      ...(entity_version < before ? [`its version ${entity_version} follows ${before}`] : []),
      ...(entity_version <= toldBefore ? [`its version ${entity_version} was told before`] : []),
    ];
  };
};

const rowsMax = 20_000;
const toldMax = 10;

/** Throws where a message is not what is declared of it. */
export const checkToldEvents = async (client: Client): Promise<void> => {
  const { rowCount } = await client.query(
    "select from pg_tables where schemaname = 'borsello' and tablename = 'outbox'",
  );
  if (rowCount === 0) return;
  const { rows } = await client.query(
    `select message_id, destinations, session_id, subject, partner_key, entity_version, body
     from borsello.outbox order by outbox_id limit $1`,
    [rowsMax],
  );
  const versionDeviations = versionsIn();
  const found = rows
    .map((row) => Row.parse(row))
    .flatMap((row) =>
      [...rowDeviations(row), ...versionDeviations(row)].map(
        (deviation) => `${row.subject} ${row.message_id}: ${deviation}`,
      ),
    );
  if (found.length > 0)
    throw new Error(
      `${found.length} messages in the outbox are not as they are declared (a stand-in has the subject ` +
        `${standIn}, or less than half of its event's fields):\n${found.slice(0, toldMax).join("\n")}`,
    );
};
