// Would be served if its neighbour loaded.
import { app } from "@azure/functions";

app.http("good", { handler: () => ({}) });
if (process.env.TWICE === "yes") app.timer("GOOD", { schedule: "0 0 0 1 1 *", handler: () => {} });
