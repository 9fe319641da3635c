// What fails, and what its callers can see of that.
import * as df from "durable-functions";

class Declined extends Error {
  name = "Declined";
  limit = 50;
}

// Errors of this kind alone have properties: all others stay as the service words them.
df.app.setExceptionPropertiesProvider({
  getExceptionProperties: (error) =>
    error instanceof Declined ? { limit: error.limit, tags: ["a", "b"] } : undefined,
});

const deeds = {
  declines: () => {
    throw new Declined("over the limit");
  },
  throws: () => {
    throw new RangeError("out of range");
  },
  // In the words of a worker that knows what an error was caused by.
  causes: () => {
    const inner = { errorType: "SocketError", errorMessage: "reset", isNonRetriable: true };
    const failure = { errorType: "Outage", errorMessage: "no bank", innerFailure: inner };
    throw new Error(JSON.stringify(failure));
  },
  spills: () => {
    throw new Error(
      "refused: Bearer abc.def.ghi, pin=1234, card 4111 1111 1111 1111, https://me:hush@bank/?code=k1",
    );
  },
};
df.app.activity("deed", { handler: (kind) => deeds[kind]() });

const seen = (error) => ({
  isTaskFailedError: error instanceof df.TaskFailedError,
  message: error.message,
  taskName: error.taskName,
  taskId: error.taskId,
  details: error.failureDetails,
  isSocketError: error.failureDetails?.isCausedBy("SocketError"),
});

df.app.orchestration("catchesDeed", function* ({ df: flow }) {
  try {
    return yield flow.callActivity("deed", flow.getInput());
  } catch (error) {
    // A second step has the first one replayed from its stored form where nothing is kept in memory.
    yield flow.waitForExternalEvent("go");
    return seen(error);
  }
});
df.app.orchestration("deedFails", function* ({ df: flow }) {
  return yield flow.callActivity("deed", flow.getInput());
});
df.app.orchestration("childFails", function* ({ df: flow }) {
  try {
    return yield flow.callSubOrchestrator("deedFails", flow.getInput());
  } catch (error) {
    return seen(error);
  }
});
df.app.orchestration("retriesDeed", function* ({ df: flow }) {
  try {
    return yield flow.callActivityWithRetry("deed", new df.RetryOptions(10, 3), flow.getInput());
  } catch (error) {
    return seen(error);
  }
});
df.app.orchestration("retriesChild", function* ({ df: flow }) {
  return yield flow.callSubOrchestratorWithRetry("deedFails", new df.RetryOptions(10, 2), "throws");
});
df.app.orchestration("calls", function* ({ df: flow }) {
  return yield flow.callHttp(flow.getInput());
});

df.app.entity("drawer", ({ df: entity }) => {
  if (entity.operationName === "throw") throw new TypeError("stuck");
  if (entity.operationName === "spill") throw Object.assign(new Error(""), { token: "hush" });
  if (entity.operationName === "word") throw "bare words";
  // Making JSON of errors is no failure, and is as it ever was.
  if (entity.operationName === "json") {
    entity.setState({ text: JSON.stringify([new Error("mentioned")]) });
    const own = new Error("own");
    own.toJSON = () => "own form";
    entity.return(JSON.stringify(own));
  }
});
df.app.orchestration("operates", function* ({ df: flow }) {
  const drawer = new df.EntityId("drawer", flow.instanceId);
  const answers = [];
  for (const operation of flow.getInput())
    try {
      answers.push(yield flow.callEntity(drawer, operation));
    } catch (error) {
      answers.push(error.message);
    }
  return answers;
});
df.app.orchestration("waits", function* ({ df: flow }) {
  return yield flow.waitForExternalEvent("go");
});
df.app.orchestration("parentOfWaits", function* ({ df: flow }) {
  try {
    return yield flow.callSubOrchestrator("waits", null, flow.getInput());
  } catch (error) {
    return error.message.split(" \n ")[0];
  }
});
