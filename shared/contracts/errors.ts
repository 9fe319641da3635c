/** The closed table of error codes: each code's status and its sentence. */
import { cardErrors } from "./card-errors.js";

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
    description: "A parameter of the query or a header is not valid: correct it.",
  },
  PageSizeOutOfRange: {
    status: 400,
    description: "The parameter pageSize is out of range: send 1 to 200.",
  },
  PageNumberOutOfRange: {
    status: 400,
    description: "The parameter pageNumber is out of range: count pages from 0.",
  },
  DateRangeInvalid: {
    status: 400,
    description: "The parameters fromDate and toDate are not a valid range: correct them.",
  },
  EventsForgotten: {
    status: 400,
    description:
      "Some of the events are no longer kept: begin after the number, or at the date, that is named.",
  },
  ReplayTooLarge: {
    status: 400,
    description:
      "A replay sends at most a million events: begin after a higher number, at a later date, or name types.",
  },
  SearchParameterInvalid: {
    status: 400,
    description: "The search parameters are not valid: correct them.",
  },
  FlowTypeInvalid: {
    status: 400,
    description: "The flow has no such type: send one that it has as the parameter type.",
  },
  BodyIncomplete: { status: 400, description: "The body broke off before its end: send it again." },
  IdentifierInvalid: {
    status: 400,
    description: "A parameter in the path is not valid: correct it.",
  },
  EmailAlreadyInUse: {
    status: 400,
    description: "Another wallet of the partner uses this e-mail: send another one.",
  },
  TaxIdInvalid: {
    status: 400,
    description: "The tax id is not a valid codice fiscale: correct it.",
  },
  TaxIdAlreadyAssociated: {
    status: 400,
    description: "Another wallet of the partner has this tax id: use that wallet.",
  },
  NamesDoNotMatchTaxId: {
    status: 400,
    description: "First and last name do not match the tax id: correct them.",
  },
  PhoneNumberInvalid: {
    status: 400,
    description: "The phone number is not valid: send it with its country code.",
  },
  IbanInvalid: {
    status: 400,
    description: "The IBAN is not valid, or not of a SEPA country: correct it.",
  },
  BicRequired: { status: 400, description: "An IBAN from outside Italy needs its BIC: send both." },
  BicInvalid: {
    status: 400,
    description: "The BIC is of another country than the IBAN: send the BIC of the IBAN's bank.",
  },
  IbanAlreadyAssociated: {
    status: 400,
    description: "Another wallet of the partner has this IBAN: send another one.",
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
  WalletNotActive: { status: 400, description: "The wallet is not active: reactivate it first." },
  WalletNotSuspended: {
    status: 400,
    description: "The wallet is not suspended: suspend it first.",
  },
  WalletNotClosed: { status: 400, description: "The wallet is not closed: close it first." },
  WalletBalanceNotZero: {
    status: 400,
    description: "The wallet still holds funds: pay them out before it is closed.",
  },
  ActivationFlowNotEnabled: {
    status: 400,
    description:
      "The contract activation flow is not enabled for this partner: go on without a contract.",
  },
  ContractNotSigned: { status: 400, description: "The contract is not signed yet: sign it first." },
  OperationNotAllowedInEnvironment: {
    status: 400,
    description: "This operation is not allowed in this environment: use one for tests.",
  },
  BankNotificationStatusInvalid: {
    status: 400,
    description: "The bank notification's status does not allow this: read the notification.",
  },
  BankNotificationConsumed: {
    status: 400,
    description: "All of the bank notification has been used already: nothing is left to decide.",
  },
  StoreCodeAlreadyPresent: {
    status: 400,
    description: "Another store of the dealer has this code: choose another one.",
  },
  StoreHasPendingReconciliations: {
    status: 400,
    description: "Money that moved at the store is not settled yet: delete the store later.",
  },
  StoreOwnerDataMissing: {
    status: 400,
    description: "A store's mandate needs its owner's name and a sound IBAN: update the store.",
  },
  MandateStatusInvalid: {
    status: 400,
    description: "The mandate's status does not allow this: read the mandate.",
  },
  MandateAlreadyPresent: {
    status: 400,
    description: "The wallet or store already has an open mandate: disable that one first.",
  },
  MandateReferenceAlreadyPresent: {
    status: 400,
    description: "Another mandate of the partner has this reference: choose another one.",
  },
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
    description:
      "The wallet has the funds, but they may only be spent, not withdrawn: lower the amount.",
  },
  FundsExpired: { status: 400, description: "The funds have expired: choose another bucket." },
  FundsExpiryDateInvalid: {
    status: 400,
    description: "The date on which the funds expire lies in the past: send a later one.",
  },
  StoreNotActive: {
    status: 400,
    description: "The store is not active: activate it, or name another one.",
  },
  OperationStatusInvalid: {
    status: 400,
    description: "The operation's status does not allow this: read the operation.",
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
    description: "The group's status does not allow this: read the group.",
  },
  OperationGroupAlreadyPending: {
    status: 400,
    description: "The wallet has a pending group: confirm or cancel that one first.",
  },
  OperationGroupNotOfWallet: {
    status: 400,
    description: "The group belongs to another wallet: name one of this wallet's.",
  },
  ...cardErrors,
  AttachmentEmpty: {
    status: 400,
    description: "The attachment has no bytes: send the file as the body.",
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
  },
  WalletOfAnotherPartner: {
    status: 403,
    description: "The wallet belongs to another partner: name one of your own.",
  },
  DealerOfAnotherPartner: {
    status: 403,
    description: "The dealer belongs to another partner: name one of your own.",
  },
  EventOfAnotherPartner: {
    status: 403,
    description: "The event's partnerKey names another partner: force events of your own.",
  },
  PermissionMissing: {
    status: 403,
    description: "The token lacks the role that this call needs: call with a client that has it.",
  },
  ContractTemplateNotFound: {
    status: 404,
    description: "The partner has no contract template: the platform's operators set one.",
  },
  WalletNotFound: { status: 404, description: "No wallet has this identifier: check it." },
  OperationNotFound: {
    status: 404,
    description: "The wallet has no operation of this family with this identifier: check both.",
  },
  HarvestingNotFound: {
    status: 404,
    description: "The partner has no harvesting of this type with this identifier: check both.",
  },
  BankNotificationNotFound: {
    status: 404,
    description: "The partner has no bank notification with this id: list them.",
  },
  BankStatementNotFound: {
    status: 404,
    description: "The partner has no bank statement with this identifier: check it in the list.",
  },
  RunNotFound: {
    status: 404,
    description: "The partner has no run with this identifier: check it.",
  },
  OperationGroupNotFound: {
    status: 404,
    description: "The wallet has no such group: check its identifier.",
  },
  BucketNotFound: {
    status: 404,
    description: "The wallet has no bucket with this identifier: check it.",
  },
  TicketNotFound: { status: 404, description: "No ticket has this case number: check it." },
  PartnerNotRegistered: {
    status: 404,
    description:
      "The token's partner is not registered for ticketing: ask the platform's operators.",
  },
  AttachmentNotFound: {
    status: 404,
    description: "The ticket has no attachment of this id: list its attachments.",
  },
  AuditNotFound: {
    status: 404,
    description: "Nothing was written down of such an entity of the partner: check its identifier.",
  },
  EventNotFound: {
    status: 404,
    description: "The partner's log has no event with this id: read GET /wallet/events.",
  },
  DealerNotFound: {
    status: 404,
    description: "The partner has no dealer with this key: check it.",
  },
  StatisticsNotFound: {
    status: 404,
    description: "There are no wallets to count yet: create one first.",
  },
  StoreNotFound: {
    status: 404,
    description: "The dealer has no such store: check its identifier.",
  },
  MandateNotFound: { status: 404, description: "There is no mandate yet: make one first." },
  StoreMandateNotFound: {
    status: 404,
    description: "There is no store mandate with this identifier: list the store mandates.",
  },
  DocumentNotFound: {
    status: 404,
    description: "The document does not exist: have it made first.",
  },
  InstructionsNotFound: {
    status: 404,
    description: "The wallet has no SCT instructions: set an IBAN first.",
  },
  RouteNotFound: { status: 404, description: "No such path: see /docs." },
  MethodNotAllowed: {
    status: 405,
    description: "This path does not answer this method: use one that the header Allow names.",
  },
  IdempotencyKeyInUse: {
    status: 409,
    description: "The first request with this idempotency key is in work: repeat in a moment.",
  },
  ReplaysTooMany: {
    status: 409,
    description: "Ten replays of the partner are under way: repeat when one of them has ended.",
  },
  ConcurrentUpdate: {
    status: 409,
    description: "The resource was changed at the same time: read it again and repeat.",
  },
  TicketOver: {
    status: 409,
    description: "The ticket is closed, canceled or rejected: create another one.",
  },
  AttachmentsTooMany: {
    status: 409,
    description: "The ticket takes no more attachments: create another ticket.",
  },
  AttachmentTooLarge: {
    status: 413,
    description: "The attachment is too large: send a smaller file.",
  },
  PayloadTooLarge: { status: 413, description: "The body is too large: send less." },
  AttachmentTypeUnsupported: {
    status: 415,
    description: "The attachment is of a type that tickets do not take: send another one.",
  },
  UnsupportedMediaType: {
    status: 415,
    description: "The body's content type is not one that this call takes: send another one.",
  },
  ValidationFailed: {
    status: 422,
    description: "The body does not fit the schema: correct what is named.",
  },
  TicketStatusUnknown: {
    status: 422,
    description: "The path names no status of tickets: name one that there is.",
  },
  TicketTransitionInvalid: {
    status: 422,
    description: "The ticket's status does not allow this change: read the ticket.",
  },
  IdempotencyKeyReused: {
    status: 422,
    description: "Another request was made with this idempotency key: take a new one.",
  },
  AmountScaleInvalid: {
    status: 422,
    description: "The amount has more than two decimals: round it.",
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
});

export type ErrorCode = keyof typeof errorTable;
