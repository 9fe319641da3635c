// Each endpoint reads a request in one way and tells what it found.
import { createHash } from "node:crypto";
import { app } from "@azure/functions";

const declare = (name, route, methods, handler) =>
  app.http(name, { route, methods, authLevel: "anonymous", handler });

const told = /^(x-|accept|content|cookie|expect|host|user)/;
/** What a host adds on the way. */
const added = /^x-(forwarded|original|ms-|arr|site|waws|appservice|client|disguised)/;
declare("headers", "headers", ["GET", "POST"], (request) => ({
  jsonBody: [...request.headers].filter(([name]) => told.test(name) && !added.test(name)),
}));

declare("bodyText", "body/text", ["GET", "POST"], async (request) => {
  const hasBody = (request.body ?? undefined) !== undefined;
  const text = await request.text();
  const type = request.headers.get("content-type");
  return { jsonBody: { hasBody, text, length: text.length, type } };
});

declare("bodyJson", "body/json", ["POST"], async (request) => ({
  jsonBody: { got: await request.json() },
}));

/** The failure of a promise as an answer. */
const failureOf = async (promise, status) => {
  try {
    return await promise;
  } catch ({ name, message }) {
    return { status, jsonBody: { name, message } };
  }
};
declare("bodyJsonCaught", "body/jsoncaught", ["POST"], (request) =>
  failureOf(
    request.json().then((got) => ({ jsonBody: { got } })),
    400,
  ),
);
declare("bodyTwice", "body/twice", ["POST"], async (request) => {
  await request.text();
  return failureOf(
    request.text().then(() => ({ body: "read twice" })),
    409,
  );
});

declare("bodyHash", "body/hash", ["POST", "PUT"], async (request) => {
  const bytes = Buffer.from(await request.arrayBuffer());
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { jsonBody: { length: bytes.length, sha256 } };
});

declare("bodyForm", "body/form", ["POST"], async (request) => ({
  jsonBody: [...(await request.formData())].map(([name, value]) => [
    name,
    typeof value === "string" ? value : { file: value.name, type: value.type, size: value.size },
  ]),
}));
