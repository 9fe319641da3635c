/** A wallet's operations: list, one of them, and what became of it over time (contract 3.1) [+]. */
import { z } from "zod";
import { fundsTypes, operationStatuses, operationTypes } from "../../domain/operations/families.js";
import { dateRangeQuery } from "../date-range.js";
import type { ErrorCode } from "../errors.js";
import { Identifier } from "../identifier.js";
import { pageErrors, pageQuery, paginated } from "../pages.js";
import { route } from "../route.js";
import { DateTime, NullableDateTime, walletParams } from "../wallet/fields.js";
import { IdempotencyKey, Operation, TagFilter } from "./operations.js";

const cursorPattern = /^[\w-]{22}$/;

/** Opaque to callers: the last item's identifier in 22 characters. */
const Cursor = z
  .string()
  .max(22, { abort: true })
  .regex(cursorPattern, "must be a nextCursor of this list")
  .describe("`nextCursor` of the page before; `pageNumber` is left out then.");

const OperationPage = paginated(Operation).extend({
  nextCursor: z.string().nullable().describe("Where the next page begins; null: this is the last."),
});

const ofWallet: readonly ErrorCode[] = ["WalletOfAnotherPartner", "WalletNotFound"];

export const listOperationsRoute = route({
  id: "listOperations",
  api: "wallet",
  method: "GET",
  path: "wallets/{walletId}/operations",
  params: walletParams,
  query: {
    ...dateRangeQuery,
    type: z.enum(operationTypes).optional(),
    status: z.enum(operationStatuses).optional(),
    fundsType: z.enum(fundsTypes).optional(),
    storeId: Identifier.optional(),
    operationGroupId: Identifier.optional(),
    idempotencyKey: IdempotencyKey.optional(),
    "tag.": TagFilter,
    cursor: Cursor.optional(),
    ...pageQuery,
  },
  role: "Operation.Read",
  ok: { status: 200, schema: OperationPage },
  errors: [...pageErrors, "DateRangeInvalid", ...ofWallet],
  summary: "List the operations of a wallet",
  result: "A page of the operations, and where the next one begins.",
  description:
    "In order of creation. Every filter that is given must hold. By `cursor` a list that grows " +
    "meanwhile is read without gap or repeat, at the same cost on every page.",
});

const operationParams = { ...walletParams, operationId: Identifier } as const;

export const getOperationRoute = route({
  id: "getOperation",
  api: "wallet",
  method: "GET",
  path: "wallets/{walletId}/operations/{operationId}",
  params: operationParams,
  role: "Operation.Read",
  ok: { status: 200, schema: Operation },
  errors: [...ofWallet, "OperationNotFound"],
  summary: "Get one operation",
  result: "The operation as it is now.",
});

const Transition = z
  .object({
    from: z.enum(operationStatuses).nullable().describe("Null: it was created."),
    to: z.enum(operationStatuses),
    at: DateTime,
    actor: z.string().describe("The client that asked for it, `platform` or `bank`."),
    attempt: z.int32().describe("How many attempts at this step had failed."),
    feedback: z.string().nullable(),
    nextRetry: NullableDateTime,
  })
  .meta({ id: "OperationTransition" });
export type Transition = z.infer<typeof Transition>;

export const transitionsMax = 1_000;

export const getOperationTimelineRoute = route({
  id: "getOperationTimeline",
  api: "wallet",
  method: "GET",
  path: "wallets/{walletId}/operations/{operationId}/timeline",
  params: operationParams,
  role: "Operation.Read",
  ok: { status: 200, schema: z.array(Transition) },
  errors: [...ofWallet, "OperationNotFound"],
  summary: "The transitions of one operation, oldest first",
  result: "Every change of the operation's state, with who asked for it.",
  description: `The last ${transitionsMax} of them.`,
});
