// Endpoints over the durable client library, so that its answers are recorded as well.
import { app } from "@azure/functions";
import * as df from "durable-functions";

const declare = (name, route, handler) =>
  app.http(name, {
    route,
    methods: ["POST"],
    authLevel: "anonymous",
    extraInputs: [df.input.durableClient()],
    handler: (request, context) => handler(request, df.getClient(context)),
  });

/** The body's JSON; undefined where there is no body. */
const jsonOf = async (request) => {
  const text = await request.text();
  return text === "" ? undefined : JSON.parse(text);
};
const begin = async (request, client) => {
  const { name, id } = request.params;
  return client.startNew(name, { instanceId: id, input: await jsonOf(request) });
};

declare("start", "start/{name}/{id?}", async (request, client) =>
  client.createCheckStatusResponse(request, await begin(request, client)),
);

declare("startWait", "startwait/{name}/{id?}", async (request, client) =>
  client.waitForCompletionOrCreateCheckStatusResponse(request, await begin(request, client), {
    timeoutInMilliseconds: Number(request.query.get("ms") ?? 10_000),
    retryIntervalInMilliseconds: Number(request.query.get("every") ?? 200),
  }),
);

/** A filter came as JSON: its times are dates again. */
const filterOf = ({ createdTimeFrom, createdTimeTo, ...others }) => ({
  ...others,
  ...(createdTimeFrom && { createdTimeFrom: new Date(createdTimeFrom) }),
  ...(createdTimeTo && { createdTimeTo: new Date(createdTimeTo) }),
});
const entityOf = ([name, key]) => new df.EntityId(name, key);

const operations = {
  getStatus: (client, ...given) => client.getStatus(...given),
  getStatusBy: (client, filter) => client.getStatusBy(filterOf(filter)),
  purge: (client, id) => client.purgeInstanceHistory(id),
  purgeBy: (client, filter) => client.purgeInstanceHistoryBy(filterOf(filter)),
  raiseEvent: (client, ...given) => client.raiseEvent(...given),
  terminate: (client, ...given) => client.terminate(...given),
  suspend: (client, ...given) => client.suspend(...given),
  resume: (client, ...given) => client.resume(...given),
  rewind: (client, ...given) => client.rewind(...given),
  startNew: (client, ...given) => client.startNew(...given),
  signalEntity: (client, entity, ...given) => client.signalEntity(entityOf(entity), ...given),
  readEntityState: (client, entity) => client.readEntityState(entityOf(entity)),
  managementPayload: (client, id) => client.createHttpManagementPayload(id),
  hubName: (client) => client.taskHubName,
};

/** A JSON array of arguments comes in; the result or the error goes out as data. */
declare("clientOp", "client/{op}", async (request, client) => {
  const operation = operations[request.params.op];
  if (operation === undefined) return { status: 404, body: "no such op" };
  const given = (await jsonOf(request)) ?? [];
  try {
    const result = await operation(client, ...given);
    const kind = result?.constructor?.name ?? typeof result;
    return { jsonBody: { result: result === undefined ? "<undefined>" : result, kind } };
  } catch (error) {
    const { name, message = String(error) } = error;
    return { jsonBody: { error: { name, message } } };
  }
});
