/** The declarations of events: a union by type, from the same catalogue that messages are written by. */
import { z } from "zod";
import { envelope } from "../../shared/contracts/events/envelope.js";
import type { BusinessEvent } from "../../shared/contracts/events/event.js";
import { jsonSchemas } from "../../shared/http/json-schemas.js";
import { declaredSchemas } from "./declared-schemas.js";
import { docComment, indented } from "./text.js";

export const eventDeclarations = async (catalogue: readonly BusinessEvent[]): Promise<string> => {
  const schemas = jsonSchemas({ areOpen: true });
  for (const { name, payload } of catalogue)
    schemas.output(z.object({ ...envelope, ...payload }).meta({ id: name }));
  const types = catalogue.map(
    ({ name, summary, description = "" }) =>
      `${docComment(summary, description)}readonly ${name}: ${name};\n`,
  );
  return `import type { Delivered, ReadEventsOptions } from "./kernel/events.js";

export type { Delivered, ReadEventsOptions };
export { EventReadingError } from "./kernel/events.js";

${await declaredSchemas(schemas.components())}
/** The body of each type of event. */
export interface EventBodies {
${indented(types.join(""))}}

export type EventType = keyof EventBodies;

/**
 * An event as it was delivered, told apart by \`type\`. A later version of the platform may have further ones:
 * keep a branch for what you do not know.
 */
export type BorselloEvent<Type extends EventType = EventType> = {
  [Each in Type]: Delivered<Each, EventBodies[Each]>;
}[Type];

/**
 * The partner's events as they come. When the loop's body has ended the event is completed; when it throws,
 * or leaves the loop, the event goes back and comes again. Ends with the signal.
 */
export function readEvents(options: ReadEventsOptions): AsyncGenerator<BorselloEvent, void, undefined>;
`;
};
