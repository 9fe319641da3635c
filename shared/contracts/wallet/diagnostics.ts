/** The diagnostics route: which application answers, in which environment. */
import { z } from "zod";
import { route } from "../route.js";

export const Diagnostics = z
  .object({
    applicationName: z.string(),
    applicationVersion: z.string(),
    environment: z.enum(["development", "testing", "production"]),
  })
  .meta({ id: "Diagnostics" });

export const getDiagnosticsRoute = route({
  id: "getDiagnosticsInfo",
  api: "wallet",
  method: "GET",
  path: "diagnostics/info",
  role: "Wallet.Read",
  ok: { status: 200, schema: Diagnostics },
  errors: [],
  summary: "Name, version and environment of the application",
  result: "What answers here.",
});
