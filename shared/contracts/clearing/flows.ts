/** Clearings that somebody asks for at once (card seed, 4.2; contract 3.3). */
import { z } from "zod";
import { clearingModes } from "../../domain/clearing/bookmark-states.js";
import { Identifier } from "../identifier.js";
import { route } from "../route.js";
import { RequestedRun } from "../settlement/flows.js";

const IssuerKey = z.string().min(1).max(64, { abort: true });
/** Dates before this year are a sender's default value, and the first ones no database can store. */
const firstYear = "1900";
const ClearingDate = z.iso
  .date()
  .max(10, { abort: true })
  .refine((date) => date >= firstYear, { error: "must not lie before 1900" });
const affiliatesMax = 1_000;

const trigger = {
  api: "card",
  method: "POST",
  role: "Clearing.Write",
  ok: { status: 202, schema: RequestedRun },
} as const;

export const triggerClearingRoute = route({
  ...trigger,
  id: "triggerClearing",
  path: "flows/clearing",
  body: z
    .strictObject({
      clearingDate: ClearingDate.nullable()
        .optional()
        .describe("A day of Europe/Rome, not after today, which is taken where there is none."),
      issuerKey: IssuerKey.nullable().optional().describe("The platform's own, and no other."),
      mode: z.enum(clearingModes).nullable().optional().describe("Full where there is none."),
    })
    .optional(),
  errors: ["ValidationFailed", "ClearingBookmarkNotFound"],
  summary: "Clear a day now",
  result: "The run is queued.",
  description:
    "Takes every presentment and fee that is not cleared yet. ImportOnly goes as far as the sums and " +
    "rests there (Exporting); ExportOnly writes the files of a clearing that rests or has failed after " +
    "its import. What is Completed stays as it is: the run is Ignored. A clearing that is under way " +
    "goes on, as far as any of those who asked want it. The run ends when the clearing does.",
});

export const triggerClearingExportRoute = route({
  ...trigger,
  id: "triggerClearingExport",
  path: "flows/clearingexport",
  body: z.strictObject({
    clearingBookmarkId: Identifier,
    issuerKey: IssuerKey.nullable()
      .optional()
      .describe("Where there is one, it must be the clearing's."),
    clearingDate: ClearingDate.nullable()
      .optional()
      .describe("Where there is one, it must be the clearing's."),
    affiliateKeys: z
      .array(z.string().min(1).max(255, { abort: true }))
      .max(affiliatesMax)
      .nullable()
      .optional()
      .describe("Only the files of these; the clearing rests until all have theirs."),
  }),
  errors: ["ClearingBookmarkNotFound"],
  summary: "Write the outgoing files of a clearing now",
  result: "The run is queued.",
  description:
    "For a clearing that rests (ImportOnly), or has failed after its import. Ignored where all files " +
    "are written, or nothing is imported.",
});
