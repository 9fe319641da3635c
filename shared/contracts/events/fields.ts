/** Fields that payloads of events share. What can be forced is sent by callers, so each has a bound. */
import { z } from "zod";
import { centsOf } from "../../domain/money.js";
import { Identifier } from "../identifier.js";

const first = { abort: true } as const;

/** What no text may hold that is stored: the character NUL, half of a surrogate pair. */
const storable = /^[^\0\p{Cs}]*$/u;
const unstorable = "must not hold characters that no text may hold";

const text = (charactersMax: number) =>
  z.string().max(charactersMax, first).regex(storable, unstorable);

export const Text = text(255);
export const LongText = text(1_000);

/** A word out of a list to which later versions may add. */
export const Word = (values: readonly string[]) =>
  Text.min(1).describe(`One of ${values.join(", ")}.`);

export const Id = Identifier;

/** The longest spelling of a moment that anybody writes. */
const dateTimeCharactersMax = 64;
const dateCharactersMax = 10;

/** The platform's own are in UTC with milliseconds. */
export const DateTime = z.iso.datetime({ offset: true }).max(dateTimeCharactersMax);
export const CalendarDate = z.iso.date().max(dateCharactersMax);

const largestAmount = 1e11;

/** Euro; of what a wallet holds it may be below zero. */
export const Money = z
  .number()
  .min(-largestAmount)
  .max(largestAmount)
  .refine((amount) => centsOf(amount) !== undefined, { error: "must have at most two decimals" });

const feesMax = 1_000;

export const Fees = z
  .array(
    z.strictObject({
      amount: Money,
      beneficiary: Text.describe("The account that receives the fee."),
      debtor: Text.describe("The account that pays it."),
    }),
  )
  .max(feesMax);

const tagsBytesMax = 4 * 1024;

export const Tags = z
  .record(text(255), text(255))
  .refine(
    (tags) => Buffer.byteLength(JSON.stringify(tags)) <= tagsBytesMax,
    `must have at most ${tagsBytesMax} bytes as JSON`,
  )
  .describe(`At most ${tagsBytesMax} bytes as JSON in UTF-8, without white space.`);

export const PartnerKey = Text.min(1).describe("The partner's name.");

/** Null where there is none. */
export const orNull = <Schema extends z.ZodType>(schema: Schema) => schema.nullable();
