/** Accounts and addresses that are opened just while somebody asks for them: on a real database. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AccountOpened } from "../../../shared/contracts/card/processor-messages.js";
import { findAccount, updateAccount } from "../../../shared/database/card/accounts.js";
import { findAddress, updateAddress } from "../../../shared/database/card/addresses.js";
import { openCardAccount } from "../../../shared/database/card/processor-events.js";
import type { Database } from "../../../shared/database/platform/database.js";
import { acme, openWalletTest, type WalletTest } from "../../support/wallet/wallet-fixtures.js";

let cards: WalletTest;
beforeAll(async () => {
  cards = await openWalletTest();
});
afterAll(() => cards.end());

const reader = { partnerKey: "acme", isOperator: false } as const;

const address: AccountOpened["address"] = {
  type: "Work",
  ...{ countryCode: "ITA", line1: "Via Roma 1", line2: null, line3: null, city: "Roma" },
  ...{ postOffice: null, zipCode: "00184", province: null, externalReference: null },
};

const opening = (): AccountOpened => ({
  kind: "accountOpened",
  ...{ eventId: randomUUID(), affiliate: "acme" },
  ...{ accountId: randomUUID(), addressId: randomUUID(), customerId: randomUUID() },
  ...{ firstName: "Anna", lastName: "Rossi", address },
});

/** Behind the first statement, the processor opens the account. */
const openedMeanwhile = (database: Database, event: AccountOpened): Database => {
  let isOpen = false;
  const thenOpen = async <Value>(answer: Promise<Value>): Promise<Value> => {
    const value = await answer;
    if (!isOpen) expect(await openCardAccount(database, event)).toBe("opened");
    isOpen = true;
    return value;
  };
  return {
    ...database,
    row: (...asked) => thenOpen(database.row(...asked)),
    command: (...asked) => thenOpen(database.command(...asked)),
  };
};

const unknownAccount = { ok: false, code: "AccountNotFound" };
const unknownAddress = { ok: false, code: "AddressNotFound" };

test.each([
  [
    "an account that is read",
    (database: Database, { accountId }: AccountOpened) => findAccount(database, reader, accountId),
    unknownAccount,
  ],
  [
    "an account that is updated",
    (database: Database, { accountId }: AccountOpened) =>
      updateAccount(database, acme, accountId, { externalReference: null }),
    unknownAccount,
  ],
  [
    "an address that is read",
    (database: Database, { addressId }: AccountOpened) => findAddress(database, reader, addressId),
    unknownAddress,
  ],
  [
    "an address that is updated",
    (database: Database, { addressId }: AccountOpened) =>
      updateAddress(database, acme, addressId, address),
    unknownAddress,
  ],
])("%s in the moment of its opening is unknown, then there", async (_what, ask, unknown) => {
  const { database } = cards;
  const event = opening();
  expect(await ask(openedMeanwhile(database, event), event)).toMatchObject(unknown);
  expect(await ask(database, event)).toMatchObject({ ok: true });
});
