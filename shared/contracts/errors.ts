/** The closed table of error codes: each code's status and its sentence. */

interface ErrorEntry {
  readonly status: number;
  /** What a caller reads when the refusal brings no sentence of its own: what is wrong and what to change. */
  readonly description: string;
}

const table = <const Table extends Record<string, ErrorEntry>>(entries: Table): Table => entries;

/** Source: contract.md section 3, "Error codes"; 404 RouteNotFound, 405, 413 and 415 are ours. */
export const errorTable = table({
  QueryParameterInvalid: {
    status: 400,
    description: "A parameter of the query or a header is not valid.",
  },
  PageSizeOutOfRange: { status: 400, description: "The parameter pageSize is out of range." },
  PageNumberOutOfRange: { status: 400, description: "The parameter pageNumber is out of range." },
  DateRangeInvalid: {
    status: 400,
    description: "The parameters fromDate and toDate are not a valid range.",
  },
  SearchParameterInvalid: { status: 400, description: "The search parameters are not valid." },
  FlowTypeInvalid: { status: 400, description: "The flow has no such type." },
  BodyIncomplete: { status: 400, description: "The body broke off before its end: send it again." },
  IdentifierInvalid: { status: 400, description: "A parameter in the path is not valid." },
  EmailAlreadyInUse: {
    status: 400,
    description: "Another wallet of the partner uses this e-mail.",
  },
  TaxIdInvalid: { status: 400, description: "The tax id is not a valid codice fiscale." },
  TaxIdAlreadyAssociated: {
    status: 400,
    description: "Another wallet of the partner has this tax id.",
  },
  NamesDoNotMatchTaxId: {
    status: 400,
    description: "First and last name do not match the tax id.",
  },
  PhoneNumberInvalid: { status: 400, description: "The phone number is not valid." },
  IbanInvalid: {
    status: 400,
    description: "The IBAN is not valid, or not of a SEPA country: correct it.",
  },
  BicRequired: { status: 400, description: "An IBAN from outside Italy needs its BIC." },
  BicInvalid: {
    status: 400,
    description: "The BIC is of another country than the IBAN: send the BIC of the IBAN's bank.",
  },
  IbanAlreadyAssociated: {
    status: 400,
    description: "Another wallet of the partner has this IBAN.",
  },
  IbanNotSet: { status: 400, description: "The wallet has no IBAN: set one first." },
  IbanNotValidated: {
    status: 400,
    description: "The wallet's IBAN is not validated yet: follow its SCT instructions first.",
  },
  SedaMandatePresent: {
    status: 400,
    description: "The wallet has a SEDA mandate that is draft or active: disable it first.",
  },
  WalletNotActive: { status: 400, description: "The wallet is not active." },
  WalletNotSuspended: { status: 400, description: "The wallet is not suspended." },
  WalletNotClosed: { status: 400, description: "The wallet is not closed." },
  WalletBalanceNotZero: {
    status: 400,
    description: "The wallet still holds funds: pay them out before it is closed.",
  },
  ActivationFlowNotEnabled: {
    status: 400,
    description: "The contract activation flow is not enabled for this partner.",
  },
  ContractNotSigned: { status: 400, description: "The contract is not signed yet." },
  OperationNotAllowedInEnvironment: {
    status: 400,
    description: "This operation is not allowed in this environment.",
  },
  StoreCodeAlreadyPresent: {
    status: 400,
    description: "Another store of the dealer has this code.",
  },
  StoreHasPendingReconciliations: {
    status: 400,
    description: "Money that moved at the store is not settled yet: delete the store later.",
  },
  StoreOwnerDataMissing: {
    status: 400,
    description: "A store's mandate needs its owner's name and a sound IBAN: update the store.",
  },
  MandateStatusInvalid: { status: 400, description: "The mandate's status does not allow this." },
  MandateAlreadyPresent: { status: 400, description: "The wallet already has an open mandate." },
  DepositDateOnWeekend: {
    status: 400,
    description: "Banks settle nothing on Saturdays and Sundays: choose a weekday.",
  },
  DepositDateNotBankDay: {
    status: 400,
    description: "Banks are closed on this day: choose another one.",
  },
  DepositDateNotLater: {
    status: 400,
    description: "The next deposit can only be put off: choose a date after the present one.",
  },
  InsufficientBalance: {
    status: 400,
    description: "The wallet's available funds do not cover the operation: lower the amount.",
  },
  LimitExceeded: {
    status: 400,
    description:
      "The operation exceeds a limit of the wallet: errorProperties say which and by how much.",
  },
  FeesExceedAmount: {
    status: 400,
    description: "The fees are higher than the amount: raise the amount.",
  },
  BucketNotMatching: {
    status: 400,
    description: "The bucket holds funds of another type: name a bucket of this fundsType.",
  },
  BucketAmbiguous: {
    status: 400,
    description: "Several buckets match and none of them covers the amount alone: name a bucketId.",
  },
  BucketNotWithdrawable: {
    status: 400,
    description: "The wallet has the funds, but they may only be spent, not withdrawn.",
  },
  FundsExpired: { status: 400, description: "The funds have expired: choose another bucket." },
  FundsExpiryDateInvalid: {
    status: 400,
    description: "The date on which the funds expire lies in the past.",
  },
  StoreNotActive: { status: 400, description: "The store is not active." },
  OperationStatusInvalid: {
    status: 400,
    description: "The operation's status does not allow this.",
  },
  OperationExpired: {
    status: 400,
    description: "The operation was not confirmed in time: initialise another one.",
  },
  OperationInGroup: {
    status: 400,
    description: "The operation belongs to a group: confirm the group.",
  },
  OperationGroupStatusInvalid: {
    status: 400,
    description: "The group's status does not allow this.",
  },
  OperationGroupAlreadyPending: {
    status: 400,
    description: "The wallet has a pending group: confirm or cancel that one first.",
  },
  OperationGroupNotOfWallet: {
    status: 400,
    description: "The group belongs to another wallet.",
  },
  AttachmentEmpty: { status: 400, description: "The attachment has no bytes." },
  TokenInvalid: { status: 401, description: "The bearer token is missing, expired or not valid." },
  AuthKeyInvalid: { status: 401, description: "The AuthKey header is missing or not valid." },
  PartnerMismatch: {
    status: 403,
    description: "The partner header names another partner than the token.",
  },
  WalletOfAnotherPartner: { status: 403, description: "The wallet belongs to another partner." },
  DealerOfAnotherPartner: { status: 403, description: "The dealer belongs to another partner." },
  PermissionMissing: { status: 403, description: "The token lacks the role that this call needs." },
  ContractTemplateNotFound: {
    status: 404,
    description: "The partner has no contract template: the platform's operators set one.",
  },
  WalletNotFound: { status: 404, description: "No wallet has this identifier." },
  OperationNotFound: {
    status: 404,
    description: "The wallet has no operation of this family with this identifier.",
  },
  HarvestingNotFound: {
    status: 404,
    description: "The partner has no harvesting of this type with this identifier.",
  },
  RunNotFound: { status: 404, description: "The partner has no run with this identifier." },
  OperationGroupNotFound: { status: 404, description: "The wallet has no such group." },
  BucketNotFound: { status: 404, description: "The wallet has no bucket with this identifier." },
  TicketNotFound: { status: 404, description: "No ticket has this case number." },
  PartnerNotRegistered: {
    status: 404,
    description: "The token's partner is not registered for ticketing.",
  },
  AttachmentNotFound: { status: 404, description: "The ticket has no attachment of this id." },
  DealerNotFound: { status: 404, description: "The partner has no dealer with this key." },
  StatisticsNotFound: { status: 404, description: "There are no wallets to count yet." },
  StoreNotFound: { status: 404, description: "The dealer has no such store." },
  MandateNotFound: { status: 404, description: "There is no mandate yet: make one first." },
  DocumentNotFound: { status: 404, description: "The document does not exist." },
  InstructionsNotFound: { status: 404, description: "The wallet has no SCT instructions." },
  RouteNotFound: { status: 404, description: "No such path: see /docs." },
  MethodNotAllowed: { status: 405, description: "This path does not answer this method." },
  IdempotencyKeyInUse: {
    status: 409,
    description: "The first request with this idempotency key is in work: repeat in a moment.",
  },
  ConcurrentUpdate: {
    status: 409,
    description: "The resource was changed at the same time: read it again and repeat.",
  },
  TicketOver: {
    status: 409,
    description: "The ticket is closed, canceled or rejected: create another one.",
  },
  AttachmentsTooMany: { status: 409, description: "The ticket takes no more attachments." },
  AttachmentTooLarge: { status: 413, description: "The attachment is too large." },
  PayloadTooLarge: { status: 413, description: "The body is too large." },
  AttachmentTypeUnsupported: {
    status: 415,
    description: "The attachment is of a type that tickets do not take.",
  },
  UnsupportedMediaType: {
    status: 415,
    description: "The body's content type is not one that this call takes.",
  },
  ValidationFailed: { status: 422, description: "The body does not fit the schema." },
  TicketStatusUnknown: { status: 422, description: "The path names no status of tickets." },
  TicketTransitionInvalid: {
    status: 422,
    description: "The ticket's status does not allow this change.",
  },
  IdempotencyKeyReused: {
    status: 422,
    description: "Another request was made with this idempotency key: take a new one.",
  },
  AmountScaleInvalid: { status: 422, description: "The amount has more than two decimals." },
  RateLimitExceeded: { status: 429, description: "Too many requests: wait and repeat." },
  InternalError: { status: 500, description: "Something failed on our side; nothing was changed." },
  DependencyUnavailable: {
    status: 503,
    description: "A part of the platform is not reachable at the moment: repeat later.",
  },
});

export type ErrorCode = keyof typeof errorTable;
