/** What an entity does next with what waits for it: locks, releases and operations, in order. */
import { z } from "zod";
import type { Message, MessageBody, MessageOf } from "../protocol/messages.js";

/** Who holds an entity: one execution of an orchestration, rewound so many times. */
const Lock = z.object({
  parent: z.string(),
  parentExecution: z.string(),
  rewinds: z.number().default(0),
});
export type Lock = z.infer<typeof Lock>;

export const parseLock = (text: string): Lock => Lock.parse(JSON.parse(text));

export type Operation = Message & { readonly body: MessageOf<"operation"> };
export type LockRequest = Message & { readonly body: MessageOf<"lock"> };

const isOperation = (message: Message): message is Operation => message.body.type === "operation";
export const isLockRequest = (message: Message): message is LockRequest =>
  message.body.type === "lock";

export interface OutgoingMessage {
  readonly target: string;
  readonly executionId?: string;
  readonly body: MessageBody;
}

/** What one turn of an entity changes. */
export interface EntityTurn {
  readonly consumed: number[];
  readonly out: OutgoingMessage[];
  readonly operations: Operation[];
  lock: Lock | undefined;
}

export const lockerOf = ({ body }: LockRequest): Lock => ({
  parent: body.parent ?? "",
  parentExecution: body.parentExecution ?? "",
  rewinds: body.rewinds,
});

export const holds = (lock: Lock | undefined, body: MessageBody): boolean =>
  lock !== undefined &&
  "parent" in body &&
  body.parent === lock.parent &&
  body.parentExecution === lock.parentExecution;

export const isReady = ({ body }: Message, lock: Lock | undefined): boolean =>
  body.type === "release" || lock === undefined || (body.type !== "lock" && holds(lock, body));

/** What is given up was asked for before the orchestration was rewound again. */
const givesUp = (release: MessageOf<"release">, lock: Lock | undefined): boolean =>
  lock !== undefined && holds(lock, release) && lock.rewinds <= release.rewinds;

/** Grants the lock here, then asks the next entity of the set, or tells the asker that it has all. */
const grant = (turn: EntityTurn, request: LockRequest): void => {
  const { body } = request;
  const locker = lockerOf(request);
  turn.lock = locker;
  const next = body.lockSet[body.position + 1];
  turn.out.push(
    next === undefined
      ? {
          target: locker.parent,
          executionId: locker.parentExecution,
          body: { type: "locked", id: body.id, rewinds: body.rewinds },
        }
      : { target: next, body: { ...body, position: body.position + 1 } },
  );
};

/** Picks what can be done now, in the order of arrival: locks and releases up to the first operations, or those. */
export const planTurn = (
  inbox: readonly Message[],
  lock: Lock | undefined,
  batchMax: number,
  messagesMax: number,
): EntityTurn => {
  const turn: EntityTurn = { consumed: [], out: [], operations: [], lock };
  const waiting = [...inbox];
  for (;;) {
    const index = waiting.findIndex((message) => isReady(message, turn.lock));
    const message = waiting[index];
    if (message === undefined || turn.operations.length === batchMax) return turn;
    if (turn.consumed.length >= messagesMax) return turn;
    const { body } = message;
    if (body.type !== "operation" && turn.operations.length > 0) return turn;
    waiting.splice(index, 1);
    turn.consumed.push(message.id);
    if (isOperation(message)) turn.operations.push(message);
    if (isLockRequest(message)) grant(turn, message);
    if (body.type !== "release") continue;
    if (givesUp(body, turn.lock)) turn.lock = undefined;
    // Whoever gives up a lock that it has not got yet does not want it any more.
    const stale = waiting.filter((other) => isLockRequest(other) && givesUp(body, lockerOf(other)));
    for (const { id } of stale) {
      turn.consumed.push(id);
      waiting.splice(
        waiting.findIndex((other) => other.id === id),
        1,
      );
    }
  }
};
