/** Fields that the ticketing API's bodies and paths share. */
import { z } from "zod";
import {
  statusOfUrl,
  ticketStatuses,
  urlForm,
  type UrlForm,
} from "../../domain/ticketing/status.js";
import { isUnsafeHtml } from "../../domain/ticketing/unsafe-html.js";

/** Kept exactly as it comes, so only what no browser would run may come; too long a text is not read. */
const safeText = (charactersMax: number) =>
  z
    .string()
    .max(charactersMax, { abort: true })
    .refine((text) => !isUnsafeHtml(text), "must not hold unsafe HTML: scripts, frames or PHP");

export const RequiredText = (charactersMax: number) =>
  safeText(charactersMax).regex(/\S/u, "must not be empty");

/** Absent and null are the same. */
export const OptionalText = (charactersMax: number) => safeText(charactersMax).nullish();

const commentCharactersMax = 4_000;

/** A comment, or what an operator says about a move. */
export const TextBody = z.strictObject({ text: RequiredText(commentCharactersMax) });

export const DateTime = z.iso.datetime();
export const NullableDateTime = DateTime.nullable();

export const TicketStatus = z.enum(ticketStatuses);

const urlForms = ticketStatuses.map(urlForm);
const noStatus = `must be one of ${urlForms.join(", ")}`;

/** Of a word that names a status: longer than any that there is. */
const wordCharactersMax = 64;

/**
 * No path is longer. Within it, a case number that nobody gave out is unknown (404) and a word that is no
 * status is invalid (422), however long they are: the interface knows no other refusal of either (seed 3).
 */
const pathCharactersMax = 8_192;

export const PathText = z.string().max(pathCharactersMax);

/** What documents say of a status in an address: the enumeration, though any case is taken. */
const enumeration = {
  type: "string",
  enum: urlForms,
  description: "In any case.",
} as const;

/** A text whose sender is told by its type which words there are; what it holds is looked at later. */
const statusWord = (charactersMax: number) =>
  z.custom<UrlForm>((text) => typeof text === "string" && text.length <= charactersMax, {
    error: noStatus,
    abort: true,
  });

/** A state as addresses write it, in any case; read as JSON writes it. */
export const UrlStatus = statusWord(wordCharactersMax)
  .transform((text, context) => {
    const status = statusOfUrl(text);
    if (status !== undefined) return status;
    context.issues.push({ code: "custom", message: noStatus, input: text });
    return z.NEVER;
  })
  .meta(enumeration);

/** The same in a path where any other word is 422 and not 400: its handler reads it by `UrlStatus`. */
export const PathStatus = statusWord(pathCharactersMax).meta(enumeration);

export const ticketTypes = ["Wallet", "Management"] as const;

export const ticketParams = { casenumber: PathText } as const;
