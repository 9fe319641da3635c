/** Writes a message's properties anew, as the actions of rules want them. */
import { types, type Typed } from "./rhea.js";
import { code, encodeSection, readSections, textOf, type ParsedMessage } from "./sections.js";
import { listFields, mapEntries } from "./values.js";

/** What rules may change of a message. */
export interface MessageParts {
  /** By their index; those that are not there are undefined. */
  readonly properties: (Typed | undefined)[];
  readonly applicationProperties: Map<string, Typed>;
}

/** The same message with its properties edited; it keeps its id where that is taken away. */
export const rewritten = (
  message: ParsedMessage,
  edit: (parts: MessageParts) => void,
): ParsedMessage => {
  const sections = readSections(message.bare);
  const properties = listFields(sections.properties);
  const applicationProperties = new Map(mapEntries(sections.applicationProperties));
  edit({ properties, applicationProperties });
  properties[0] ??= types.wrap_string(message.messageId);
  const items = [...applicationProperties].flatMap(([key, value]) => [
    types.wrap_string(key),
    value,
  ]);
  return {
    ...message,
    messageId: textOf(properties[0]) ?? message.messageId,
    sessionId: textOf(properties[10]),
    bare: Buffer.concat([
      encodeSection(
        types.described(types.wrap_ulong(code.properties), types.wrap_list(Array.from(properties))),
      ),
      encodeSection(
        types.described(types.wrap_ulong(code.applicationProperties), types.Map32(items)),
      ),
      message.bare.subarray(sections.bodyAt),
    ]),
  };
};
