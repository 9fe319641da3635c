/** When orchestrators went on, for whoever waits for it within this process. */

const waiting = new Map<string, (atMs: number) => void>();

/** Milliseconds since the epoch, with a fraction. */
export const nowMs = (): number => performance.timeOrigin + performance.now();

/** Resolves to the moment at which the instance went on. */
export const resumption = async (instanceId: string): Promise<number> =>
  new Promise((resolve) => waiting.set(instanceId, resolve));

/** Called by the orchestrator itself: not durable, and only to look at the clock. */
export const resumed = (instanceId: string): void => {
  waiting.get(instanceId)?.(nowMs());
  waiting.delete(instanceId);
};
