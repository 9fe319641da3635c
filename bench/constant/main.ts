/** The app of one function that answers a constant: what the functions model itself costs on this host. */
import { app } from "@azure/functions";

const answer = {
  status: 200,
  headers: { "Content-Type": "application/json" },
  body: '{"ok":true}',
};

// As the platform does it.
app.setup({ enableHttpStream: true });
app.http("constant", {
  methods: ["GET", "POST"],
  authLevel: "anonymous",
  route: "{*path}",
  handler: async () => answer,
});
