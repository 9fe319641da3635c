/** Who may unlock what, and that the document prints the table that the code reads. */
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import {
  decideOnAccount,
  decideOnCard,
  decideOnNewCard,
} from "../../../shared/domain/card/decisions.js";
import { isCountryCode } from "../../../shared/domain/card/countries.js";
import {
  accountLevels,
  accountReasons,
  accountStatuses,
  cardLevels,
  cardReasons,
  cardStatuses,
} from "../../../shared/domain/card/statuses.js";
import { accountTransitions, cardTransitions } from "../../../shared/domain/card/transitions.js";
import { accountTable, cardTable, unaligned } from "../../support/card/state-tables.js";

const codes = { status: "status", level: "level" } as const;

const lockedAccount = (lockLevel: string, statusReasonCode: string) =>
  ({ status: "LOCKED", lockLevel, statusReasonCode, openHolds: 0 }) as const;

/** The reasons of a lock that its own level may undo (contract 4.5). */
const undoneByAnyone = [
  "TemporaryBlockForDelinquency",
  "TemporaryBlockOnIssuerRequest",
  "TemporaryBlockForDepo",
  "TemporaryBlockForAmlKyc",
  "UserRequest",
];

describe("a locked account", () => {
  const cells = accountLevels.flatMap((lockLevel, lock) =>
    accountLevels.map((level, asked) => ({ lockLevel, level, isEnough: asked >= lock })),
  );
  test.each(cells)("of $lockLevel, asked by $level", ({ lockLevel, level, isEnough }) => {
    for (const reason of accountReasons.lock) {
      const found = lockedAccount(lockLevel, reason);
      expect(decideOnAccount("lock", found, level, codes).ok).toBe(isEnough);
      const isUndone = isEnough && (level === "Admin" || undoneByAnyone.includes(reason));
      const unlocked = decideOnAccount("unlock", found, level, codes);
      expect(unlocked.ok, reason).toBe(isUndone);
      if (!unlocked.ok) expect(unlocked.code).toBe("level");
    }
  });
});

describe("a locked card", () => {
  const cells = cardLevels.flatMap((lockLevel, lock) =>
    cardLevels.map((level, asked) => ({ lockLevel, level, isEnough: asked >= lock })),
  );
  test.each(cells)("of $lockLevel, unlocked by $level", ({ lockLevel, level, isEnough }) => {
    for (const reason of cardReasons.lock) {
      const found = { status: "Locked", lockLevel, statusReasonCode: reason } as const;
      const isGrave = ["StolenCard", "IssuerRequestFraud", "IssuerRequestLegal"].includes(reason);
      const unlocked = decideOnCard("unlock", found, level, codes);
      expect(unlocked.ok, reason).toBe(isEnough && (level === "Admin" || !isGrave));
      if (!unlocked.ok) expect(unlocked.code).toBe("level");
    }
  });
});

test("an account takes cards up to a bound", () => {
  expect(decideOnNewCard({ status: "ACTIVE", liveCards: 499 }).ok).toBe(true);
  expect(decideOnNewCard({ status: "ACTIVE", liveCards: 500 }).ok).toBe(false);
});

test("no state has two rows for one command", () => {
  const keys = [...accountTransitions, ...cardTransitions].flatMap(({ command, from, event }) =>
    from.map(
      (status) => `${event.startsWith("Account") ? "account" : "card"} ${command} ${status}`,
    ),
  );
  expect(new Set(keys).size).toBe(keys.length);
});

test("every status can be left, but for the one that ends all", () => {
  const left = new Set<string>(
    [...accountTransitions, ...cardTransitions].flatMap(({ from }) => from),
  );
  expect([...accountStatuses, ...cardStatuses].filter((status) => !left.has(status))).toEqual([
    "DELETED",
    "Deleted",
  ]);
});

test.each([
  ["Accounts", accountTable],
  ["Cards", cardTable],
] as const)("docs/cards.md prints the table of %s as the code has it", async (name, print) => {
  const text = await readFile(new URL("../../../docs/cards.md", import.meta.url), "utf8");
  const section = text.split(`### ${name}\n`)[1]?.split("\n#")[0] ?? "";
  const lines = section.split("\n").filter((line) => line.startsWith("|"));
  expect(lines.map(unaligned)).toEqual(print().map(unaligned));
});

test.each([
  ["ITA", true],
  ["DEU", true],
  ["ita", false],
  ["IT", false],
  ["XKX", false],
  ["ZZZ", false],
  ["380", false],
])("%s is a country: %s", (code, isKnown) => {
  expect(isCountryCode(code)).toBe(isKnown);
});
