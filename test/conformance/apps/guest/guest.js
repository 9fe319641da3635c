// An app that somebody else wrote: a bit of everything that the local start brings along.
import { app, output } from "@azure/functions";
import * as df from "durable-functions";

const letters = output.serviceBusQueue({ connection: "ServiceBus", queueName: "letters" });
const arrived = [];

app.http("post", {
  methods: ["POST"],
  extraOutputs: [letters],
  handler: async (request, context) => {
    context.extraOutputs.set(letters, await request.text());
    return { status: 202 };
  },
});
app.serviceBusQueue("collect", {
  connection: "ServiceBus",
  queueName: "letters",
  handler: (letter) => void arrived.push(letter),
});
app.http("arrived", { methods: ["GET"], handler: () => ({ jsonBody: arrived }) });
app.http("database", { methods: ["GET"], handler: () => ({ body: process.env.DATABASE_URL }) });
df.app.orchestration("greet", function* (context) {
  return yield context.df.callActivity("greeting", context.df.getInput());
});
df.app.activity("greeting", { handler: (name) => `Hello ${name}` });
