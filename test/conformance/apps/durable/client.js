// The library's own client, one operation per route.
import { app } from "@azure/functions";
import * as df from "durable-functions";

const operations = {
  start: (client, { name, ...options }) => client.startNew(name, options),
  status: (client, { id, ...options }) => client.getStatus(id, options),
  all: (client) => client.getStatusAll(),
  by: (client, { prefix }) => client.getStatusBy({ runtimeStatus: [prefix] }),
  raise: (client, { id, event, data }) => client.raiseEvent(id, event, data),
  terminate: (client, { id, reason }) => client.terminate(id, reason),
  suspend: (client, { id, reason }) => client.suspend(id, reason),
  resume: (client, { id, reason }) => client.resume(id, reason),
  rewind: (client, { id, reason }) => client.rewind(id, reason),
  purge: (client, { id }) => client.purgeInstanceHistory(id),
  purgeBy: (client, { from, statuses }) =>
    client.purgeInstanceHistoryBy({ createdTimeFrom: new Date(from), runtimeStatus: statuses }),
  signal: (client, { key, operation, data }) =>
    client.signalEntity(new df.EntityId("counter", key), operation, data),
  read: (client, { key }) => client.readEntityState(new df.EntityId("counter", key)),
};

app.http("client", {
  route: "client/{operation}",
  methods: ["POST"],
  authLevel: "anonymous",
  extraInputs: [df.input.durableClient()],
  handler: async (request, context) => {
    const client = df.getClient(context);
    try {
      const result = await operations[request.params.operation](client, await request.json());
      return { jsonBody: { result: result ?? null } };
    } catch (error) {
      return { status: 500, jsonBody: { error: error.message } };
    }
  },
});

app.http("startAndWait", {
  route: "startAndWait/{name}",
  methods: ["POST"],
  authLevel: "anonymous",
  extraInputs: [df.input.durableClient()],
  handler: async (request, context) => {
    const client = df.getClient(context);
    const { input, timeoutMs } = await request.json();
    const id = await client.startNew(request.params.name, { input });
    return client.waitForCompletionOrCreateCheckStatusResponse(request, id, {
      timeoutInMilliseconds: timeoutMs,
      retryIntervalInMilliseconds: 20,
    });
  },
});

app.http("polled", {
  route: "polled",
  methods: ["POST"],
  authLevel: "anonymous",
  handler: async (request) => ({ jsonBody: { echoed: await request.json() } }),
});
