/** The fields of a message under the names that filters know them by. */
import { readFields } from "../wire/sections.js";
import type { Typed } from "../wire/rhea.js";

/** Null is "unknown", in the sense of SQL. */
export type FieldValue = string | number | boolean | null;

export interface MessageFields {
  readonly system: ReadonlyMap<string, FieldValue>;
  readonly user: ReadonlyMap<string, FieldValue>;
}

/** Where the protocol keeps a system property, by its name in lower case. */
export const systemIndexes = {
  messageid: 0,
  to: 2,
  subject: 3,
  label: 3,
  replyto: 4,
  correlationid: 5,
  contenttype: 6,
  sessionid: 10,
  replytosessionid: 12,
} as const;

const valueOf = (typed: Typed | undefined): FieldValue => {
  const value = typed?.value;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    // A boolean of the one-byte type is read as a number.
    return typed?.type.typecode === 0x56 ? value === 1 : value;
  return value instanceof Date ? value.getTime() : null;
};

export const fieldsOf = (bare: Buffer): MessageFields => {
  const { properties, applicationProperties } = readFields(bare);
  return {
    system: new Map(
      Object.entries(systemIndexes).map(([name, at]) => [name, valueOf(properties[at])]),
    ),
    user: new Map(
      applicationProperties.map(([name, value]) => [name.toLowerCase(), valueOf(value)]),
    ),
  };
};
