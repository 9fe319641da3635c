/** Tells when the identity library has no token: whatever the token is for cannot be reached then. */

const names: readonly string[] = [
  "AuthenticationError",
  "AggregateAuthenticationError",
  "CredentialUnavailableError",
];

/** By name, so that the library is loaded only where it is used. */
export const isIdentityError = (error: unknown): boolean =>
  error instanceof Error && names.includes(error.name);
