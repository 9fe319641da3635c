/** The bodies of error answers: the wallet seed's model everywhere, the ticketing seed's for ticketing. */
import { z } from "zod";

/** Wallet seed 2.1, card seed: also of the sandbox and of paths that belong to no API. */
export const ErrorModel = z
  .object({
    errorCode: z.string(),
    errorDescription: z.string(),
    errorProperties: z
      .record(z.string(), z.string())
      .meta({ description: "What was found or is allowed, and the requestId of the call." }),
  })
  .meta({ id: "ErrorModel" });
export type ErrorModel = z.output<typeof ErrorModel>;

/** Ticketing seed 7. */
export const TicketingError = z
  .object({ error: z.string(), error_description: z.string() })
  .meta({ id: "TicketingError" });
