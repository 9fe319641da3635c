/** Whether a command may be carried out in the state that was found: reads the table of transitions. */
import {
  refusal,
  success,
  type Outcome,
  type Refusal,
  type RefusalProperties,
} from "../outcome.js";
import { accountLevels, cardLevels, type AccountStatus, type CardStatus } from "./statuses.js";
import {
  accountTransitions,
  cardTransitions,
  conditions,
  type AccountCommand,
  type AccountTransition,
  type CardCommand,
  type CardTransition,
  type Condition,
  type Transition,
} from "./transitions.js";

/** What is known of an account or a card when it is asked to change. */
interface Found<Status extends string> {
  readonly status: Status;
  readonly statusReasonCode: string | null;
  readonly lockLevel: string | null;
}

export interface FoundAccount extends Found<AccountStatus> {
  /** Counted where the account is to be deleted. */
  readonly openHolds: number;
}
export type FoundCard = Found<CardStatus>;

/** The account of a card that is to be created. */
export interface HostAccount {
  readonly status: AccountStatus;
  readonly liveCards: number;
}

/** Live cards of one account: its block and deletion reach them all at once. */
export const cardsMax = 500;

/** The error codes of a command: where the status forbids it, and where the level does. */
export interface RefusalCodes<Code extends string> {
  readonly status: Code;
  readonly level: Code;
}

/** What conditions look at; each side has levels of its own, the highest last. */
interface Facts extends Found<string> {
  readonly level: string | null;
  readonly levels: readonly string[];
  readonly openHolds: number;
  readonly host: HostAccount;
}

const highest = "Admin";
const temporary = "Temporary";
const theHoldersOwn = "UserRequest";
const grave: readonly string[] = ["StolenCard", "IssuerRequestFraud", "IssuerRequestLegal"];

/** Undefined: it holds; else what the refusal says. */
const violations: Readonly<Record<Condition, (facts: Facts) => RefusalProperties | undefined>> = {
  lockLevel: ({ level, levels, lockLevel }) =>
    levels.indexOf(level ?? "") >= levels.indexOf(lockLevel ?? "")
      ? undefined
      : { level: "is below the lock's.", lockLevel: lockLevel ?? "" },
  accountReason: ({ level, statusReasonCode: reason }) =>
    level === highest || reason === null || reason.startsWith(temporary) || reason === theHoldersOwn
      ? undefined
      : { level: `must be ${highest}.`, statusReasonCode: reason },
  cardReason: ({ level, statusReasonCode: reason }) =>
    level === highest || reason === null || !grave.includes(reason)
      ? undefined
      : { level: `must be ${highest}.`, statusReasonCode: reason },
  noOpenHolds: ({ openHolds, status }) =>
    openHolds === 0
      ? undefined
      : {
          status,
          openHolds: `must be 0, is ${openHolds}: approved purchases wait to be presented.`,
        },
  accountTakesCards: ({ host: { status, liveCards } }) => {
    if (status !== "ACTIVE") return { status };
    return liveCards < cardsMax
      ? undefined
      : { cards: `must be less than ${cardsMax}: delete those that nobody uses.` };
  },
};

const firstViolation = <Code extends string>(
  of: readonly Condition[],
  facts: Facts,
  codes: RefusalCodes<Code>,
): Refusal<Code> | undefined => {
  for (const condition of of) {
    const violation = violations[condition](facts);
    if (violation !== undefined) return refusal(codes[conditions[condition].refusedBy], violation);
  }
  return undefined;
};

const decide = <Row extends Transition<string, string>, Code extends string>(
  table: readonly Row[],
  command: Row["command"],
  facts: Facts,
  codes: RefusalCodes<Code>,
): Outcome<Row, Code> => {
  const transition = table.find(
    (row) => row.command === command && row.from.includes(facts.status),
  );
  if (transition === undefined) return refusal(codes.status, { status: facts.status });
  return firstViolation(transition.conditions, facts, codes) ?? success(transition);
};

/** No card is to be created. */
const nothing = { openHolds: 0, host: { status: "ACTIVE", liveCards: 0 } } as const;

/** `level`: of a lock or an unlock. */
export const decideOnAccount = <Code extends string>(
  command: AccountCommand,
  found: FoundAccount,
  level: string | null,
  codes: RefusalCodes<Code>,
): Outcome<AccountTransition, Code> => {
  const facts = { ...nothing, ...found, level, levels: accountLevels };
  return decide(accountTransitions, command, facts, codes);
};

export const decideOnCard = <Code extends string>(
  command: Exclude<CardCommand, "create">,
  found: FoundCard,
  level: string | null,
  codes: RefusalCodes<Code>,
): Outcome<CardTransition, Code> => {
  const facts = { ...nothing, ...found, level, levels: cardLevels };
  return decide(cardTransitions, command, facts, codes);
};

export const decideOnNewCard = (
  host: HostAccount,
): Outcome<CardTransition, "AccountStatusInvalid"> => {
  const creation = cardTransitions.find(({ from }) => from.length === 0);
  if (creation === undefined) throw new Error("The table of transitions makes no card.");
  const found = { status: "", statusReasonCode: null, lockLevel: null };
  const facts = { ...nothing, ...found, host, level: null, levels: cardLevels };
  const codes = { status: "AccountStatusInvalid", level: "AccountStatusInvalid" } as const;
  return firstViolation(creation.conditions, facts, codes) ?? success(creation);
};
