// The way in: starts an orchestration and answers with its links, or waits for its result.
import { app } from "@azure/functions";
import * as df from "durable-functions";

const http = (name, route, handler) =>
  app.http(name, {
    route,
    methods: ["POST"],
    authLevel: "anonymous",
    extraInputs: [df.input.durableClient()],
    handler: (request, context) => handler(request, df.getClient(context)),
  });

// The asynchronous HTTP pattern: 202 with the address to ask, until the work is done.
http("begin", "begin/{name}", async (request, client) => {
  const id = await client.startNew(request.params.name, { input: await request.json() });
  return client.createCheckStatusResponse(request, id);
});

// A singleton: one instance of a fixed id, which nobody may begin twice.
http("beginOnly", "only/{id}", async (request, client) => {
  const { id } = request.params;
  const { runtimeStatus } = (await client.getStatus(id).catch(() => undefined)) ?? {};
  const isOver = [undefined, "Completed", "Failed", "Terminated"].includes(runtimeStatus);
  if (!isOver) return { status: 409, body: `${id} is ${runtimeStatus}` };
  await client.startNew("watchForever", { instanceId: id, input: 0 });
  return client.createCheckStatusResponse(request, id);
});

http("decide", "decide/{id}", async (request, client) => {
  await client.raiseEvent(request.params.id, "decision", await request.json());
  return { status: 202 };
});
