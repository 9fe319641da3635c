/** POST drive/{flow}: a closed loop of orchestrations, from within the app that runs them. */
import { app } from "@azure/functions";
import * as df from "durable-functions";
import { z } from "zod";
import { closedLoop } from "../closed-loop.js";
import { postJson } from "../post-json.js";

const Request = z.object({
  inFlight: z.int().positive(),
  seconds: z.number().positive(),
  runsMax: z.int().positive().default(Number.MAX_SAFE_INTEGER),
  input: z.number().default(0),
});
const Binding = z.object({
  creationUrls: z.object({ createAndWaitOnNewInstancePostUri: z.string() }),
});

const client = df.input.durableClient();

/** The address at which a POST starts an orchestration and answers when it has ended. */
const startAndWaitUrl = (binding: unknown, flow: string): string =>
  Binding.parse(binding)
    .creationUrls.createAndWaitOnNewInstancePostUri.replace("{functionName}", flow)
    .replace("[/{instanceId}]", "")
    .replace("{timeoutInSeconds}", "600")
    .replace("{intervalInSeconds}", "1");

app.http("drive", {
  route: "drive/{flow}",
  methods: ["POST"],
  authLevel: "anonymous",
  extraInputs: [client],
  handler: async (request, context) => {
    const { input, ...load } = Request.parse(await request.json());
    const url = startAndWaitUrl(context.extraInputs.get(client), request.params["flow"] ?? "");
    const figures = await closedLoop(load, async () => {
      await postJson(url, input);
    });
    return { jsonBody: figures };
  },
});
