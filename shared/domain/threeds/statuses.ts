/** The states of a 3-D Secure transaction, how it is authenticated, what raising a challenge comes to (contract 4.5, 5). */

export const threeDsStatuses = [
  "Assessed",
  "DeviceListed",
  "OobRaised",
  "Authenticated",
  "NotAuthenticated",
  "TimedOut",
] as const;
export type ThreeDsStatus = (typeof threeDsStatuses)[number];

/** Nothing follows these. */
export const resolvedStatuses = ["Authenticated", "NotAuthenticated", "TimedOut"] as const;

export const isResolved = (status: ThreeDsStatus): boolean =>
  resolvedStatuses.some((resolved) => resolved === status);

/** By what the card holder was authenticated out of band: 07 biometrics, 08 login. */
export const authMethods = ["07", "08"] as const;
export type AuthMethod = (typeof authMethods)[number];

/** What became of raising a challenge. */
export const oobStatus = {
  raised: 0,
  deviceUnknown: 1,
  deliveryFailed: 2,
  alreadyResolved: 3,
} as const;
export type OobStatus = (typeof oobStatus)[keyof typeof oobStatus];
