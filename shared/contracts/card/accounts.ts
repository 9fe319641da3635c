/** Routes of card accounts (card seed, 4.1; contract 3.3). */
import { z } from "zod";
import { accountLevels, accountReasons } from "../../domain/card/statuses.js";
import { dateRangeQuery } from "../date-range.js";
import { pageErrors, pageQuery, paginated } from "../pages.js";
import { route } from "../route.js";
import { Account, accountErrors, idParams, Reference, StateChange } from "./fields.js";

const record = { status: 200, schema: Account } as const;

const ofAccount = { api: "card", params: idParams } as const;

export const getAccountRoute = route({
  ...ofAccount,
  id: "getAccount",
  method: "GET",
  path: "accounts/{id}",
  role: "Card.Read",
  ok: record,
  errors: accountErrors,
  summary: "Get an account",
  result: "The account as it is now.",
});

export const UpdateAccountBody = z.strictObject({ externalReference: Reference });
export type AccountUpdate = z.output<typeof UpdateAccountBody>;

export const updateAccountRoute = route({
  ...ofAccount,
  id: "updateAccount",
  method: "PUT",
  path: "accounts/{id}",
  body: UpdateAccountBody,
  role: "Card.Write",
  ok: record,
  errors: accountErrors,
  summary: "Set your own reference for an account",
  result: "The account with its new reference.",
  description: "Absent, null and empty are the same: it has none. In every state of the account.",
});

export const deleteAccountRoute = route({
  ...ofAccount,
  id: "deleteAccount",
  method: "DELETE",
  path: "accounts/{id}",
  query: { reasonCode: z.enum(accountReasons.delete) },
  role: "Card.Write",
  ok: record,
  errors: ["QueryParameterInvalid", "AccountStatusInvalid", ...accountErrors],
  summary: "Delete an account with its cards",
  result: "The account, now deleted, with all of its cards.",
  description:
    "For good; the record can still be read. Refused while a purchase of one of its cards is approved " +
    "and not yet presented, for at most seven days. The event AccountDeleted follows, and CardDeleted " +
    "for each card that was not deleted before.",
});

const searchedCharactersMin = 3;
const searchedCharactersMax = 255;

export const SearchAccountsBody = z.strictObject({
  accountNumber: z
    .string()
    .min(searchedCharactersMin)
    .max(searchedCharactersMax, { abort: true })
    .regex(/^\P{Cc}*$/u, "must not hold control characters")
    .describe("The number, or what it begins with."),
});

export const searchAccountsRoute = route({
  id: "searchAccounts",
  api: "card",
  method: "POST",
  path: "accounts/search",
  query: pageQuery,
  body: SearchAccountsBody,
  role: "Card.Read",
  ok: { status: 200, schema: paginated(Account) },
  errors: pageErrors,
  summary: "Find accounts by their number",
  result: "A page of the accounts that match, and how many do in all.",
  description: "The affiliate's own, in every state, the oldest first.",
});

const level = z
  .enum(accountLevels)
  .describe("Who asks for it: each may undo what those before lock.");

export const lockAccountRoute = route({
  ...ofAccount,
  id: "lockAccount",
  method: "PUT",
  path: "accounts/{id}/lock",
  query: { lockType: z.enum(accountReasons.lock), level },
  role: "Card.Write",
  ok: record,
  errors: [
    "QueryParameterInvalid",
    "AccountStatusInvalid",
    "LockLevelInsufficient",
    ...accountErrors,
  ],
  summary: "Lock an account, or lock it for another reason",
  result: "The account, now locked.",
  description:
    "Its cards keep their status and decline. A locked account is locked anew at its level or a " +
    "higher one. The event AccountLocked follows.",
});

export const unlockAccountRoute = route({
  ...ofAccount,
  id: "unlockAccount",
  method: "PUT",
  path: "accounts/{id}/unlock",
  query: { level },
  role: "Card.Write",
  ok: record,
  errors: [
    "QueryParameterInvalid",
    "AccountStatusInvalid",
    "LockLevelInsufficient",
    ...accountErrors,
  ],
  summary: "Unlock an account",
  result: "The account, active again.",
  description:
    "At the lock's level or a higher one. What was locked for another reason than a temporary one or the " +
    "user's own request needs Admin. The event AccountUnlocked follows.",
});

export const blockAccountRoute = route({
  ...ofAccount,
  id: "blockAccount",
  method: "PUT",
  path: "accounts/{id}/block",
  query: { accountBlockRequestReasonCode: z.enum(accountReasons.block) },
  role: "Card.Write",
  ok: record,
  errors: ["QueryParameterInvalid", "AccountStatusInvalid", ...accountErrors],
  summary: "Block an account for good, with its cards",
  result: "The account, now blocked, with all of its cards.",
  description:
    "Nothing unlocks it. The event AccountBlocked follows, and CardBlocked for each card that was Active " +
    "or Locked.",
});

export const getAccountHistoryRoute = route({
  ...ofAccount,
  id: "getAccountHistory",
  method: "GET",
  path: "accounts/{id}/history",
  query: { ...dateRangeQuery, ...pageQuery },
  role: "Card.Read",
  ok: { status: 200, schema: z.array(StateChange) },
  errors: [...pageErrors, "DateRangeInvalid", ...accountErrors],
  summary: "The changes of an account's state",
  result: "The changes of the account's state, the oldest first.",
  description: "The oldest first, from its opening; changes of its cards are with them.",
});
