/** The query of lists that a range of dates bounds. */
import { z } from "zod";

/** A moment in any offset. */
const Moment = z.iso.datetime({ offset: true });

export const dateRangeQuery = { fromDate: Moment.optional(), toDate: Moment.optional() } as const;
