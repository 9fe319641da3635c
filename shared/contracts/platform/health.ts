/** The health route: whether the app and what it depends on can work now. */
import { z } from "zod";
import { route } from "../route.js";

const status = z.enum(["ok", "unavailable"]);

/** What is wrong, in a sentence; null: nothing. */
const problem = z.string().nullable();

export const Health = z.object({
  status: z.enum(["ok", "degraded"]),
  database: z.object({ status, problem }),
  broker: z.object({ status, port: z.int(), problem }),
  durable: z.object({ status, problem }),
  outbox: z.object({
    /** Messages not sent yet, counted up to ten thousand; null where the database does not say. */
    waiting: z.int().nullable(),
    /** Age of the oldest of them. */
    oldestSeconds: z.number().nullable(),
    /** Where messages cannot go that have waited for a minute. */
    problem,
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
