/** Clearing bookmarks with their incoming and outgoing clearings (card seed, 2.5, 2.6, 4.2; contract 3.3). */
import { z } from "zod";
import { bookmarkStatuses } from "../../domain/clearing/bookmark-states.js";
import { clearingFileTypes } from "../../domain/clearing/file-names.js";
import { dateTimeCharactersMax, Moment } from "../date-range.js";
import { Identifier } from "../identifier.js";
import { pageErrors, pageQuery, paginated } from "../pages.js";
import { route } from "../route.js";
import { DateTime, NullableDateTime } from "../wallet/fields.js";
import { bookmarkAmounts, clearingDeductions, clearingFigures } from "./figures.js";

const FileType = z
  .enum(clearingFileTypes)
  .describe("CLEARINGMULTISCHEME: presentments. FEEMULTISCHEME: fees.");
const ClearingDate = z.iso.date().describe("A day of Europe/Rome.");

export const ClearingBookmark = z
  .object({
    clearingBookmarkId: z.uuid(),
    clearingDate: ClearingDate,
    status: z
      .enum(bookmarkStatuses)
      .describe("Exporting is also where a clearing rests that was only to be imported."),
    feedback: z.string().nullable().describe("Why the last try failed."),
    attempts: z.int32().describe("Tries since it was queued the last time."),
    creationDate: DateTime,
    lastUpdateDate: NullableDateTime,
    startDate: NullableDateTime,
    endDate: NullableDateTime,
    issuerKey: z.string(),
    ...bookmarkAmounts,
  })
  .meta({ id: "ClearingBookmark" });
export type ClearingBookmark = z.output<typeof ClearingBookmark>;

export const IncomingClearing = z
  .object({
    incomingClearingId: z.uuid(),
    clearingBookmarkId: z.uuid(),
    clearingDate: ClearingDate,
    type: FileType,
    fileName: z.string(),
    recordsInFile: z.int32().describe("As its header declares."),
    availableRecordsInFile: z.int32().describe("As they were counted."),
    readableRecordsInFile: z.int32().describe("Of those, what could be read."),
    fileSequenceNumber: z.int32().describe("1, and one more for each file after a deletion."),
    fileVersion: z.string(),
    fileType: z.string(),
    isFinalFile: z.boolean(),
    isFileVerified: z.boolean().describe("Count and SHA-256 are those of the header."),
    feedback: z.string().nullable(),
    creationDate: DateTime,
    lastUpdateDate: NullableDateTime,
    issuerKey: z.string(),
    ...clearingFigures,
  })
  .meta({ id: "IncomingClearing" });
export type IncomingClearing = z.output<typeof IncomingClearing>;

export const OutgoingClearing = z
  .object({
    outgoingClearingId: z.uuid(),
    clearingBookmarkId: z.uuid(),
    issuerKey: z.string(),
    affiliateKey: z
      .string()
      .nullable()
      .describe("Null where this stands for a deleted incoming clearing, which is everybody's."),
    clearingDate: ClearingDate,
    type: FileType,
    fileName: z.string(),
    creationDate: DateTime,
    lastUpdateDate: NullableDateTime,
    availableRecords: z.int32(),
    ...clearingFigures,
    ...clearingDeductions,
  })
  .meta({ id: "OutgoingClearing" });
export type OutgoingClearing = z.output<typeof OutgoingClearing>;

const CalendarDate = z.iso.date();

const DateOrMoment = z
  .string()
  .max(dateTimeCharactersMax, { abort: true })
  .refine(
    (text) => CalendarDate.safeParse(text).success || Moment.safeParse(text).success,
    "must be a date, such as 2026-11-22, or a date-time with its offset",
  );
/** A bookmark has at most one of each type for an affiliate. */
const listOf = <Item extends z.ZodType>(item: Item) =>
  ({ status: 200, schema: z.array(item) }) as const;

export const listClearingBookmarksRoute = route({
  id: "listClearingBookmarks",
  api: "card",
  method: "GET",
  path: "clearing/bookmarks",
  query: {
    fromDate: DateOrMoment.optional().describe("Of the clearing; of a date-time its day in Rome."),
    toDate: DateOrMoment.optional().describe("The day itself is included."),
    ...pageQuery,
  },
  role: "Card.Read",
  ok: { status: 200, schema: paginated(ClearingBookmark) },
  errors: [...pageErrors, "DateRangeInvalid"],
  summary: "List the issuer's clearing bookmarks",
  result: "A page of the bookmarks, and how many there are in all.",
  description: "In order of their days. Their amounts are of all affiliates together.",
});

const bookmarkParams = { bookmarkId: Identifier } as const;

export const listIncomingClearingsRoute = route({
  id: "listIncomingClearings",
  api: "card",
  method: "GET",
  path: "clearing/bookmarks/{bookmarkId}/incoming",
  params: bookmarkParams,
  role: "Card.Read",
  ok: listOf(IncomingClearing),
  errors: ["ClearingBookmarkNotFound"],
  summary: "List what the processor sent for a day",
  result: "What the processor sent.",
});

export const listOutgoingClearingsRoute = route({
  id: "listOutgoingClearings",
  api: "card",
  method: "GET",
  path: "clearing/bookmarks/{bookmarkId}/outgoing",
  params: bookmarkParams,
  role: "Card.Read",
  ok: listOf(OutgoingClearing),
  errors: ["ClearingBookmarkNotFound"],
  summary: "List the caller's own clearings of a day",
  result: "The caller's own clearings of the day.",
  description: "None of a type of which the affiliate had no record.",
});

const deletion = {
  api: "card",
  method: "DELETE",
  role: "Clearing.Write",
  ok: { status: 200, schema: OutgoingClearing },
} as const;

const deletionErrors = [
  "ClearingBookmarkNotFound",
  "ClearingFileNotFound",
  "ClearingBookmarkStatusInvalid",
  "ClearingFileAlreadyDelivered",
] as const;

export const deleteIncomingClearingRoute = route({
  ...deletion,
  id: "deleteIncomingClearing",
  path: "clearing/bookmarks/{bookmarkId}/incoming/{incomingClearingId}",
  params: { ...bookmarkParams, incomingClearingId: Identifier },
  errors: deletionErrors,
  summary: "Delete an incoming clearing with its file",
  result: "The clearing was deleted: what it was.",
  description:
    "While the clearing rests or is Failed. What it held waits for a clearing again, and the outgoing " +
    "clearings that were made of it go with it. Answers what it was as an outgoing clearing without affiliate.",
});

export const deleteOutgoingClearingRoute = route({
  ...deletion,
  id: "deleteOutgoingClearing",
  path: "clearing/bookmarks/{bookmarkId}/outgoing/{outgoingClearingId}",
  params: { ...bookmarkParams, outgoingClearingId: Identifier },
  errors: [...deletionErrors, "AccountOfAnotherAffiliate"],
  summary: "Delete an outgoing clearing with its file",
  result: "The clearing was deleted: what it was.",
  description:
    "While the clearing rests or is Failed. It is made anew when the clearing is queued or exported again.",
});
