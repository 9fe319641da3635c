/** What a wallet's data may be, through HTTP: required fields, names, residence, account; and how it is found. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { updateWalletIbanRoute } from "../../shared/contracts/onboarding/iban.js";
import {
  createWalletRoute,
  updateWalletAttributesRoute,
  type Wallet,
} from "../../shared/contracts/wallet/wallets.js";
import { searchWalletRoute } from "../../shared/contracts/wallet/search.js";
import type { Route } from "../../shared/contracts/route.js";
import type { Database } from "../../shared/database/platform/database.js";
import {
  addressOf,
  clientOf,
  headersOf,
  openStackDatabase,
  send,
  type Answer,
} from "../support/platform/api.js";
import { checkLetter } from "../../shared/domain/wallet/check-letter.js";
import { lastMessage } from "../support/wallet/wallet-events.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";
import { openValidatedWallet, openWallet, someone } from "../support/wallet/wallet-fixtures.js";

let stack: TestStack;
let database: Database;
let token: string;
let wallet: Wallet;

beforeAll(async () => {
  stack = await startTestStack();
  database = openStackDatabase(stack);
  await database.ready();
  token = await clientOf(stack, "acme").token();
  wallet = await openWallet(database);
});

afterAll(async () => {
  await database.close();
  await stack.stop();
});

const call = (route: Route, body: object, walletId = wallet.walletId): Promise<Answer> =>
  send(stack, addressOf(route, { walletId }), {
    method: route.method,
    headers: headersOf(route, token),
    body: JSON.stringify(body),
  });

const refusedAt = (pointer: string, sentence: string) => ({
  status: 422,
  body: { errorCode: "ValidationFailed", errorProperties: { [pointer]: sentence } },
});

describe("creation", () => {
  const { owner } = someone();

  test.each(Object.keys(owner))("needs %s", async (field) => {
    const rest = Object.fromEntries(Object.entries(owner).filter(([name]) => name !== field));
    expect(await call(createWalletRoute, rest)).toMatchObject(
      refusedAt(`/${field}`, "is required: send a string."),
    );
    expect(await call(createWalletRoute, { ...rest, [field]: null })).toMatchObject(
      refusedAt(`/${field}`, "must be a string."),
    );
  });
});

describe("names", () => {
  const sentence =
    "must be letters (of any script, with accents), and besides only apostrophes, hyphens, dots and spaces.";

  test.each([
    "Mario1",
    "R0ssi",
    "Mario\u0007",
    "Mario\tLuigi",
    "Mario\u200BLuigi",
    "Mario\u202EigiuL",
    "Rossi;Bianchi",
    "<b>Rossi</b>",
    "Rossi & Figli",
    "Rossi (detto Pippo)",
    "mario@rossi",
    "Mario 😀",
    "...",
    "١٢",
  ])("%j is refused in both routes, with what a name may hold", async (name) => {
    const { owner } = someone();
    for (const field of ["firstName", "lastName"]) {
      const refused = refusedAt(`/${field}`, sentence);
      expect(await call(createWalletRoute, { ...owner, [field]: name })).toMatchObject(refused);
      const { firstName, lastName, phoneNumber } = wallet;
      const update = { firstName, lastName, phoneNumber, [field]: name };
      expect(await call(updateWalletAttributesRoute, update)).toMatchObject(refused);
    }
  });

  // What the tax id says of a name is what its Latin letters say; others have nothing to say.
  test.each([
    ["D'Angelo-Rossi", "Anna Maria", "DNGNMR82T54A372"],
    ["D’Àngelo Rossi", "Anna-Maria J.", "DNGNMR82T55A372"],
    ["Dangelo e\u0301", "ANNAMARIA", "DNGNMR82T56A372"],
    ["Лукашенко", "Ὀδυσσεύς", "XXXXXX82T57A372"],
  ])("%s %s is taken as it is", async (lastName, firstName, code) => {
    const { owner } = someone();
    const names = { lastName, firstName };
    const taxId = code + checkLetter(code);
    const answer = await call(createWalletRoute, { ...owner, ...names, taxId });
    expect(answer.body).toMatchObject(names);
  });
});

describe("the residence", () => {
  const update = (residence: object): Promise<Answer> => {
    const { firstName, lastName, phoneNumber } = wallet;
    return call(updateWalletAttributesRoute, { firstName, lastName, phoneNumber, ...residence });
  };
  const badZip = refusedAt("/zipCode", "must be five digits where the country is IT.");

  test.each(["ITA", "it", "XK", "ZZ", "UK", "I", "Italia", ""])(
    "the country %j is refused",
    async (country) => {
      expect(await update({ country })).toMatchObject(
        refusedAt(
          "/country",
          "must be a country code of ISO 3166-1 alpha-2, in upper case, such as IT.",
        ),
      );
    },
  );

  test("an Italian postal code has five digits, whichever of the two comes later", async () => {
    for (const zipCode of ["1234", "123456", "12 34", "ABCDE", "١٢٣٤٥"])
      expect(await update({ country: "IT", zipCode })).toMatchObject(badZip);
    expect(await update({ country: "GB", zipCode: "SW1A 1AA" })).toMatchObject({ status: 200 });
    expect(await update({ country: "IT" })).toMatchObject(badZip);
    expect(await update({ country: "IT", zipCode: "47121" })).toMatchObject({ status: 200 });
    expect(await update({ zipCode: "SW1A 1AA" })).toMatchObject(badZip);
    expect(await update({ city: "Forlì" })).toMatchObject({
      body: { country: "IT", zipCode: "47121", city: "Forlì" },
    });
    expect(await update({ country: null, zipCode: "SW1A 1AA" })).toMatchObject({ status: 200 });
    expect(await update({ country: null, zipCode: null })).toMatchObject({
      body: { country: null, zipCode: null },
    });
  });
});

describe("the account", () => {
  const germanIban = "DE89370400440532013000";
  const germanBic = "COBADEFF";

  test.each(["COBADE", "COBADEFFX", "COBA1EFF", "COBA-EFF"])(
    "the BIC %s has not the shape of one",
    async (bic) => {
      expect(await call(updateWalletIbanRoute, { iban: germanIban, bic })).toMatchObject(
        refusedAt("/bic", "must be a BIC of 8 or 11 characters."),
      );
    },
  );

  test("another BIC alone keeps a validation that waits, with its code", async () => {
    const { walletId } = await openWallet(database);
    const set = (bic: string) => call(updateWalletIbanRoute, { iban: germanIban, bic }, walletId);
    const first = await set(germanBic);
    expect(first).toMatchObject({ status: 200, body: { bic: germanBic } });
    const changed = await set("deutdeffxxx");
    expect(changed.body).toEqual({ ...(first.body as object), bic: "DEUTDEFFXXX" });
  });

  test("a BIC added to a validated account keeps it validated; the event tells of it", async () => {
    const owner = someone();
    const { walletId } = await openValidatedWallet(database, owner);
    const given = { iban: owner.iban, bic: "BCITITMM" };
    const answer = await call(updateWalletIbanRoute, given, walletId);
    expect(answer).toMatchObject({ status: 200, body: { ...given, isIbanValidated: true } });
    const { subject, body } = await lastMessage(database, walletId);
    expect([subject, body]).toEqual(["WalletUpdated", expect.objectContaining({ walletId })]);
  });
});

describe("searches", () => {
  test.each([
    [{ firstName: "Ànna", phoneNumber: "+393391234567" }, { firstName: "anna" }],
    [{ firstName: "Anna", phoneNumber: "+393391234567" }, { firstName: "ÀNNA" }],
    [{ firstName: "Anna", phoneNumber: "339 123 45 67" }, { phoneNumber: "+39 339 1234567" }],
    [{ firstName: "Anna", phoneNumber: "+39 339/1234567" }, { phoneNumber: "0039.339.1234567" }],
    [{ firstName: "Anna", phoneNumber: "00393391234567" }, { phoneNumber: "339-1234567" }],
    [{ firstName: "Anna", phoneNumber: "+44 20 7946 0958" }, { phoneNumber: "020 7946 0958" }],
  ])("%j is found by %j", async (data, part) => {
    const { owner } = someone();
    const taxId = `${owner.taxId.slice(0, 3)}NNA${owner.taxId.slice(6, 15)}`;
    const made = await call(createWalletRoute, {
      ...{ ...owner, ...data, taxId: taxId + checkLetter(taxId) },
    });
    expect(made.status).toBe(200);
    const found = await call(searchWalletRoute, { ...part, lastName: owner.lastName });
    expect(found.body).toMatchObject({ items: expect.arrayContaining([made.body]) as unknown });
  });
});
