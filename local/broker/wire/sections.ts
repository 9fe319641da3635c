/** An encoded message, cut where the broker may write: header and annotations apart from the rest. */
import { randomBytes } from "node:crypto";
import { BrokerError, conditions } from "../errors.js";
import { decodeError, EncodedValues, kind } from "./encoded-values.js";
import { types, type Typed } from "./rhea.js";
import { listFields, mapEntries } from "./values.js";

export const code = {
  header: 0x70,
  deliveryAnnotations: 0x71,
  messageAnnotations: 0x72,
  properties: 0x73,
  applicationProperties: 0x74,
  data: 0x75,
} as const;

const scheduledAnnotation = "x-opt-scheduled-enqueue-time";

const booleanCode = 0x56;

/** What a message says of itself, its bytes apart. */
export interface ParsedMessage {
  readonly messageId: string;
  /** The `group-id`: its session, for an entity that has sessions. */
  readonly sessionId: string | null;
  /** Of the header, as the sender set it. */
  readonly durable: boolean | null;
  readonly priority: number | null;
  readonly timeToLiveMs: number | null;
  readonly scheduledForMs: number | null;
  /** The encoded section of message annotations, as it came. */
  readonly annotations: Buffer | null;
  /** Properties, application properties, body and footer: never changed on their way. */
  readonly bare: Buffer;
}

interface Sections {
  readonly header: Typed | undefined;
  readonly annotations: Buffer | null;
  readonly annotationEntries: readonly (readonly [string, Typed])[];
  readonly properties: Typed | undefined;
  readonly applicationProperties: Typed | undefined;
  /** Where the bare message begins. */
  readonly bareAt: number;
  readonly applicationPropertiesAt: number;
  readonly bodyAt: number;
}

/** The service's own limit for message and session ids. */
const identifierLengthMax = 128;

/** Throws `amqp:invalid-field` for what is no message or session id. */
export const checkIdentifier = (text: string): void => {
  if (text.length > identifierLengthMax)
    throw new BrokerError(
      conditions.invalidField,
      `Message and session ids have at most ${identifierLengthMax} characters.`,
    );
  // PostgreSQL has no text with NUL.
  if (text.includes("\0"))
    throw new BrokerError(
      conditions.invalidField,
      "Message and session ids have no NUL character.",
    );
};

/**
 * Walks over all sections of a message without decoding them, the body too: whoever receives it has
 * to decode it. Throws `amqp:decode-error`.
 */
export const checkMessage = (encoded: Buffer): void => {
  const values = new EncodedValues(encoded);
  for (let at = 0; at < encoded.length;) {
    if (values.kindAt(at, encoded.length) !== kind.described)
      throw decodeError("a section has no descriptor");
    at = values.skip(at, encoded.length);
  }
};

export const readSections = (encoded: Buffer): Sections => {
  const reader = new types.Reader(encoded);
  const found = new Map<number, { section: Typed; start: number; end: number }>();
  while (reader.remaining() > 0) {
    const start = reader.position;
    const descriptor = Number(reader.read_constructor().descriptor?.value);
    if (!(descriptor >= code.header)) throw new RangeError("a section has no known descriptor");
    reader.position = start;
    if (descriptor >= code.data) break;
    found.set(descriptor, { section: reader.read(), start, end: reader.position });
  }
  const bodyAt = reader.position;
  const annotations = found.get(code.messageAnnotations);
  const properties = found.get(code.properties);
  const applicationProperties = found.get(code.applicationProperties);
  const applicationPropertiesAt = applicationProperties?.start ?? bodyAt;
  return {
    header: found.get(code.header)?.section,
    annotations:
      annotations === undefined
        ? null
        : Buffer.from(encoded.subarray(annotations.start, annotations.end)),
    annotationEntries: mapEntries(annotations?.section),
    properties: properties?.section,
    applicationProperties: applicationProperties?.section,
    bareAt: properties?.start ?? applicationPropertiesAt,
    applicationPropertiesAt,
    bodyAt,
  };
};

export const encodeSection = (section: Typed): Buffer => {
  const writer = new types.Writer();
  writer.write(section);
  return writer.toBuffer();
};

/** The identifying text of a message id or group id, whichever type it has. */
export const textOf = (value: Typed | undefined): string | null => {
  if (value === undefined) return null;
  const { value: id } = value;
  if (typeof id !== "string" && typeof id !== "number" && !Buffer.isBuffer(id))
    throw decodeError("an id has another type");
  const text = Buffer.isBuffer(id) ? id.toString("hex") : String(id);
  checkIdentifier(text);
  return text;
};

/** A number of milliseconds, in a field that counts them or names a time. */
const millisecondsOf = (value: Typed | undefined): number | null => {
  if (value === undefined) return null;
  const { value: given } = value;
  const ms = given instanceof Date ? given.getTime() : given;
  if (typeof ms !== "number" || !Number.isSafeInteger(ms))
    throw decodeError("a time is none, or too far away");
  return ms;
};

const booleanOf = (value: Typed | undefined): boolean | null => {
  if (value === undefined) return null;
  if (typeof value.value === "boolean") return value.value;
  // A boolean of the one-byte type is read as a number.
  if (value.type.typecode === booleanCode) return value.value === 1;
  throw decodeError("a flag is none");
};

const priorityOf = (value: Typed | undefined): number | null => {
  if (value === undefined) return null;
  const { value: given } = value;
  if (typeof given !== "number" || !Number.isInteger(given) || given < 0 || given > 255)
    throw decodeError("a priority is none");
  return given;
};

/** Most clients cannot settle a message without id: the service gives it one, and so do we. */
const withMessageId = (properties: Typed | undefined, messageId: string): Buffer => {
  const fields: unknown[] = listFields(properties);
  fields[0] = types.wrap_string(messageId);
  return encodeSection(
    types.described(types.wrap_ulong(code.properties), types.wrap_list(Array.from(fields))),
  );
};

/** Whatever reading a peer's bytes throws is the peer's fault. */
export const decodeFailure = (error: unknown): BrokerError =>
  error instanceof BrokerError
    ? error
    : new BrokerError(conditions.decodeError, "The message is not valid AMQP 1.0.");

/** Reads one encoded message; its bytes are copied, so that the socket's buffer can go. */
export const parseMessage = (encoded: Buffer): ParsedMessage => {
  try {
    checkMessage(encoded);
    const sections = readSections(encoded);
    const properties = listFields(sections.properties);
    const [durable, priority, timeToLive] = listFields(sections.header);
    const scheduled = sections.annotationEntries.find(([key]) => key === scheduledAnnotation)?.[1];
    const givenId = textOf(properties[0]);
    const messageId = givenId ?? randomBytes(16).toString("hex");
    return {
      messageId,
      sessionId: textOf(properties[10]),
      durable: booleanOf(durable),
      priority: priorityOf(priority),
      timeToLiveMs: millisecondsOf(timeToLive),
      scheduledForMs: millisecondsOf(scheduled),
      annotations: sections.annotations,
      bare:
        givenId === null
          ? Buffer.concat([
              withMessageId(sections.properties, messageId),
              encoded.subarray(sections.applicationPropertiesAt),
            ])
          : Buffer.from(encoded.subarray(sections.bareAt)),
    };
  } catch (error) {
    throw decodeFailure(error);
  }
};

/** The messages in a batch: each data section of its body is one whole encoded message. */
export const parseBatch = (encoded: Buffer): ParsedMessage[] => {
  try {
    checkMessage(encoded);
    const reader = new types.Reader(encoded);
    reader.position = readSections(encoded).bodyAt;
    const messages: ParsedMessage[] = [];
    while (reader.remaining() > 0) {
      const { value } = reader.read();
      if (!Buffer.isBuffer(value)) throw new RangeError("a batch holds data sections only");
      messages.push(parseMessage(value));
    }
    return messages;
  } catch (error) {
    throw decodeFailure(error);
  }
};

/** The fields that subscription rules look at. */
export const readFields = (
  bare: Buffer,
): {
  readonly properties: readonly (Typed | undefined)[];
  readonly applicationProperties: readonly (readonly [string, Typed])[];
} => {
  const sections = readSections(bare);
  return {
    properties: listFields(sections.properties),
    applicationProperties: mapEntries(sections.applicationProperties),
  };
};

/** The same message with application properties set: what abandon, defer and dead-letter may do. */
export const withApplicationProperties = (
  bare: Buffer,
  changes: ReadonlyMap<string, Typed>,
): Buffer => {
  if (changes.size === 0) return bare;
  const sections = readSections(bare);
  const merged = new Map([...mapEntries(sections.applicationProperties), ...changes]);
  const items = [...merged].flatMap(([key, value]) => [types.wrap_string(key), value]);
  const section = types.described(types.wrap_ulong(code.applicationProperties), types.Map32(items));
  return Buffer.concat([
    bare.subarray(0, sections.applicationPropertiesAt),
    encodeSection(section),
    bare.subarray(sections.bodyAt),
  ]);
};

/** Properties and application properties alone: for who wants to see what is there, not what it says. */
export const withoutBody = (bare: Buffer): Buffer => bare.subarray(0, readSections(bare).bodyAt);

export interface HeaderFields {
  readonly durable: boolean | null;
  readonly priority: number | null;
  readonly timeToLiveMs: number | null;
  /** How many deliveries have failed. */
  readonly deliveryCount: number;
}

export const encodeHeader = (fields: HeaderFields): Buffer => {
  const { durable, priority, timeToLiveMs, deliveryCount } = fields;
  return encodeSection(
    types.described(
      types.wrap_ulong(code.header),
      types.wrap_list([
        durable,
        priority === null ? null : types.wrap_ubyte(priority),
        timeToLiveMs === null ? null : types.wrap_uint(timeToLiveMs),
        null,
        types.wrap_uint(deliveryCount),
      ]),
    ),
  );
};

/** The sender's annotations with the broker's own, which win. */
export const encodeAnnotations = (sent: Buffer | null, own: ReadonlyMap<string, Typed>): Buffer => {
  const given = sent === null ? [] : mapEntries(new types.Reader(sent).read());
  const entries = [...given.filter(([key]) => !own.has(key)), ...own];
  const items = entries.flatMap(([key, value]) => [types.wrap_symbol(key), value]);
  return encodeSection(
    types.described(types.wrap_ulong(code.messageAnnotations), types.Map32(items)),
  );
};
