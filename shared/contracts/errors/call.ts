/** What any call may be refused with: its address, parameters, body, caller, pace and key. */
import type { ErrorEntries } from "./entry.js";

export const callErrors = {
  QueryParameterInvalid: {
    status: 400,
    description: "A parameter of the query or a header is not valid: correct it.",
    isByField: true,
  },
  PageSizeOutOfRange: {
    status: 400,
    description: "The parameter pageSize is out of range: send 1 to 200.",
    properties: { pageSize: "must be at most 200." },
  },
  PageNumberOutOfRange: {
    status: 400,
    description: "The parameter pageNumber is out of range: count pages from 0.",
    properties: { pageNumber: "must be at least 0." },
  },
  DateRangeInvalid: {
    status: 400,
    description: "The parameters fromDate and toDate are not a valid range: correct them.",
    mayHave: ["fromDate", "toDate", "from", "to"],
  },
  SearchParameterInvalid: {
    status: 400,
    description: "The search parameters are not valid: correct them.",
    isByField: true,
  },
  FlowTypeInvalid: {
    status: 400,
    description: "The flow has no such type: send one that it has as the parameter type.",
    properties: { type: "must be one of CashDeposit, Payment." },
  },
  BodyIncomplete: { status: 400, description: "The body broke off before its end: send it again." },
  IdentifierInvalid: {
    status: 400,
    description: "A parameter in the path is not valid: correct it.",
    isByField: true,
  },
  OperationNotAllowedInEnvironment: {
    status: 400,
    description: "This operation is not allowed in this environment: use one for tests.",
    mayHave: ["environment", "now"],
  },
  TokenInvalid: {
    status: 401,
    description: "The bearer token is missing, expired or not valid: get a new one.",
  },
  AuthKeyInvalid: {
    status: 401,
    description: "The AuthKey header is missing or not valid: send the partner's own.",
  },
  PartnerMismatch: {
    status: 403,
    description:
      "The partner header names another partner than the token: send the token's partner.",
    mayHave: ["Partner", "X-Affiliate", "client", "creditorIban"],
  },
  PermissionMissing: {
    status: 403,
    description: "The token lacks the role that this call needs: call with a client that has it.",
    properties: { role: "Wallet.Write" },
  },
  RouteNotFound: { status: 404, description: "No such path: see /docs." },
  RunNotFound: {
    status: 404,
    description: "The partner has no run with this identifier: check it.",
    properties: { runId: "01980d44-0b7f-7d31-a1c8-9e5b3f6d7a20" },
  },
  AuditNotFound: {
    status: 404,
    description: "Nothing was written down of such an entity of the partner: check its identifier.",
    properties: { entity: "wallet", id: "01980d3c-93a5-7cc4-8a63-5f2a8f0e1b77" },
  },
  MethodNotAllowed: {
    status: 405,
    description: "This path does not answer this method: use one that the header Allow names.",
    properties: { allow: "GET, PUT" },
  },
  IdempotencyKeyInUse: {
    status: 409,
    description: "The first request with this idempotency key is in work: repeat in a moment.",
  },
  ConcurrentUpdate: {
    status: 409,
    description: "The resource was changed at the same time: read it again and repeat.",
  },
  PayloadTooLarge: {
    status: 413,
    description: "The body is too large: send less.",
    properties: { "": "must have at most 1048576 bytes." },
  },
  UnsupportedMediaType: {
    status: 415,
    description: "The body's content type is not one that this call takes: send another one.",
    properties: { "content-type": "must be application/json." },
  },
  ValidationFailed: {
    status: 422,
    description: "The body does not fit the schema: correct what is named.",
    isByField: true,
  },
  IdempotencyKeyReused: {
    status: 422,
    description: "Another request was made with this idempotency key: take a new one.",
    mayHave: ["/id"],
  },
  AmountScaleInvalid: {
    status: 422,
    description: "The amount has more than two decimals: round it.",
    mayHave: ["amount", "billingAmount", "type", "limit"],
  },
  RateLimitExceeded: { status: 429, description: "Too many requests: wait and repeat." },
  InternalError: {
    status: 500,
    description: "Something failed on our side; nothing was changed: repeat later.",
  },
  DependencyUnavailable: {
    status: 503,
    description: "A part of the platform is not reachable at the moment: repeat later.",
  },
} as const satisfies ErrorEntries;
