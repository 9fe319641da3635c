/** What a recording file holds: by case, the steps of a conversation with a host and its answers. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { z } from "zod";

/** A value as it was answered, in which `<words>` stand for what differs from run to run. */
const Pattern = z.json();

/** Exact bytes of a request: text, base64, or one text over and over up to a length. */
const Body = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({ base64: z.string() }),
  z.strictObject({
    repeated: z.string(),
    length: z.int().positive(),
    /** In the quotes of a JSON string. */
    quoted: z.literal(true).optional(),
  }),
]);
export type RequestBody = z.output<typeof Body>;

const HeaderValue = z.union([z.string(), z.array(z.string())]);
const Headers = z.record(z.string(), HeaderValue);

const Answer = z.strictObject({
  /** 0 where none came. */
  status: z.int(),
  /** An answer ahead of this one, such as 100. */
  interim: z.int().optional(),
  /** By names in lower case; what the transport needs is left out. */
  headers: Headers.optional(),
  /** At most one of these; none where the body is empty. */
  json: Pattern.optional(),
  text: z.string().optional(),
  base64: z.string().optional(),
  /** Of a body too long to be kept. */
  length: z.int().optional(),
  sha256: z.string().optional(),
});
export type Answer = z.output<typeof Answer>;

const common = { about: z.string().optional(), label: z.string().optional() };

const Send = z.strictObject({
  ...common,
  /** Method and path. */
  send: z.string(),
  headers: Headers.optional(),
  json: z.json().optional(),
  body: Body.optional(),
  /** In chunks of unknown length rather than with a Content-Length. */
  chunked: z.literal(true).optional(),
  /** A header of the answer that later steps send as `<kept token>`. */
  keeps: z.string().optional(),
  /** None where the request only moves the conversation on. */
  answer: Answer.optional(),
});
export type Send = z.output<typeof Send>;

const SendRaw = z.strictObject({
  ...common,
  /** The bytes of the request as they are. */
  raw: z.string(),
  /** Sent after an interim answer. */
  onceContinued: z.string().optional(),
  answer: Answer,
});
export type SendRaw = z.output<typeof SendRaw>;

const Until = z.strictObject({
  ...common,
  /** An address, read again and again until it answers so. */
  until: z.string(),
  status: z.int().optional(),
  /** The JSON of the answer; where it is an object, these of its keys. */
  shows: Pattern.optional(),
  /** The genuine host never came to this. */
  never: z.literal(true).optional(),
});
export type Until = z.output<typeof Until>;

const Remember = z.strictObject({
  ...common,
  /** Under this name, in angle brackets, later steps send the time of this one. */
  remember: z.string(),
  plusMs: z.int().optional(),
});

const Together = z.strictObject({ ...common, together: z.array(Send) });

const Step = z.union([Send, SendRaw, Until, Remember, Together]);
export type Step = z.output<typeof Step>;

const Recording = z.record(z.string(), z.array(Step).min(1));
export type Recording = z.output<typeof Recording>;

const folder = resolve("test/conformance/recordings");

/** Throws where the file is not as described here. */
export const readRecording = async (name: string): Promise<Recording> =>
  Recording.parse(JSON.parse(await readFile(resolve(folder, `${name}.json`), "utf8")));
