/** Setting and removing IBANs on a real database: one waits at a time, each change tells its flows. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { customer } from "../../../bench/platform/customers.js";
import {
  deleteIban,
  findIbanValidation,
  setIban,
} from "../../../shared/database/onboarding/ibans.js";
import { expireIbanValidation } from "../../../shared/database/onboarding/iban-validations.js";
import {
  findCurrentMandate,
  initialiseMandate,
} from "../../../shared/database/mandates/mandates.js";
import { countOf, outboxOf } from "../../support/wallet/bank-fixtures.js";
import {
  acme,
  globex,
  ibanOf,
  made,
  openValidatedWallet,
  openWallet,
  openWalletTest,
  someone,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";
import { createWallet } from "../../../shared/database/wallet/wallets.js";

let wallets: WalletTest;
beforeAll(async () => {
  wallets = await openWalletTest();
});
afterAll(() => wallets.end());

const firstIban = customer(900_001).iban;
const secondIban = customer(900_002).iban;
const thirdIban = customer(900_003).iban;

const subjects = async (walletId: string) =>
  (await outboxOf(wallets.database, walletId)).map(({ subject }) => subject);

test("an IBAN that is set waits for thirty days under a code of eight unambiguous characters", async () => {
  const { walletId } = await openWallet(wallets.database);
  const { wallet, code } = made(
    await setIban(wallets.database, acme, walletId, ibanOf(someone().iban)),
  );

  expect(code).toMatch(/^[2-9A-HJKMNP-TV-Z]{8}$/);
  expect(wallet).toMatchObject({ isIbanValidated: false, ibanValidationCode: code });
  expect(await findIbanValidation(wallets.database, walletId)).toMatchObject({
    attempt: 1,
    code,
    status: "Waiting",
    transferAmountCents: 100n,
  });
  const days = await countOf(
    wallets.database,
    `select extract(day from expires_at - requested_at)::bigint as count
     from borsello.iban_validation where wallet_id = $1`,
    [walletId],
  );
  expect(days).toBe(30);
  expect(await subjects(walletId)).toEqual(["WalletCreated", "WalletUpdated", "IbanSet"]);
});

test("setting the same IBAN again keeps its code and writes nothing", async () => {
  const { walletId } = await openWallet(wallets.database);
  const first = made(await setIban(wallets.database, acme, walletId, ibanOf(thirdIban)));
  const told = await subjects(walletId);
  expect(made(await setIban(wallets.database, acme, walletId, ibanOf(thirdIban)))).toEqual(first);
  expect(await subjects(walletId)).toEqual(told);
});

test("setting another IBAN replaces the waiting one and tells the flow of the replaced attempt", async () => {
  const { walletId, partnerKey } = await openWallet(wallets.database);
  made(await setIban(wallets.database, acme, walletId, ibanOf(firstIban)));
  const { code } = made(await setIban(wallets.database, acme, walletId, ibanOf(secondIban)));

  expect(await findIbanValidation(wallets.database, walletId)).toMatchObject({ attempt: 2, code });
  const messages = await outboxOf(wallets.database, walletId);
  expect(messages.slice(3).map(({ subject, body }) => [subject, body["attempt"]])).toEqual([
    ["WalletUpdated", undefined],
    ["IbanChanged", 1],
    ["IbanSet", 2],
    ["IbanValidationFailed", undefined],
  ]);
  expect(messages.at(-2)).toMatchObject({
    destinations: ["platform-events"],
    body: { walletId, partnerKey, attempt: 2 },
  });
});

test("twelve IBANs set at once leave one validation waiting, and it is the wallet's own", async () => {
  const { walletId } = await openWallet(wallets.database);
  await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      setIban(wallets.database, acme, walletId, ibanOf(customer(910_000 + index).iban)),
    ),
  );
  const agreeing = await countOf(
    wallets.database,
    `select count(*) from borsello.iban_validation as v join borsello.wallet as w using (wallet_id)
     where wallet_id = $1 and v.status = 'Waiting' and v.iban = w.iban
       and v.code = w.iban_validation_code and attempt = 12`,
    [walletId],
  );
  expect(agreeing).toBe(1);
});

test("an IBAN belongs to one wallet of a partner, and may belong to another partner's too", async () => {
  const { iban } = someone();
  const [first, second] = [await openWallet(wallets.database), await openWallet(wallets.database)];
  const outcomes = await Promise.all(
    [first, second].map(({ walletId }) => setIban(wallets.database, acme, walletId, ibanOf(iban))),
  );
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
  expect(outcomes.find(({ ok }) => !ok)).toMatchObject({
    code: "IbanAlreadyAssociated",
    properties: { iban },
  });

  const elsewhere = made(
    await createWallet(wallets.database, globex, {
      ...someone().owner,
      originatingDealerKey: "dealer-turin",
    }),
  );
  const set = await setIban(wallets.database, globex, elsewhere.walletId, ibanOf(iban));
  expect(set.ok).toBe(true);
});

test("removing an IBAN clears it, ends its validation and sends WalletIbanDeleted", async () => {
  const { walletId } = await openWallet(wallets.database);
  made(await setIban(wallets.database, acme, walletId, ibanOf(someone().iban)));
  const wallet = made(await deleteIban(wallets.database, acme, walletId));

  expect(wallet).toMatchObject({
    iban: null,
    bic: null,
    isIbanValidated: false,
    ibanValidationCode: null,
  });
  expect((await subjects(walletId)).slice(-3)).toEqual([
    "WalletIbanDeleted",
    "IbanChanged",
    "IbanValidationFailed",
  ]);
  expect(await findIbanValidation(wallets.database, walletId)).toMatchObject({
    status: "Replaced",
  });
  expect(await deleteIban(wallets.database, acme, walletId)).toMatchObject({ code: "IbanNotSet" });
});

test("another partner neither sets nor removes an IBAN, and nothing is written", async () => {
  const { walletId } = await openWallet(wallets.database);
  const refused = { code: "WalletOfAnotherPartner", properties: { walletId } };
  expect(await setIban(wallets.database, globex, walletId, ibanOf(someone().iban))).toMatchObject(
    refused,
  );
  expect(await deleteIban(wallets.database, globex, walletId)).toMatchObject(refused);
  expect(await subjects(walletId)).toEqual(["WalletCreated"]);
});

const ways = {
  "another IBAN": (walletId: string) =>
    setIban(wallets.database, acme, walletId, ibanOf(someone().iban)),
  "no IBAN": (walletId: string) => deleteIban(wallets.database, acme, walletId),
  "time that runs out": async (walletId: string) => {
    await wallets.database.execute(
      "update borsello.iban_validation set status = 'Waiting' where wallet_id = $1",
      [walletId],
    );
    const attempt = (await findIbanValidation(wallets.database, walletId))?.attempt ?? 0;
    expect(await expireIbanValidation(wallets.database, { walletId, attempt })).toBe(true);
  },
} as const;

const disabled = [
  ["Draft", "Cancelled"],
  ["Filled", "Cancelled"],
  ["ActivationRequested", "DisableRequested"],
  ["Active", "DisableRequested"],
  ["DisableRequested", "DisableRequested"],
  ["Rejected", "Rejected"],
] as const;

test.each(
  Object.entries(ways).flatMap(([way, run]) =>
    disabled.map(([from, to]) => ({ way, run, from, to })),
  ),
)("with $way a mandate that is $from becomes $to", async ({ run, from, to }) => {
  const { walletId } = await openValidatedWallet(wallets.database);
  const { mandateId } = made(
    await initialiseMandate(wallets.database, acme, walletId, {
      amountCents: 10_000n,
      frequency: "Monthly",
    }),
  );
  await wallets.database.execute("update borsello.mandate set status = $2 where mandate_id = $1", [
    mandateId,
    from,
  ]);
  await run(walletId);
  const found = await findCurrentMandate(wallets.database, walletId);
  expect(found?.mandate).toMatchObject({ mandateId, status: to });
});

test("the same IBAN with another BIC leaves the mandate as it is", async () => {
  const { walletId, iban } = await openValidatedWallet(wallets.database);
  const terms = { amountCents: 10_000n, frequency: "Monthly" } as const;
  made(await initialiseMandate(wallets.database, acme, walletId, terms));
  const same = { ...ibanOf(iban ?? ""), bic: "UNCRITMMXXX" };
  made(await setIban(wallets.database, acme, walletId, same));
  const found = await findCurrentMandate(wallets.database, walletId);
  expect(found?.mandate.status).toBe("Draft");
});
