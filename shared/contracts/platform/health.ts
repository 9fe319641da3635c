/** The health route: whether the app and what it depends on can work now. */
import { z } from "zod";
import { route } from "../route.js";

const status = z.enum(["ok", "unavailable"]);

export const Health = z.object({
  status: z.enum(["ok", "degraded"]),
  database: z.object({ status }),
  broker: z.object({ status, port: z.int() }),
  durable: z.object({ status }),
  outbox: z.object({
    /** Messages not sent yet, counted up to ten thousand; null where the database does not say. */
    waiting: z.int().nullable(),
    /** Age of the oldest of them. */
    oldestSeconds: z.number().nullable(),
  }),
});
export type Health = z.output<typeof Health>;

export const getHealthRoute = route({
  id: "getHealth",
  api: "platform",
  method: "GET",
  path: "health",
  role: null,
  ok: { status: 200, schema: Health },
  errors: [],
  summary: "Whether the platform can work: 200, or 503 when degraded",
});
