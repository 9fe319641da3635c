/** Why a message is a dead letter, where its receivers look for it. */
import { types, type Typed } from "../wire/rhea.js";

/** The application properties in which receivers of dead letters find why. */
export const deadLetterChanges = (
  reason: string | undefined,
  description: string | undefined,
): Map<string, Typed> => {
  const changes = new Map<string, Typed>();
  if (reason !== undefined) changes.set("DeadLetterReason", types.wrap_string(reason));
  if (description !== undefined)
    changes.set("DeadLetterErrorDescription", types.wrap_string(description));
  return changes;
};
