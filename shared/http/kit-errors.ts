/** The error codes that the kit itself gives for a route, besides those that the route declares. */
import type { ErrorCode } from "../contracts/errors.js";
import { isBinaryBody, type Route } from "../contracts/route.js";
import { accessOf, limitedKind } from "./access.js";

type Shaped = Pick<
  Route,
  "api" | "params" | "query" | "body" | "role" | "takesIdempotencyKey" | "refusedInProduction"
>;

const hasFields = (shape: object | undefined): boolean =>
  shape !== undefined && Object.keys(shape).length > 0;

export const kitErrors = (route: Shaped): ErrorCode[] => {
  const codes: ErrorCode[] = [];
  // What is open to everyone reads its parameters itself.
  if (hasFields(route.params) && route.role !== null) codes.push("IdentifierInvalid");
  if (hasFields(route.query) || route.takesIdempotencyKey === true)
    codes.push("QueryParameterInvalid");
  if (route.takesIdempotencyKey === true) codes.push("IdempotencyKeyInUse", "IdempotencyKeyReused");
  if (route.refusedInProduction === true) codes.push("OperationNotAllowedInEnvironment");
  if (route.role !== null) {
    codes.push("TokenInvalid", "PartnerMismatch", "PermissionMissing");
    if (accessOf[route.api].authKey) codes.push("AuthKeyInvalid");
  }
  if (route.body !== undefined) {
    codes.push("PayloadTooLarge", "UnsupportedMediaType");
    if (!isBinaryBody(route.body)) codes.push("ValidationFailed");
  }
  if (limitedKind(route) !== null) codes.push("RateLimitExceeded");
  return [...codes, "InternalError", "DependencyUnavailable"];
};
