/** What the platform tells the card processor: a message in the outbox, in the transaction of the change. */
import type { CardCommandKind } from "../../contracts/card/processor-messages.js";
import type { Queryable } from "../platform/database.js";

export interface CardCommand {
  readonly commandId: string;
  readonly kind: CardCommandKind;
  readonly affiliate: string;
  readonly cardId: string;
}

/** The same id is the same command, however often it comes; those of a card leave one after the other. */
export const tellCardProcessor = async (
  tx: Queryable,
  { commandId, ...command }: CardCommand & Readonly<Record<string, unknown>>,
): Promise<void> => {
  await tx.execute("select borsello.tell_card_processor($1, $2, $3)", [
    commandId,
    command.cardId,
    JSON.stringify(command),
  ]);
};
