/** A message as the columns of its row: what the database has to know of it stands in columns of its own. */
import type { Message } from "../protocol/messages.js";

export interface MessageColumns {
  readonly id: number;
  readonly instanceId: string;
  readonly executionId: string | undefined;
  readonly dueAt: number | undefined;
  readonly type: Message["body"]["type"];
  /** Of an orchestration that waits for an entity; decides who may pass while that is locked. */
  readonly askerExecution: string | undefined;
  /** JSON text of the whole. */
  readonly body: string;
}

export const messageColumns = ({
  id,
  target,
  executionId,
  dueAt,
  body,
}: Message): MessageColumns => ({
  id,
  instanceId: target,
  executionId,
  dueAt,
  type: body.type,
  askerExecution: "parentExecution" in body ? body.parentExecution : undefined,
  body: JSON.stringify(body),
});
