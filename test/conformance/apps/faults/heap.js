// How much memory the host holds on to; for a Node that was started with --expose-gc.
import { app } from "@azure/functions";

app.http("heap", {
  authLevel: "anonymous",
  handler: () => {
    globalThis.gc();
    return { body: String(process.memoryUsage().heapUsed) };
  },
});
