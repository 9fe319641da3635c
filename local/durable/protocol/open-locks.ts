/** Finds the entity locks that an orchestration asked for and has not given back. */
import { z } from "zod";
import { eventCode, type HistoryEvent } from "./protocol.js";

const LockRequest = z.object({ id: z.string(), lockset: z.array(z.string()).optional() });

export interface OpenLock {
  readonly id: string;
  /** In the order in which they are locked. */
  readonly entities: readonly string[];
  /** False while the request is on its way. */
  readonly isGranted: boolean;
}

export const openLocks = (history: readonly HistoryEvent[]): OpenLock[] => {
  let open: OpenLock[] = [];
  for (const { EventType, Name, Input, InstanceId } of history) {
    if (EventType === eventCode.EventRaised)
      open = open.map((lock) => (lock.id === Name ? { ...lock, isGranted: true } : lock));
    if (EventType !== eventCode.EventSent) continue;
    if (Name === "release")
      open = open
        .map((lock) => ({ ...lock, entities: lock.entities.filter((id) => id !== InstanceId) }))
        .filter(({ entities }) => entities.length > 0);
    if (Name !== "op" || Input?.includes('"lockset"') !== true) continue;
    const { id, lockset } = LockRequest.parse(JSON.parse(Input));
    if (lockset !== undefined) open.push({ id, entities: lockset, isGranted: false });
  }
  return open;
};
