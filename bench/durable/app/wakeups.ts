/** POST wakeups/{kind}: how long orchestrators take to go on, one after the other. */
import { app, type InvocationContext } from "@azure/functions";
import * as df from "durable-functions";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { quantile } from "../closed-loop.js";
import { nowMs, resumption } from "./resumptions.js";

const Request = z.object({ count: z.int().positive() });

/** Long enough for an orchestration to have come to rest, also on a busy machine. */
const restMs = 25;
const timerAheadMs = 60;

type Wakeup = (client: df.DurableClient) => Promise<number>;

/** From the call that raises the event until the orchestrator is past it. */
const wakeByEvent: Wakeup = async (client) => {
  const id = await client.startNew("awaitEvent");
  await sleep(restMs);
  const wentOn = resumption(id);
  const raisedAt = nowMs();
  await client.raiseEvent(id, "go", 1);
  return (await wentOn) - raisedAt;
};

/** From the moment that the timer names until the orchestrator is past it. */
const wakeByTimer: Wakeup = async (client) => {
  const dueAt = Date.now() + timerAheadMs;
  const instanceId = `timer-${crypto.randomUUID()}`;
  const wentOn = resumption(instanceId);
  await client.startNew("awaitTime", { instanceId, input: dueAt });
  return (await wentOn) - dueAt;
};

const wakeups: Readonly<Record<string, Wakeup>> = { event: wakeByEvent, timer: wakeByTimer };

const measure = async (
  wakeup: Wakeup,
  count: number,
  context: InvocationContext,
): Promise<object> => {
  const client = df.getClient(context);
  const tookMs: number[] = [];
  for (let n = 0; n < count; n += 1) tookMs.push(await wakeup(client));
  return { runs: count, p50Ms: quantile(tookMs, 0.5), p99Ms: quantile(tookMs, 0.99) };
};

app.http("wakeups", {
  route: "wakeups/{kind}",
  methods: ["POST"],
  authLevel: "anonymous",
  extraInputs: [df.input.durableClient()],
  handler: async (request, context) => {
    const { count } = Request.parse(await request.json());
    const wakeup = wakeups[request.params["kind"] ?? ""];
    return wakeup === undefined
      ? { status: 404 }
      : { jsonBody: await measure(wakeup, count, context) };
  },
});
