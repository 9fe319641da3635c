// An app in CommonJS whose hooks watch, change and rescue invocations.
const { app } = require("@azure/functions");

const seen = [];
app.hook.appStart((context) => {
  context.hookData.started = true;
  seen.push("start");
});
app.hook.appTerminate(() => process.stderr.write("terminated in order\n"));
app.hook.preInvocation((context) => {
  context.hookData.from = "before";
  const handler = context.functionHandler;
  if (context.invocationContext.functionName === "wrapped")
    context.functionHandler = async (...args) => ({ jsonBody: { inner: await handler(...args) } });
});
app.hook.postInvocation((context) => {
  seen.push(`${context.hookData.from} ${context.invocationContext.functionName}`);
  if (context.error?.message === "rescue me") {
    context.error = null;
    context.result = { body: "rescued" };
  }
});
app.hook.log((context) => {
  if (context.category === "user") context.message = `edited: ${context.message}`;
});

app.http("seen", { handler: () => ({ jsonBody: seen }) });
app.http("wrapped", { handler: () => "inside" });
app.http("rescued", {
  handler: () => {
    throw new Error("rescue me");
  },
});
app.http("logs", {
  handler: (request, context) => {
    context.warn("a word");
    return {};
  },
});
app.http("late", {
  handler: (request, context) => {
    try {
      app.http("tooLate", { handler: () => ({}) });
      return { body: "registered" };
    } catch (error) {
      return { body: error.message };
    }
  },
});
