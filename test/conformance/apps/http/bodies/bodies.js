// What goes in and out of a function besides its route.
import { createHash } from "node:crypto";
import { app } from "@azure/functions";

const post = (name, handler) => app.http(name, { methods: ["POST", "GET"], handler });
const digest = (bytes) => createHash("sha256").update(bytes).digest("hex");

post("digest", async (request) => {
  const bytes = Buffer.from(await request.arrayBuffer());
  return { jsonBody: { length: bytes.length, digest: digest(bytes) } };
});

/** Reads through the platform's stream instead of asking for all bytes at once. */
post("pieces", async (request) => {
  let length = 0;
  for await (const piece of request.body ?? []) length += piece.length;
  return { jsonBody: { length } };
});

/** Answers when it has seen the beginning. */
post("beginning", async (request) => {
  const { value } = await request.body[Symbol.asyncIterator]().next();
  return { jsonBody: { length: value.length } };
});

post("copies", async (request) => {
  const copy = request.clone();
  return { jsonBody: [await request.text(), await copy.text()] };
});

post("headers", (request) => ({ jsonBody: Object.fromEntries(request.headers) }));

post("abroad", () => ({ headers: { "x-city": "Plze\u0148" }, body: "hello" }));

post("large", () => ({
  headers: { "content-type": "application/octet-stream" },
  body: (async function* () {
    for (let piece = 0; piece < 64; piece += 1) yield Buffer.alloc(256 * 1024, piece);
  })(),
}));

let endlessStopped = false;
post("endless", () => ({
  body: (async function* () {
    try {
      for (;;) {
        yield Buffer.alloc(64 * 1024);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    } finally {
      endlessStopped = true;
    }
  })(),
}));
post("endlessStopped", () => ({ jsonBody: endlessStopped }));

post("throws", () => {
  throw new Error("on purpose");
});
post("breaks", () => ({
  body: (async function* () {
    yield Buffer.from("the beginning");
    await new Promise((resolve) => setTimeout(resolve, 50));
    throw new Error("in the middle");
  })(),
}));
post("nothing", () => undefined);
post("forgets", () => {
  void Promise.reject(new Error("a rejection that nobody hears"));
  setTimeout(() => {
    throw new Error("an error that nobody hears");
  });
  return { status: 202 };
});
post("hangs", () => new Promise(() => undefined));
let slowBegun = false;
post("slow", async () => {
  slowBegun = true;
  await new Promise((resolve) => setTimeout(resolve, 500));
  return { body: "finished" };
});
post("slowBegun", () => ({ jsonBody: slowBegun }));
post("talks", (request, context) => {
  context.debug("a quiet word", { with: "data" });
  return {};
});
post("context", (request, context) => ({
  jsonBody: {
    functionName: context.functionName,
    trace: context.traceContext,
    trigger: context.options.trigger,
    answers: context.options.return,
  },
}));
