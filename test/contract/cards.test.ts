/** Accounts, addresses and cards through HTTP: each answer as its document says, each declared refusal, each word of its enumerations. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountEndpoints } from "../../functions/card/accounts.js";
import { addressEndpoints } from "../../functions/card/addresses.js";
import { cardEndpoints } from "../../functions/card/cards.js";
import * as accounts from "../../shared/contracts/card/accounts.js";
import * as addresses from "../../shared/contracts/card/addresses.js";
import * as cards from "../../shared/contracts/card/cards.js";
import { addressTypes, relationTypes } from "../../shared/contracts/card/fields.js";
import { errorTable } from "../../shared/contracts/errors.js";
import type { Route } from "../../shared/contracts/route.js";
import type { Database } from "../../shared/database/platform/database.js";
import {
  accountLevels,
  accountReasons,
  cardLevels,
  cardReasons,
} from "../../shared/domain/card/statuses.js";
import { openCardDesk, type CardDesk } from "../support/card/card-desk.js";
import { cardCases } from "../support/card/card-refusals.js";
import { issueCard, openAccount } from "../support/card/cards.js";

let desk: CardDesk;
let database: Database;
beforeAll(async () => {
  desk = await openCardDesk();
  ({ database } = desk);
});
afterAll(() => desk.stop());

const answered = new Set<string>();

const ok: CardDesk["ok"] = async (route, call) => {
  const body = await desk.ok(route, call);
  answered.add(route.id);
  return body;
};

const note = { note: "" };

test("an account and its card are read, changed, locked, unlocked, blocked and deleted", async () => {
  const { accountId: id, addressId, customerId, accountNumber } = await openAccount(database);
  const params = { id };
  const account = await ok(accounts.getAccountRoute, { params });
  expect(account).toMatchObject({ accountId: id, customerId, accountNumber, status: "ACTIVE" });
  // Operators read every affiliate's.
  expect(await ok(accounts.getAccountRoute, { params, as: "platform" })).toEqual(account);
  const externalReference = "ours";
  expect(
    await ok(accounts.updateAccountRoute, { params, body: { externalReference } }),
  ).toMatchObject({ externalReference });
  expect(await ok(accounts.searchAccountsRoute, { body: { accountNumber } })).toMatchObject({
    ...{ totalCount: 1, limitCount: 50, items: [{ accountId: id }] },
  });

  const address = { params: { id: addressId } };
  expect(await ok(addresses.getAddressRoute, address)).toMatchObject({ countryCode: "ITA" });
  const moved = {
    ...{ type: "Work", countryCode: "DEU", line1: "Weg 1", city: "Köln", zipCode: "50667" },
    externalReference: null,
  };
  expect(await ok(addresses.updateAddressRoute, { ...address, body: moved })).toMatchObject(moved);

  const created = await ok(cards.createCardRoute, {
    params,
    body: { cardHolderCustomerId: customerId, nameOnCard: " M ROSSI ", relationType: "Primary" },
  });
  expect(created).toMatchObject({ status: "Active", nameOnCard: "M ROSSI", barCode: null });
  const { cardId } = await issueCard(database, id);
  expect(await ok(cards.listCardsRoute, { params, query: "pageSize=1" })).toMatchObject({
    ...{ totalCount: 2, limitCount: 1, items: [created] },
  });
  const card = { params: { id: cardId, cardId } };
  expect(await ok(cards.getCardRoute, card)).toMatchObject({
    cardId,
    maskedPan: expect.stringMatching(/^999999\*{6}\d{4}$/) as unknown,
  });
  expect(await ok(cards.updateCardRoute, { ...card, body: { barCode: "7" } })).toMatchObject({
    ...{ barCode: "7", externalReference: null },
  });
  const locking = "lockType=StolenCard&level=Admin";
  expect(
    await ok(cards.lockCardRoute, { ...card, query: locking, body: { note: "x".repeat(50) } }),
  ).toMatchObject({ status: "Locked", lockLevel: "Admin", statusReasonCode: "StolenCard" });
  expect(
    await ok(cards.unlockCardRoute, { ...card, query: "level=Admin", body: note }),
  ).toMatchObject({ status: "Active", lockLevel: null, statusReasonCode: null });
  const deleted = { ...card, query: "reasonCode=UserRequest" };
  expect(await ok(cards.blockCardRoute, deleted)).toMatchObject({ status: "Blocked" });
  expect(await ok(cards.deleteCardRoute, deleted)).toMatchObject({ status: "Deleted" });
  const cardHistory = await ok(cards.getCardHistoryRoute, card);
  expect(cardHistory).toMatchObject([
    { from: null, to: "Active" },
    {
      ...{ from: "Active", to: "Locked", level: "Admin", reason: "StolenCard" },
      ...{ note: "x".repeat(50), actor: "acme-client" },
    },
    { from: "Locked", to: "Active", level: "Admin", reason: null, note: "" },
    { from: "Active", to: "Blocked", level: null, reason: "UserRequest", note: null },
    { from: "Blocked", to: "Deleted" },
  ]);
  expect(
    await ok(cards.getCardHistoryRoute, { ...card, query: "pageSize=2&pageNumber=1" }),
  ).toEqual((cardHistory as unknown[]).slice(2, 4));
  const before = { ...card, query: "toDate=2020-01-01T00:00:00Z" };
  expect(await ok(cards.getCardHistoryRoute, before)).toEqual([]);

  const lock = { params, query: "lockType=UserRequest&level=CardHolder" };
  expect(await ok(accounts.lockAccountRoute, lock)).toMatchObject({ status: "LOCKED" });
  expect(
    await ok(accounts.unlockAccountRoute, { params, query: "level=CardHolder" }),
  ).toMatchObject({ status: "ACTIVE", lockLevel: null });
  const block = { params, query: "accountBlockRequestReasonCode=UserRequest" };
  expect(await ok(accounts.blockAccountRoute, block)).toMatchObject({ status: "BLOCKED" });
  const remove = { params, query: "reasonCode=PermanentBlockChargeOff" };
  expect(await ok(accounts.deleteAccountRoute, remove)).toMatchObject({
    ...{ status: "DELETED", statusReasonCode: "PermanentBlockChargeOff" },
  });
  expect(await ok(accounts.getAccountHistoryRoute, { params })).toMatchObject(
    ["ACTIVE", "LOCKED", "ACTIVE", "BLOCKED", "DELETED"].map((to) => ({ to })),
  );
});

/** A call for each word, on an account or a card of its own. */
const words: readonly (readonly [string, Route, "account" | "card", string, unknown?])[] = [
  ...accountReasons.delete.map(
    (reason) => [reason, accounts.deleteAccountRoute, "account", `reasonCode=${reason}`] as const,
  ),
  ...accountReasons.block.map(
    (reason) =>
      [
        ...([reason, accounts.blockAccountRoute, "account"] as const),
        `accountBlockRequestReasonCode=${reason}`,
      ] as const,
  ),
  ...accountReasons.lock.map(
    (reason) =>
      [
        ...([reason, accounts.lockAccountRoute, "account"] as const),
        `lockType=${reason}&level=${accountLevels[reason.length % 3] ?? ""}`,
      ] as const,
  ),
  ...cardReasons.lock.flatMap((reason) =>
    cardLevels.map(
      (level) =>
        [
          ...([`${reason} ${level}`, cards.lockCardRoute, "card"] as const),
          ...([`lockType=${reason}&level=${level}`, note] as const),
        ] as const,
    ),
  ),
  ...cardReasons.block.map(
    (reason) => [reason, cards.blockCardRoute, "card", `reasonCode=${reason}`] as const,
  ),
  ...cardReasons.delete.map(
    (reason) => [reason, cards.deleteCardRoute, "card", `reasonCode=${reason}`] as const,
  ),
];

test("every reason, lock type and level is taken where it is one, and kept", async () => {
  for (const [word, route, kind, query, body] of words) {
    const { accountId } = await openAccount(database);
    const id = kind === "account" ? accountId : (await issueCard(database, accountId)).cardId;
    const changed = await ok(route, { params: { id, cardId: id }, query, body });
    const [reason] = word.split(" ");
    expect(changed).toMatchObject({ statusReasonCode: reason });
  }
});

test("every relation of a holder and every type of address is taken", async () => {
  const { accountId, addressId, customerId } = await openAccount(database);
  for (const relationType of relationTypes)
    await ok(cards.createCardRoute, {
      params: { id: accountId },
      body: { cardHolderCustomerId: customerId, nameOnCard: "M", relationType },
    });
  for (const type of addressTypes)
    expect(
      await ok(addresses.updateAddressRoute, {
        params: { id: addressId },
        body: {
          ...{ type, countryCode: null, line1: null, city: null, zipCode: null },
          externalReference: null,
        },
      }),
    ).toMatchObject({ type, countryCode: null });
});

test.each([
  ["a country that is none", { countryCode: "ZZZ" }, "/countryCode"],
  ["a country of two letters", { countryCode: "IT" }, "/countryCode"],
  ["a field that must be named", { city: undefined }, "/city"],
  ["a type that is none", { type: "Home" }, "/type"],
])("an address with %s is 422", async (_what, change, pointer) => {
  const { addressId } = await openAccount(database);
  const answer = await desk.ask(addresses.updateAddressRoute, {
    params: { id: addressId },
    body: {
      ...{ type: "Work", countryCode: "ITA", line1: "Via Roma 1", city: "Roma", zipCode: "1" },
      ...{ externalReference: null, ...change },
    },
  });
  expect(answer).toMatchObject({
    status: 422,
    body: { errorProperties: { [pointer]: expect.any(String) as unknown } },
  });
});

const cases = [...cardCases(() => database)];

test.each(cases.map((row) => ({ ...row, id: row.route.id })))("$id: $code", async (row) => {
  const { route, given, query, body, as = "acme", code, says = {} } = row;
  const params = await given();
  const answer = await desk.ask(route, {
    ...{ params, body, as },
    ...(query === undefined ? {} : { query }),
  });
  expect([answer.status, answer.body]).toEqual([
    errorTable[code].status,
    {
      errorCode: code,
      errorDescription: errorTable[code].description,
      errorProperties: expect.objectContaining(says) as unknown,
    },
  ]);
});

const routes = [...accountEndpoints, ...addressEndpoints, ...cardEndpoints].map(
  ({ route }): Route => route,
);

test("each refusal that these routes declare has a row here", () => {
  const declared = routes.flatMap(({ id, errors }) => errors.map((code) => `${id}: ${code}`));
  const reached = new Set(cases.map(({ route, code }) => `${route.id}: ${code}`));
  expect([...reached].toSorted()).toEqual(declared.toSorted());
});

test("each of these routes has answered with success", () => {
  expect([...answered].toSorted()).toEqual(routes.map(({ id }) => id).toSorted());
});
