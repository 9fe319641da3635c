/** Finds the entity locks that an orchestration asked for and has not given back. */
import { z } from "zod";
import { eventCode, type HistoryEvent } from "../protocol/protocol.js";

const LockRequest = z.object({ lockset: z.array(z.string()).optional() });

export const locksToRelease = (history: readonly HistoryEvent[]): string[] => {
  const held = new Set<string>();
  for (const event of history) {
    if (event.EventType !== eventCode.EventSent) continue;
    if (event.Name === "release") held.delete(event.InstanceId ?? "");
    if (event.Name !== "op" || event.Input?.includes('"lockset"') !== true) continue;
    const request = LockRequest.safeParse(JSON.parse(event.Input));
    for (const entity of request.data?.lockset ?? []) held.add(entity);
  }
  return [...held];
};
