/** How a challenge reaches a device: a port, the sandbox behind it, and nothing where there is none. */
import type { Queryable } from "../platform/database.js";

export interface Push {
  readonly threeDsId: string;
  /** Which raise of the transaction: the same one is pushed once. */
  readonly raisedVersion: bigint;
  readonly deviceId: string;
  readonly isReachable: boolean;
  /** What the card holder is asked to confirm. */
  readonly message: Readonly<Record<string, string | number | null>>;
}

/** Resolves to whether it arrived; the same push again does no harm. */
export interface PushSender {
  readonly push: (push: Push) => Promise<boolean>;
}

/** Records what it is given; it arrives unless the device is scripted otherwise. */
export const sandboxPushes = (database: Queryable): PushSender => ({
  push: async ({ threeDsId, raisedVersion, deviceId, isReachable, message }) => {
    await database.execute(
      `insert into borsello.sandbox_push
         (threeds_id, raised_version, device_id, message, is_delivered)
       values ($1, $2, $3, $4, $5) on conflict do nothing`,
      [threeDsId, raisedVersion, deviceId, JSON.stringify(message), isReachable],
    );
    return isReachable;
  },
});

/** Nobody carries pushes here, and none arrives. */
export const noPushes: PushSender = { push: () => Promise.resolve(false) };
