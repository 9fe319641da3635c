/** The states of card accounts and cards on a real database: each command in each state, and what it leaves behind. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { changeAccount, changeCard, type Given } from "../../../shared/database/card/changes.js";
import { createCard } from "../../../shared/database/card/cards.js";
import {
  accountStatuses,
  cardStatuses,
  type AccountStatus,
  type CardStatus,
} from "../../../shared/domain/card/statuses.js";
import type { AccountCommand } from "../../../shared/domain/card/transitions.js";
import { issueCard, openAccount } from "../../support/card/cards.js";
import { cardCommandOf, historyOf, stateOf } from "../../support/card/card-changes.js";
import { outboxOf } from "../../support/wallet/bank-fixtures.js";
import { envelope } from "../../support/wallet/wallet-events.js";
import {
  acme,
  auditOf,
  made,
  openWalletTest,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

let cards: WalletTest;
beforeAll(async () => {
  cards = await openWalletTest();
});
afterAll(() => cards.end());

const ofAccount = { status: "AccountStatusInvalid", level: "LockLevelInsufficient" } as const;
const ofCard = { status: "CardStatusInvalid", level: "LockLevelInsufficient" } as const;

const given = (changes: Partial<Given> = {}): Given => ({
  level: "Admin",
  reason: "IssuerRequestGeneral",
  note: null,
  ...changes,
});

/** Contract 4.5, written out once more: the status after, or the refusal. */
const accountTable: Readonly<Record<AccountStatus, Readonly<Record<AccountCommand, string>>>> = {
  ACTIVE: {
    lock: "LOCKED",
    unlock: "AccountStatusInvalid",
    block: "BLOCKED",
    delete: "DELETED",
  },
  LOCKED: { lock: "LOCKED", unlock: "ACTIVE", block: "BLOCKED", delete: "DELETED" },
  BLOCKED: {
    lock: "AccountStatusInvalid",
    unlock: "AccountStatusInvalid",
    block: "AccountStatusInvalid",
    delete: "DELETED",
  },
  DELETED: {
    lock: "AccountStatusInvalid",
    unlock: "AccountStatusInvalid",
    block: "AccountStatusInvalid",
    delete: "AccountStatusInvalid",
  },
};
const accountCells = accountStatuses.flatMap((status) =>
  (Object.entries(accountTable[status]) as [AccountCommand, string][]).map(([command, result]) => ({
    status,
    command,
    result,
  })),
);
const accountEvents = {
  lock: "AccountLocked",
  unlock: "AccountUnlocked",
  block: "AccountBlocked",
  delete: "AccountDeleted",
} as const;

/** One card in each status, named by it. */
const cardInEach = async (accountId: string) => {
  const issued = await Promise.all(
    cardStatuses.map(async (status) => {
      const { cardId } = await issueCard(cards.database, accountId, { status });
      return [status, cardId] as const;
    }),
  );
  return new Map(issued);
};

const cardsAfter: Readonly<Record<string, Readonly<Partial<Record<CardStatus, CardStatus>>>>> = {
  BLOCKED: { Active: "Blocked", Locked: "Blocked" },
  DELETED: { Active: "Deleted", Locked: "Deleted", Blocked: "Deleted", Expired: "Deleted" },
};

describe("an account", () => {
  test.each(accountCells)("that is $status: $command is $result", async (cell) => {
    const { status, command, result } = cell;
    const { database } = cards;
    const { accountId } = await openAccount(database, { status });
    const issued = await cardInEach(accountId);
    const reason = command === "unlock" ? null : "IssuerRequestGeneral";
    const outcome = await changeAccount(
      database,
      acme,
      accountId,
      command,
      given({ reason }),
      ofAccount,
    );
    if (result === "AccountStatusInvalid") {
      expect(outcome).toMatchObject({ ok: false, code: result, properties: { status } });
      expect(await outboxOf(database, accountId)).toEqual([]);
      for (const [before, cardId] of issued)
        expect(await stateOf(database, cardId)).toMatchObject({ status: before });
      return;
    }
    const account = made(outcome);
    expect(account).toMatchObject({
      status: result,
      statusReasonCode: reason,
      lockLevel: result === "LOCKED" ? "Admin" : null,
      lastUpdateDate: expect.stringMatching(/Z$/) as unknown,
    });
    const [event, told, ...more] = await outboxOf(database, accountId);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      subject: accountEvents[command],
      destinations: ["acme", "platform-events"],
    });
    expect(event?.body).toEqual({
      ...envelope(event?.messageId ?? ""),
      partnerKey: "acme",
      previousStatus: status,
      ...account,
    });
    expect(told).toMatchObject({
      destinations: ["card-processor-commands"],
      body: {
        commandId: told?.messageId,
        kind: `account${command.replace(/^./, (first) => first.toUpperCase())}`,
        affiliate: "acme",
        accountId,
        level: "Admin",
        reason,
      },
    });
    expect((await auditOf(database, accountId)).at(-1)).toEqual({
      ...{ actor: "acme-client", entity: "CardAccount", action: command, toStatus: result },
    });
    expect((await historyOf(database, accountId)).at(-1)).toEqual({
      ...{ from: status, to: result, level: "Admin", reason, note: null, actor: "acme-client" },
    });
    // Its cards go along where the account's end is theirs; else each keeps its own status.
    for (const [before, cardId] of issued) {
      const after = cardsAfter[result]?.[before];
      expect(await stateOf(database, cardId), before).toMatchObject({
        status: after ?? before,
        ...(after === undefined ? {} : { statusReasonCode: reason, lockLevel: null }),
      });
      const said = (await outboxOf(database, cardId)).map(({ subject }) => subject);
      expect(said, before).toEqual(
        after === undefined ? [] : [`Card${after}`, "CardProcessorCommand"],
      );
    }
  });

  test("is deleted once none of its purchases waits for its presentment", async () => {
    const { database } = cards;
    const { accountId } = await openAccount(database);
    const { cardId } = await issueCard(database, accountId);
    const pay = (id: string, status: string, age: string) =>
      database.execute(
        `insert into borsello.card_transaction (transaction_id, partner_key, card_id, account_id,
           customer_id, billing_cents, status, transaction_date)
         select $3, partner_key, card_id, account_id, customer_id, 100, $4,
           borsello.platform_now() - $5::interval
         from borsello.card where card_id = $1 and account_id = $2`,
        [cardId, accountId, `${id} ${cardId}`, status, age],
      );
    await pay("old", "Authorised", "8 days");
    await pay("declined", "Declined", "1 day");
    await pay("open", "Authorised", "6 days");
    const remove = () =>
      changeAccount(database, acme, accountId, "delete", given({ level: null }), ofAccount);
    expect(await remove()).toMatchObject({
      code: "AccountStatusInvalid",
      properties: { status: "ACTIVE", openHolds: expect.stringContaining("is 1") as unknown },
    });
    await database.execute(
      "update borsello.card_transaction set status = 'Presented' where transaction_id = $1",
      [`open ${cardId}`],
    );
    expect(made(await remove())).toMatchObject({ status: "DELETED" });
  });

  test("is not deleted beside a purchase that is being approved at the moment", async () => {
    const { database } = cards;
    const { accountId } = await openAccount(database);
    const { cardId } = await issueCard(database, accountId);
    const remove = () =>
      changeAccount(database, acme, accountId, "delete", given({ level: null }), ofAccount);
    const removal = await database.transaction(async (tx) => {
      await tx.execute("select from borsello.card where card_id = $1 for no key update", [cardId]);
      const removed = remove();
      await expect
        .poll(() =>
          database.row(
            z.object({ waiting: z.int() }),
            `select count(*)::integer as waiting from pg_stat_activity
             where datname = current_database() and wait_event_type = 'Lock'`,
          ),
        )
        .toEqual({ waiting: 1 });
      await tx.execute(
        `insert into borsello.card_transaction (transaction_id, partner_key, card_id, account_id,
           customer_id, billing_cents, status, transaction_date)
         select card_id::text, partner_key, card_id, account_id, customer_id, 100, 'Authorised',
           borsello.platform_now()
         from borsello.card where card_id = $1`,
        [cardId],
      );
      // In an object, since a promise that is returned would be waited for here.
      return { removed };
    });
    expect(await removal.removed).toMatchObject({ ok: false, code: "AccountStatusInvalid" });
    expect(await stateOf(database, cardId)).toMatchObject({ status: "Active" });
  });
});

type ChangeOfCard = "lock" | "unlock" | "block" | "delete";
const refused = "CardStatusInvalid";
const cardTable: Readonly<Record<CardStatus, Readonly<Record<ChangeOfCard, string>>>> = {
  Active: { lock: "Locked", unlock: refused, block: "Blocked", delete: "Deleted" },
  Locked: { lock: refused, unlock: "Active", block: "Blocked", delete: "Deleted" },
  Blocked: { lock: refused, unlock: refused, block: refused, delete: "Deleted" },
  Deleted: { lock: refused, unlock: refused, block: refused, delete: refused },
  Expired: { lock: refused, unlock: refused, block: refused, delete: "Deleted" },
};
const cardCells = cardStatuses.flatMap((status) =>
  (Object.entries(cardTable[status]) as [ChangeOfCard, string][]).map(([command, result]) => ({
    ...{ status, command, result },
  })),
);
const cardEvents = {
  lock: "CardLocked",
  unlock: "CardUnlocked",
  block: "CardBlocked",
  delete: "CardDeleted",
} as const;

describe("a card, whatever the state of its account,", () => {
  test.each(cardCells)("that is $status: $command is $result", async (cell) => {
    const { status, command, result } = cell;
    const { database } = cards;
    for (const accountStatus of accountStatuses) {
      const { accountId } = await openAccount(database, { status: accountStatus });
      const { cardId } = await issueCard(database, accountId, { status, lockLevel: "Client" });
      const reason = command === "unlock" ? null : "IssuerRequestGeneral";
      const note = "as asked";
      const asked = given({ level: "Client", reason, note });
      const outcome = await changeCard(database, acme, cardId, command, asked, ofCard);
      if (result === refused) {
        expect(outcome).toMatchObject({ ok: false, code: refused, properties: { status } });
        expect(await outboxOf(database, cardId)).toEqual([]);
        continue;
      }
      const card = made(outcome);
      expect(card).toMatchObject({
        ...{ status: result, statusReasonCode: reason },
        lockLevel: result === "Locked" ? "Client" : null,
      });
      const [event, told, ...more] = await outboxOf(database, cardId);
      expect(more).toEqual([]);
      expect(event?.subject).toBe(cardEvents[command]);
      expect(event?.body).toEqual({
        ...envelope(event?.messageId ?? ""),
        ...{ partnerKey: "acme", previousStatus: status },
        ...card,
      });
      expect(told?.body).toEqual(
        cardCommandOf(card, told, { kind: command, level: "Client", reason, note }),
      );
      expect((await historyOf(database, cardId)).at(-1)).toEqual({
        ...{ from: status, to: result, level: "Client", reason, note, actor: "acme-client" },
      });
    }
  });

  test.each(accountStatuses)("is created where that is ACTIVE alone: %s", async (status) => {
    const { database } = cards;
    const { accountId, customerId } = await openAccount(database, { status });
    const outcome = await createCard(
      database,
      acme,
      accountId,
      {
        ...{ cardHolderCustomerId: customerId, nameOnCard: "MARIO ROSSI", relationType: "Primary" },
        ...{ barCode: null, financialReference: null, externalReference: null },
      },
      "STANDARD",
    );
    if (status === "ACTIVE") expect(made(outcome)).toMatchObject({ status: "Active" });
    else expect(outcome).toMatchObject({ code: "AccountStatusInvalid", properties: { status } });
  });

  test("is locked once by twenty who ask at the same time, and the others are told its status", async () => {
    const { database } = cards;
    const { accountId } = await openAccount(database);
    const { cardId } = await issueCard(database, accountId);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () =>
        changeCard(database, acme, cardId, "lock", given({ reason: "LostCard" }), ofCard),
      ),
    );
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await outboxOf(database, cardId)).toHaveLength(2);
  });
});
