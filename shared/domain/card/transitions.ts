/**
 * What may be done with card accounts and cards, as data (contract 4.5): the commands read it, the tests go
 * through it row by row, and docs/cards.md prints it.
 */
import type { AccountStatus, CardStatus } from "./statuses.js";

/** What must hold besides the status: what is refused for its level says so by a code of its own. */
export const conditions = {
  lockLevel: {
    refusedBy: "level",
    sentence: "the level is not below the lock's",
  },
  accountReason: {
    refusedBy: "level",
    sentence:
      "the lock's reason is one of the `Temporary…` or `UserRequest`, or the level is `Admin`",
  },
  cardReason: {
    refusedBy: "level",
    sentence:
      "the lock's reason is none of `StolenCard`, `IssuerRequestFraud`, `IssuerRequestLegal`, or the level is `Admin`",
  },
  noOpenHolds: {
    refusedBy: "status",
    sentence: "no approved purchase of its cards waits for its presentment",
  },
  accountTakesCards: {
    refusedBy: "status",
    sentence: "the account is `ACTIVE`, and has less than 500 cards that are not `Deleted`",
  },
} as const;
export type Condition = keyof typeof conditions;

/** A row of the table. */
export interface Transition<Command extends string, Status extends string> {
  readonly command: Command;
  /** Any of these; none: it is not there yet. */
  readonly from: readonly Status[];
  readonly to: Status;
  readonly conditions: readonly Condition[];
  readonly event: string;
  /** The command to the card processor; null: it knows by itself. */
  readonly told: string | null;
}

export interface AccountTransition extends Transition<AccountCommand, AccountStatus> {
  /** What is done in the same transaction with each of its cards whose status allows it. */
  readonly cards: "block" | "delete" | null;
}
export type CardTransition = Transition<CardCommand, CardStatus>;

export const accountCommands = ["lock", "unlock", "block", "delete"] as const;
export type AccountCommand = (typeof accountCommands)[number];

export const accountTransitions: readonly AccountTransition[] = [
  {
    command: "lock",
    from: ["ACTIVE"],
    to: "LOCKED",
    conditions: [],
    event: "AccountLocked",
    told: "accountLock",
    cards: null,
  },
  {
    command: "lock",
    from: ["LOCKED"],
    to: "LOCKED",
    conditions: ["lockLevel"],
    event: "AccountLocked",
    told: "accountLock",
    cards: null,
  },
  {
    command: "unlock",
    from: ["LOCKED"],
    to: "ACTIVE",
    conditions: ["lockLevel", "accountReason"],
    event: "AccountUnlocked",
    told: "accountUnlock",
    cards: null,
  },
  {
    command: "block",
    from: ["ACTIVE", "LOCKED"],
    to: "BLOCKED",
    conditions: [],
    event: "AccountBlocked",
    told: "accountBlock",
    cards: "block",
  },
  {
    command: "delete",
    from: ["ACTIVE", "LOCKED", "BLOCKED"],
    to: "DELETED",
    conditions: ["noOpenHolds"],
    event: "AccountDeleted",
    told: "accountDelete",
    cards: "delete",
  },
];

export const cardCommands = ["create", "lock", "unlock", "block", "delete", "expire"] as const;
export type CardCommand = (typeof cardCommands)[number];

export const cardTransitions: readonly CardTransition[] = [
  {
    command: "create",
    from: [],
    to: "Active",
    conditions: ["accountTakesCards"],
    event: "CardCreated",
    told: "issue",
  },
  {
    command: "lock",
    from: ["Active"],
    to: "Locked",
    conditions: [],
    event: "CardLocked",
    told: "lock",
  },
  {
    command: "unlock",
    from: ["Locked"],
    to: "Active",
    conditions: ["lockLevel", "cardReason"],
    event: "CardUnlocked",
    told: "unlock",
  },
  {
    command: "block",
    from: ["Active", "Locked"],
    to: "Blocked",
    conditions: [],
    event: "CardBlocked",
    told: "block",
  },
  {
    command: "delete",
    from: ["Active", "Locked", "Blocked", "Expired"],
    to: "Deleted",
    conditions: [],
    event: "CardDeleted",
    told: "delete",
  },
  {
    command: "expire",
    from: ["Active", "Locked", "Blocked"],
    to: "Expired",
    conditions: [],
    event: "CardExpired",
    told: null,
  },
];

/** The statuses of cards that a command of their account, or the sweep, takes along. */
export const cardsReachedBy = (command: CardCommand): readonly CardStatus[] =>
  cardTransitions.flatMap((transition) => (transition.command === command ? transition.from : []));
