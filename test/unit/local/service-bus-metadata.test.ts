/** What the app's library makes of a message's metadata, however the host hands it over. */
import type { ServiceBusReceivedMessage } from "@azure/service-bus";
import fc from "fast-check";
import { expect, test } from "vitest";
import { singleMetadata } from "../../../local/host/service-bus/metadata.js";

/** As `@azure/functions` reads a text: JSON where it is, the text itself where it is not. */
const asLibrary = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const subjectOf = (subject: string): unknown => {
  const message: ServiceBusReceivedMessage = {
    body: undefined,
    subject,
    state: "active",
    _rawAmqpMessage: { body: undefined, bodyType: "data" },
  };
  const { string, json } = singleMetadata(message)["Subject"] ?? {};
  return typeof json === "string" ? JSON.parse(json) : asLibrary(string ?? "");
};

test("a text is the same to the app, whether it looks like JSON or not", () => {
  const texts = fc.oneof(
    fc.string(),
    fc.uuid(),
    fc.json(),
    fc.constantFrom(
      "true",
      "false",
      "null",
      "nullable",
      "1e5",
      "12345678",
      " 1",
      "Infinity",
      "NaN",
    ),
  );
  fc.assert(
    fc.property(texts, (text) => {
      expect(subjectOf(text)).toEqual(asLibrary(text));
    }),
  );
});

test("what cannot be JSON spares the library an exception", () => {
  const messageId = "6f9619ff-8b86-d011-b42d-00c04fc964ff";
  const metadata = singleMetadata({
    body: undefined,
    messageId,
    subject: "WalletCreated",
    state: "active",
    _rawAmqpMessage: { body: undefined, bodyType: "data" },
  });
  expect(metadata["MessageId"]).toEqual({ json: JSON.stringify(messageId) });
  expect(metadata["Subject"]).toEqual({ json: '"WalletCreated"' });
});
