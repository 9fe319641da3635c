// Remembers what it was given by the broker and tells it over HTTP.
import { app, output } from "@azure/functions";

const seen = [];
let running = 0;
let mostRunning = 0;

const remember = (from, message, context) => {
  seen.push({ from, message, metadata: context.triggerMetadata, at: Date.now() });
};

app.serviceBusQueue("single", {
  connection: "ServiceBus",
  queueName: "%QUEUE%",
  handler: async (message, context) => {
    remember("single", message, context);
    running += 1;
    mostRunning = Math.max(mostRunning, running);
    await new Promise((resolve) => setTimeout(resolve, 20));
    running -= 1;
    if (message?.fail === true) throw new Error("refused on purpose");
  },
});

app.serviceBusTopic("batch", {
  connection: "ServiceBus",
  topicName: "news",
  subscriptionName: "all",
  cardinality: "many",
  handler: (messages, context) => remember("batch", messages, context),
});

app.serviceBusQueue("inOrder", {
  connection: "ServiceBus",
  queueName: "sessions",
  isSessionsEnabled: true,
  handler: async (message, context) => {
    await new Promise((resolve) => setTimeout(resolve, 2));
    remember("inOrder", message, context);
  },
});

const toOther = output.serviceBusQueue({ connection: "ServiceBus", queueName: "other" });
app.http("send", {
  methods: ["POST"],
  extraOutputs: [toOther],
  handler: async (request, context) => {
    const { messages, fail } = await request.json();
    context.extraOutputs.set(toOther, messages);
    if (fail === true) throw new Error("nothing may be sent");
    return { status: 202 };
  },
});

app.http("seen", { handler: () => ({ jsonBody: { seen, mostRunning } }) });
