/** Runs a handler's change once per message: a second delivery of the message changes nothing. */
import type { Database, Queryable } from "../database/database.js";

export interface Handled<Result> {
  /** False: an earlier delivery was handled to its end. */
  readonly first: boolean;
  readonly result?: Result;
}

/** The mark and the change are one transaction, so neither can be there without the other. */
export const handleOnce = <Result>(
  database: Database,
  { handler, messageId }: { readonly handler: string; readonly messageId: string },
  change: (tx: Queryable) => Promise<Result>,
): Promise<Handled<Result>> =>
  database.transaction(async (tx) => {
    const marked = await tx.execute(
      "insert into borsello.inbox (handler, message_id) values ($1, $2) on conflict do nothing",
      [handler, messageId],
    );
    return marked === 0 ? { first: false } : { first: true, result: await change(tx) };
  });
