/** What a flow's part of a run is: a page of what is due, or the one thing that the run is about. */
import { z } from "zod";
import { workedFlows } from "../../contracts/settlement/flows.js";
import type { Queryable } from "../platform/database.js";
import type { SettlementTerms } from "./terms.js";

export const Begun = z.object({
  runId: z.string(),
  partnerKey: z.string(),
  flow: z.enum(workedFlows),
  actor: z.string(),
  type: z.string().nullable(),
  subjectId: z.string().nullable(),
  upTo: z.date(),
  /** Of a store's collection: how much at most, and of which group; null: all that is owed. */
  amountCents: z.bigint().nullable(),
  reconciliationId: z.string().nullable(),
});
/** A run as it is worked off. */
export type BegunRun = z.output<typeof Begun>;

/** What one transaction of a run did. */
export interface RunPage {
  readonly items: number;
  readonly isLast: boolean;
  /** So long the run lets others go first before its next page: each of its items is much work. */
  readonly pauseMs?: number;
}

/** How a run of a flow is worked off: the one that it is about, or a page of all that are due. */
export interface RunWork {
  readonly subject: (
    tx: Queryable,
    run: BegunRun,
    subjectId: string,
    terms: SettlementTerms,
  ) => Promise<RunPage>;
  readonly page: (tx: Queryable, run: BegunRun, terms: SettlementTerms) => Promise<RunPage>;
}

const Taken = z.object({ taken: z.int() });

/** How many a statement took. */
export const taken = async (
  tx: Queryable,
  text: string,
  values: readonly unknown[],
): Promise<number> => (await tx.row(Taken, text, values))?.taken ?? 0;
