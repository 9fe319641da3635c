/** The devices of a card holder, each for one way to authenticate. */

export const authenticationTypes = [
  "OobPush",
  "SmsMac",
  "SmsMacPin",
  "MobileTokenQr",
  "HardwareTokenQr",
  "MobileTokenMac",
  "HardwareTokenMac",
] as const;
export type AuthenticationType = (typeof authenticationTypes)[number];

export interface Device {
  readonly deviceId: string;
  /** What the card holder knows it by. */
  readonly displayVal: string;
  /** Null: it serves every type. */
  readonly authenticationType: AuthenticationType | null;
  /** Whether a push arrives on it. */
  readonly isReachable: boolean;
}

export const devicesOfType = (
  devices: readonly Device[],
  wanted: AuthenticationType,
): readonly Device[] =>
  devices.filter(
    ({ authenticationType }) => authenticationType === null || authenticationType === wanted,
  );
