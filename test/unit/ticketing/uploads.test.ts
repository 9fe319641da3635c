/** Raw bytes through the kit: bounded, never cancelled, and back as Base64 without being held whole. */
import azure from "@azure/functions";
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { answer } from "../../../functions/kit/answer.js";
import { endpoint, type Endpoint } from "../../../functions/kit/endpoint.js";
import type { Services } from "../../../functions/kit/services.js";
import { partnerSettings } from "../../../shared/contracts/platform/partner-settings.js";
import { route } from "../../../shared/contracts/route.js";
import { base64Content, jsonWithBase64 } from "../../../shared/http/base64-answer.js";
import { createLogger } from "../../../shared/platform/logger.js";
import { noRateLimits } from "../../support/platform/in-process.js";

const bytesMax = 1000;

const partner = { partnerKey: "acme", settings: partnerSettings.parse({}), isOperator: false };
const lines: string[] = [];
// Only what the kit itself touches.
const services = {
  logger: createLogger("debug", (_level, line) => void lines.push(line)),
  tokens: { verify: async () => ({ clientId: "acme-client", roles: ["Ticket.Write"] }) },
  partners: { byClient: async () => partner },
  rateLimits: noRateLimits,
} as unknown as Services;

const measure = endpoint(
  route({
    id: "measure",
    api: "ticketing",
    method: "POST",
    path: "measures",
    body: { contentTypes: ["application/octet-stream", "image/png"], bytesMax },
    role: "Ticket.Write",
    ok: { status: 200, schema: z.object({ bytes: z.int(), type: z.string() }) },
    errors: [],
    summary: "For these tests",
  }),
  async (_services, { body, ok }) => {
    let bytes = 0;
    for await (const piece of body.pieces) bytes += piece.byteLength;
    return ok({ bytes, type: body.contentType ?? "none" });
  },
);

interface Sent {
  readonly pieces?: readonly number[];
  readonly type?: string;
  readonly announced?: number;
  /** The connection breaks after the pieces. */
  readonly isCut?: boolean;
}

let cancelled = 0;

/** A request as the host gives it, whose body comes in pieces of these lengths. */
const requestOf = ({ pieces = [], type, announced, isCut = false }: Sent) => {
  const left = [...pieces];
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const length = left.shift();
      if (length !== undefined) controller.enqueue(new Uint8Array(length));
      else if (isCut) controller.error(new Error("aborted"));
      else controller.close();
    },
    cancel: () => void (cancelled += 1),
  });
  const headers = new Headers({ authorization: "Bearer abc" });
  if (type !== undefined) headers.set("content-type", type);
  if (announced !== undefined) headers.set("content-length", String(announced));
  return {
    method: "POST",
    url: "http://localhost/ticketing/measures",
    headers,
    query: new URLSearchParams(),
    body,
  } as unknown as azure.HttpRequest;
};

const send = async (sent: Sent, bound: Endpoint = measure) => {
  const reply = await answer(services, bound, requestOf(sent), new azure.InvocationContext());
  return [reply.status, JSON.parse(z.string().parse(reply.body))] as const;
};

test.each<[string, Sent, number, string]>([
  ["as many bytes as are allowed", { pieces: [999, 1], announced: 1000 }, 1000, "none"],
  ["no bytes", { announced: 0 }, 0, "none"],
  ["pieces of unknown number", { pieces: [1, 2, 3] }, 6, "none"],
  ["a declared type", { type: "application/octet-stream" }, 0, "application/octet-stream"],
  ["a type with parameters", { type: "IMAGE/PNG; q=1" }, 0, "image/png"],
])("%s reach the handler", async (_case, sent, bytes, type) => {
  expect(await send(sent)).toEqual([200, { bytes, type }]);
});

test.each<[string, Sent, number, RegExp]>([
  ["announces too much", { announced: 1001 }, 413, /at most 1000 bytes\.$/],
  ["sends too much unannounced", { pieces: [999, 1, 1, 1] }, 413, /at most 1000 bytes\.$/],
  ["declares another type", { type: "text/html" }, 415, /application\/octet-stream\.$/],
  ["goes away", { pieces: [10], isCut: true }, 400, /broke off/],
  ["ends before the announced length", { pieces: [10], announced: 11 }, 400, /broke off/],
])("a caller who %s is refused in the API's own words", async (_case, sent, status, sentence) => {
  expect(await send(sent)).toMatchObject([
    status,
    { error_description: expect.stringMatching(sentence) as unknown },
  ]);
});

test("a body is never cancelled, which would cut off the answer, nor is its end logged as ours", () => {
  expect(cancelled).toBe(0);
  const aboutCalls = /"message":"Call (answered|refused)\."/;
  expect(lines.filter((line) => !aboutCalls.test(line))).toEqual([]);
});

const read = async (stream: AsyncIterable<Uint8Array>): Promise<string> => {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces).toString();
};

test("bytes in whatever pieces come out as the JSON with their Base64, of the announced length", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 20 })), async (pieces) => {
      const bytes = Buffer.concat(pieces);
      const content = base64Content(
        bytes.length,
        (async function* () {
          yield* pieces;
        })(),
      );
      const value = { response: { name: 'ü"', filecontent: content.place, after: 1 } };
      const { length, body } = jsonWithBase64(value, content);
      const text = await read(body);
      expect(JSON.parse(text)).toEqual({
        response: { name: 'ü"', filecontent: bytes.toString("base64"), after: 1 },
      });
      expect(Buffer.byteLength(text)).toBe(length);
    }),
  );
});

test("a reader who goes away ends the reading of the document", async () => {
  let ended = false;
  const content = base64Content(
    6,
    (async function* () {
      try {
        yield new Uint8Array(3);
        yield new Uint8Array(3);
      } finally {
        ended = true;
      }
    })(),
  );
  const reader = jsonWithBase64(content.place, content).body.getReader();
  await reader.read();
  await reader.read();
  await reader.cancel();
  expect(ended).toBe(true);
});
