/**
 * What a failed orchestration has not read stays for it as long as it does: answers of entities, ends of
 * children and raised events, which nobody sends again. A rewind finds them.
 */
import type { MessageBody } from "../protocol/messages.js";
import type { RuntimeStatus } from "../protocol/protocol.js";

const types: readonly MessageBody["type"][] = ["event", "childCompleted", "childFailed"];

/** True where a message of this type stays for an instance that ended with this status. */
export const isKept = (type: MessageBody["type"], status: RuntimeStatus): boolean =>
  status === "Failed" && types.includes(type);

/** The same as a condition in SQL. An engine of before has left messages without a type. */
export const keptCondition = (status: string, type: string): string =>
  `(${status} = 'Failed' and coalesce(${type}, '') in ('${types.join("', '")}'))`;
