/** The query of lists that a range of dates bounds. */
import { z } from "zod";

/** With far more decimals of a second than any clock has. */
export const dateTimeCharactersMax = 40;

/** A moment in any offset. */
export const Moment = z.iso.datetime({ offset: true }).max(dateTimeCharactersMax);

export const dateRangeQuery = { fromDate: Moment.optional(), toDate: Moment.optional() } as const;
