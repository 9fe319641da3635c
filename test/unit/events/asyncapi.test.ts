/** The AsyncAPI document: valid by its own parser, with every event, and schemas that say what messages are. */
import { Parser } from "@asyncapi/parser";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { expect, test } from "vitest";
import { z } from "zod";
import { asyncApiDocument } from "../../../shared/http/asyncapi.js";
import { eventCatalogue, eventNames } from "../../../shared/contracts/events/catalogue.js";

const local = { version: "1.2.3", brokerHost: "127.0.0.1:5672", tokenUrl: null };
const cloud = {
  version: "1.2.3",
  brokerHost: null,
  tokenUrl: "https://login.microsoftonline.com/organizations/oauth2/v2.0/token",
};

test.each([
  ["beside the local broker", local],
  ["in the cloud", cloud],
])("%s it is valid AsyncAPI 3.0, and its one channel has each event", async (_place, settings) => {
  const parser = new Parser();
  const text = JSON.stringify(asyncApiDocument(eventCatalogue, settings));
  const { document, diagnostics } = await parser.parse(text);
  // All that it says is that 3.1 is there by now.
  expect(diagnostics.map(({ code }) => code)).toEqual(["asyncapi-latest-version"]);
  expect(document?.version()).toBe("3.0.0");
  const [channel, ...others] = document?.channels().all() ?? [];
  expect(others).toEqual([]);
  expect(channel?.address()).toBe("{partner}/Subscriptions/{partner}");
  const messages = channel?.messages().all() ?? [];
  expect(messages.map((message) => message.name())).toEqual(eventNames);
  const [sending] = document?.operations().all() ?? [];
  expect(sending?.messages().all()).toHaveLength(eventNames.length);
  expect(
    JSON.stringify(
      document
        ?.servers()
        .all()
        .map((server) => server.host()),
    ),
  ).toBe(JSON.stringify([settings.brokerHost ?? "{namespace}.servicebus.windows.net"]));
});

const Schemas = z.object({
  components: z.object({
    schemas: z.record(z.string(), z.record(z.string(), z.unknown())),
    messages: z.record(
      z.string(),
      z.object({
        payload: z.record(z.string(), z.unknown()),
        headers: z.record(z.string(), z.unknown()),
        examples: z.tuple([
          z.object({
            headers: z.record(z.string(), z.unknown()),
            payload: z.record(z.string(), z.unknown()),
          }),
        ]),
      }),
    ),
  }),
});

const { components } = Schemas.parse(asyncApiDocument(eventCatalogue, local));
const ajv = new Ajv({ strict: false });
addFormats.default(ajv);
const withComponents = (schema: Readonly<Record<string, unknown>>) =>
  ajv.compile({ ...schema, components });

test.each(eventNames)("%s: its JSON Schema takes the example and misses each field", (name) => {
  const declared = components.messages[name];
  if (declared === undefined) throw new Error("the document has no such message");
  const [{ headers, payload }] = declared.examples;
  const takesHeaders = withComponents(declared.headers);
  expect([takesHeaders(headers), takesHeaders.errors]).toEqual([true, null]);
  const takes = withComponents(declared.payload);
  expect([takes(payload), takes.errors]).toEqual([true, null]);
  expect(takes({ ...payload, fieldOfLaterVersion: 1 })).toBe(true);
  const missing = Object.keys(payload).filter((field) => takes({ ...payload, [field]: undefined }));
  expect(missing).toEqual([]);
});

test("a message's payload and properties are referred to by name, so that readers' types have names", () => {
  expect(Object.keys(components.schemas)).toEqual(
    expect.arrayContaining([...eventNames, "Envelope", "MessageProperties"]),
  );
});
