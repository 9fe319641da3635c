/** What the card processor says, on a database: accounts and cards once, in every state of their neighbours. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type {
  AccountOpened,
  CardIssued,
} from "../../../shared/contracts/card/processor-messages.js";
import { Account, Address, Card } from "../../../shared/contracts/card/fields.js";
import {
  issueCard as hearOfCard,
  openCardAccount,
} from "../../../shared/database/card/processor-events.js";
import { cardStatuses, type CardStatus } from "../../../shared/domain/card/statuses.js";
import { issueCard, openAccount } from "../../support/card/cards.js";
import { openWalletTest, type WalletTest } from "../../support/wallet/wallet-fixtures.js";

let cards: WalletTest;
beforeAll(async () => {
  cards = await openWalletTest();
});
afterAll(() => cards.end());

const opened = (change: Partial<AccountOpened> = {}): AccountOpened => ({
  ...{ eventId: randomUUID(), kind: "accountOpened", affiliate: "acme" },
  ...{ accountId: randomUUID(), addressId: randomUUID(), customerId: randomUUID() },
  ...{ firstName: "Anna", lastName: "Verdi" },
  address: {
    ...{ type: "Work", countryCode: "ITA", line1: "Via Larga 2", line2: null, line3: null },
    ...{ city: "Milano", postOffice: null, zipCode: "20122", province: "MI" },
    externalReference: "hq",
  },
  ...change,
});

const Kept = z.object({
  account: Account,
  address: Address,
  changes: z.int(),
  told: z.int(),
  audited: z.int(),
});
const kept = ({ accountId, addressId }: AccountOpened) =>
  cards.database.row(
    Kept,
    `select borsello.card_account_record(a) as account, borsello.card_address_record(d) as address,
       (select count(*)::int from borsello.card_state_change as s
        where s.account_id = a.account_id and to_status = 'ACTIVE' and from_status is null) as changes,
       (select count(*)::int from borsello.outbox where session_id = $1) as told,
       (select count(*)::int from borsello.audit where entity_id = $1) as audited
     from borsello.card_account as a join borsello.card_address as d using (account_id)
     where a.account_id = $1::uuid and d.address_id = $2`,
    [accountId, addressId],
  );

describe("an account that the processor opens", () => {
  test("is there with its address, twelve digits of its own and one record of its state", async () => {
    const event = opened();
    expect(await openCardAccount(cards.database, event)).toBe("opened");
    const { account, address, ...rest } = Kept.parse(await kept(event));
    expect(rest).toEqual({ changes: 1, told: 0, audited: 1 });
    expect(account).toMatchObject({
      ...{ customerId: event.customerId, status: "ACTIVE", type: "CHARGE", lockLevel: null },
      ...{ cardProcessorReference: event.accountId, externalReference: null },
      cardProcessorData: { id: event.accountId, currency: "EUR", status: "ACTIVE" },
    });
    expect(account.accountNumber).toMatch(/^\d{12}$/);
    expect(account.cardProcessorData.accountNumber).toBe(account.accountNumber);
    expect(address).toMatchObject(event.address);
    expect(address.cardProcessorData).toMatchObject({ id: event.addressId, city: "Milano" });
  });

  test("is opened once, however often it is told and by how many at once", async () => {
    const event = opened();
    const told = await Promise.all(
      Array.from({ length: 4 }, () => openCardAccount(cards.database, event)),
    );
    expect(told.sort()).toEqual(["opened", "repeated", "repeated", "repeated"]);
    expect(await kept(event)).toMatchObject({ changes: 1, audited: 1 });
  });

  test("is refused where it is another's, and nothing of it is kept", async () => {
    const first = opened();
    await openCardAccount(cards.database, first);
    const { accountId, addressId, customerId } = first;
    const again = (change: Partial<AccountOpened>) =>
      openCardAccount(cards.database, opened({ accountId, addressId, customerId, ...change }));
    expect(await again({})).toBe("repeated");
    expect(await again({ affiliate: "globex" })).toBe("accountReused");
    expect(await again({ customerId: randomUUID() })).toBe("accountReused");
    expect(await again({ addressId: randomUUID() })).toBe("accountReused");
    const other = opened({ addressId });
    expect(await openCardAccount(cards.database, other)).toBe("addressReused");
    expect(await kept(other)).toBeUndefined();
    const nobodys = opened({ affiliate: "nobody" });
    expect(await openCardAccount(cards.database, nobodys)).toBe("affiliateUnknown");
    expect(await kept(nobodys)).toBeUndefined();
  });
});

/** A card as it is before the processor has issued it. */
const orderedCard = async (status: CardStatus = "Active"): Promise<string> => {
  const { accountId } = await openAccount(cards.database);
  const { cardId } = await issueCard(cards.database, accountId, { status });
  await cards.database.execute(
    `update borsello.card set pan_token = null, masked_pan = null, expiry_date = null,
       card_processor_reference = null where card_id = $1`,
    [cardId],
  );
  return cardId;
};

let tokens = 0;
const issued = (cardId: string): CardIssued => ({
  ...{ eventId: randomUUID(), kind: "cardIssued", cardId, expiryDate: "2030-11-30" },
  ...{ panToken: `999999-T${(tokens += 1)}-0042`, maskedPan: "999999******0042" },
});

const Written = z.object({ record: Card, version: z.bigint() });
const cardOf = async (cardId: string) =>
  Written.parse(
    await cards.database.row(
      Written,
      "select borsello.card_record(c) as record, version from borsello.card as c where card_id = $1",
      [cardId],
    ),
  );

describe("a card that the processor has issued", () => {
  test.each(cardStatuses)("has its token, and stays %s", async (status) => {
    const cardId = await orderedCard(status);
    const before = await cardOf(cardId);
    const event = issued(cardId);
    const told = await Promise.all([1, 2, 3].map(() => hearOfCard(cards.database, event)));
    expect(told.sort()).toEqual(["issued", "repeated", "repeated"]);
    const { panToken, maskedPan, expiryDate } = event;
    const { record, version } = await cardOf(cardId);
    expect(version).toBe(before.version + 1n);
    expect(record).toMatchObject({
      ...{ status, panToken, maskedPan, expiryDate, cardProcessorReference: cardId },
      cardProcessorData: { id: cardId, panToken, maskedPan, expiryDate },
    });
    expect(Object.keys(record.cardProcessorData)).toEqual(
      Object.keys(before.record.cardProcessorData),
    );
  });

  test("keeps the token that came first, and none has another's", async () => {
    const [one, other] = [await orderedCard(), await orderedCard()];
    const event = issued(one);
    expect(await hearOfCard(cards.database, event)).toBe("issued");
    expect(await hearOfCard(cards.database, issued(one))).toBe("alreadyIssued");
    const late = { ...event, expiryDate: "2031-11-30" };
    expect(await hearOfCard(cards.database, late)).toBe("alreadyIssued");
    expect(await hearOfCard(cards.database, { ...event, cardId: other })).toBe("tokenReused");
    expect((await cardOf(other)).record.panToken).toBeNull();
    expect(await hearOfCard(cards.database, issued(randomUUID()))).toBe("cardUnknown");
  });
});
