/** Cards are created, their references set, accounts found, cards expired: on a real database. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { expireAllCards } from "../../../functions/schedule/card-expiry.js";
import type { NewCard } from "../../../shared/contracts/card/cards.js";
import {
  findAccount,
  searchAccounts,
  updateAccount,
} from "../../../shared/database/card/accounts.js";
import { findAddress, updateAddress } from "../../../shared/database/card/addresses.js";
import { createCard, updateCard } from "../../../shared/database/card/cards.js";
import { moveSandboxClock } from "../../../shared/database/sandbox/clock.js";
import { cardsMax } from "../../../shared/domain/card/decisions.js";
import { historyOf, stateOf } from "../../support/card/card-changes.js";
import { issueCard, openAccount } from "../../support/card/cards.js";
import { outboxOf } from "../../support/wallet/bank-fixtures.js";
import { envelope } from "../../support/wallet/wallet-events.js";
import {
  acme,
  globex,
  made,
  openWalletTest,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

let cards: WalletTest;
beforeAll(async () => {
  cards = await openWalletTest();
});
afterAll(() => cards.end());

const reader = { partnerKey: "acme", isOperator: false } as const;
const holder = "01980d1f-0a1b-7c2d-8e3f-4a5b6c7d8e90";

const newCard = (changes: Partial<NewCard> = {}): NewCard => ({
  cardHolderCustomerId: holder,
  nameOnCard: "MARIO ROSSI",
  barCode: null,
  financialReference: "wallet 1",
  externalReference: "ours",
  relationType: "Supplementary",
  ...changes,
});

test("a customer may have any UUID's shape, as whoever opens accounts and orders cards may give it", async () => {
  const { database } = cards;
  const customerId = "11111111-1111-1111-1111-111111111111";
  const { accountId } = await openAccount(database, { customerId });
  expect(made(await findAccount(database, reader, accountId))).toMatchObject({ customerId });
  const ordered = newCard({ cardHolderCustomerId: customerId });
  expect(made(await createCard(database, acme, accountId, ordered, "GOLD"))).toMatchObject({
    customerId,
  });
});

test("a new card is Active, has an event and a command to issue it, and no number yet", async () => {
  const { database } = cards;
  const { accountId } = await openAccount(database);
  const card = made(await createCard(database, acme, accountId, newCard(), "GOLD"));
  expect(card).toMatchObject({
    ...{ accountId, customerId: holder, nameOnCard: "MARIO ROSSI", productCode: "GOLD" },
    ...{ barCode: null, financialReference: "wallet 1", externalReference: "ours" },
    ...{ status: "Active", statusReasonCode: null, lockLevel: null, lastUpdateDate: null },
    ...{ panToken: null, maskedPan: null, expiryDate: null, cardProcessorReference: null },
    cardProcessorData: {
      ...{ id: null, sourceId: card.cardId, accountSourceId: accountId, productCode: "GOLD" },
      ...{ customerSourceId: holder, relationType: "Supplementary", status: null },
    },
  });
  const [event, told, ...more] = await outboxOf(database, card.cardId);
  expect(more).toEqual([]);
  expect(event?.body).toEqual({
    ...envelope(event?.messageId ?? ""),
    ...{ partnerKey: "acme", previousStatus: null },
    ...card,
  });
  expect(told).toMatchObject({ destinations: ["card-processor-commands"] });
  expect(told?.body).toEqual({
    ...{ commandId: told?.messageId, kind: "issue", affiliate: "acme", cardId: card.cardId },
    ...{ accountId, customerId: holder, relationType: "Supplementary", productCode: "GOLD" },
    ...{ nameOnCard: "MARIO ROSSI", barCode: null, financialReference: "wallet 1" },
    ...{ externalReference: "ours", requestedAt: card.creationDate },
  });
  expect(await historyOf(database, card.cardId)).toEqual([
    { from: null, to: "Active", level: null, reason: null, note: null, actor: "acme-client" },
  ]);
});

test("a card is created by its customer, who has one account that is not deleted", async () => {
  const { database } = cards;
  const { accountId, customerId } = await openAccount(database);
  await openAccount(database, { customerId, status: "DELETED" });
  await openAccount(database, { customerId, partnerKey: "globex" });
  const create = () => createCard(database, acme, customerId, newCard(), "STANDARD");
  expect(made(await create())).toMatchObject({ accountId });
  await openAccount(database, { customerId });
  expect(await create()).toMatchObject({ code: "AccountAmbiguous", properties: { customerId } });
  expect(await createCard(database, globex, accountId, newCard(), "STANDARD")).toMatchObject({
    code: "AccountOfAnotherAffiliate",
  });
  expect(await createCard(database, acme, holder, newCard(), "STANDARD")).toMatchObject({
    code: "AccountNotFound",
  });
});

test("an account takes no more cards than its end can reach at once, however many ask together", async () => {
  const { database } = cards;
  const { accountId } = await openAccount(database);
  const { cardId } = await issueCard(database, accountId);
  await database.execute(
    `insert into borsello.card (account_id, partner_key, customer_id, relation_type, name_on_card,
       product_code, status, card_processor_data)
     select account_id, partner_key, customer_id, relation_type, name_on_card, product_code,
       case when n < $2 then 'Active' else 'Deleted' end, card_processor_data
     from borsello.card, generate_series(1, $2 + 10) as n where card_id = $1`,
    [cardId, cardsMax - 1],
  );
  const outcomes = await Promise.all(
    [1, 2, 3].map(() => createCard(database, acme, accountId, newCard(), "STANDARD")),
  );
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
  expect(outcomes.find(({ ok }) => !ok)).toMatchObject({
    code: "AccountStatusInvalid",
    properties: { cards: expect.stringContaining("must be less than 500") as unknown },
  });
});

test("references are set and removed, in every state; the processor is told, partners are not", async () => {
  const { database } = cards;
  const { accountId, addressId } = await openAccount(database, { status: "DELETED" });
  const { cardId } = await issueCard(database, accountId, { status: "Deleted" });
  const externalReference = "theirs";
  expect(made(await updateAccount(database, acme, accountId, { externalReference }))).toMatchObject(
    { externalReference, status: "DELETED" },
  );
  const references = { barCode: "B", financialReference: null, externalReference };
  expect(made(await updateCard(database, acme, cardId, references))).toMatchObject(references);
  const address = made(await findAddress(database, reader, addressId));
  const { type, countryCode, line1, line2, line3, city } = address;
  const { postOffice, zipCode, province } = address;
  const moved = { type, countryCode, line1, line2, line3, city, postOffice, zipCode, province };
  const update = { ...moved, line1: "Via Milano 2", province: "RM", externalReference };
  const updated = made(await updateAddress(database, acme, addressId, update));
  expect(updated).toMatchObject(update);
  expect(made(await findAddress(database, reader, addressId))).toEqual(updated);

  const told = [...(await outboxOf(database, accountId)), ...(await outboxOf(database, cardId))];
  expect(told.map(({ destinations }) => destinations)).toEqual(
    told.map(() => ["card-processor-commands"]),
  );
  const ids = told.map(({ messageId }) => ({ commandId: messageId, affiliate: "acme" }));
  expect(told.map(({ body }) => body)).toEqual([
    { ...ids[0], kind: "accountUpdate", accountId, externalReference },
    { ...ids[1], kind: "addressUpdate", addressId, accountId, ...update },
    expect.objectContaining({ ...ids[2], kind: "update", cardId, ...references }) as unknown,
  ]);
  const globexUpdate = await updateAddress(database, globex, addressId, update);
  expect(globexUpdate).toMatchObject({ code: "AccountOfAnotherAffiliate" });
});

test("accounts are found by the beginning of their number, the affiliate's own alone", async () => {
  const { database } = cards;
  const opened = await openAccount(database);
  await openAccount(database, { partnerKey: "globex" });
  const search = async (accountNumber: string, partnerKey = "acme") => {
    const by = { partnerKey, isOperator: false };
    const page = await searchAccounts(database, by, accountNumber, { pageSize: 50, pageNumber: 0 });
    return page.items.map(({ accountId }) => accountId);
  };
  expect(await search(opened.accountNumber)).toEqual([opened.accountId]);
  expect(await search(opened.accountNumber.slice(0, 4))).toContain(opened.accountId);
  expect(await search(opened.accountNumber.slice(1))).toEqual([]);
  expect(await search(opened.accountNumber, "globex")).toEqual([]);
  expect(await search("%%%")).toEqual([]);
});

// Last, since it moves the clock.
test("cards expire when their month is over in Rome, each once, whatever their number", async () => {
  const { database } = cards;
  const { accountId } = await openAccount(database);
  const until = (expiryDate: string, status: "Active" | "Locked" | "Blocked" | "Deleted") =>
    issueCard(database, accountId, { expiryDate, status });
  const due = [
    await until("2090-02-01", "Active"),
    await until("2090-02-28", "Locked"),
    await until("2090-01-31", "Blocked"),
  ];
  const kept = [await until("2090-03-01", "Active"), await until("2090-02-28", "Deleted")];
  // An hour before Rome's midnight, then at it.
  await moveSandboxClock(database, "2090-02-28T21:59:00.000Z");
  await expireAllCards({ database });
  const statuses = await Promise.all(due.map(({ cardId }) => stateOf(database, cardId)));
  expect(statuses.map((found) => found?.status)).toEqual(["Active", "Locked", "Expired"]);
  await moveSandboxClock(database, "2090-02-28T23:00:30.000Z");
  expect(await expireAllCards({ database }, 1)).toBe(2);
  expect(await expireAllCards({ database }, 1)).toBe(0);
  for (const { cardId } of due) {
    expect(await stateOf(database, cardId)).toEqual({
      ...{ status: "Expired", statusReasonCode: null, lockLevel: null },
    });
    expect((await outboxOf(database, cardId)).map(({ subject }) => subject)).toEqual([
      "CardExpired",
    ]);
    expect((await historyOf(database, cardId)).at(-1)).toMatchObject({
      ...{ to: "Expired", actor: "platform" },
    });
  }
  for (const { cardId } of kept)
    expect(await stateOf(database, cardId)).not.toMatchObject({ status: "Expired" });
});

test("sweep and search find what they look for by their indexes", async () => {
  const { database } = cards;
  const planOf = (text: string) =>
    database.transaction(async (tx) => {
      await tx.execute("set local enable_seqscan = off");
      const lines = await tx.rows(z.object({ "QUERY PLAN": z.string() }), `explain ${text}`);
      return lines.map((line) => line["QUERY PLAN"]).join("\n");
    });
  await database.execute(
    `insert into borsello.card_account (account_id, partner_key, customer_id, account_number,
       card_processor_reference, card_processor_data)
     select uuidv7(), 'acme', uuidv7(), '9' || n, n, '{}' from generate_series(1, 2000) as n`,
  );
  await database.execute("analyze borsello.card_account");
  expect(
    await planOf(
      `select card_id from borsello.card
       where status in ('Active', 'Locked', 'Blocked') and borsello.is_card_over(expiry_date)
       order by expiry_date limit 10`,
    ),
  ).toMatch(/card_to_expire[^]*Index Cond: \(expiry_date </);
  expect(
    await planOf(
      `select from borsello.card_account where partner_key = 'acme'
         and account_number >= '100' and account_number < '100' || chr(1114111)`,
    ),
  ).toMatch(/Index Cond: .*account_number >= .*account_number < /);
});
