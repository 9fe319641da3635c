/** Each change of identity in each state of what was proved under it, on a real database. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { receiveNotification } from "../../../shared/database/bank/notifications.js";
import { initialiseMandate } from "../../../shared/database/mandates/mandates.js";
import {
  contractDocumentKey,
  declineContract,
  findContract,
  findWantedContract,
  requestSignature,
  storeSignedContract,
} from "../../../shared/database/onboarding/contracts.js";
import { matchSct } from "../../../shared/database/onboarding/iban-validations.js";
import {
  deleteIban,
  findIbanValidation,
  setIban,
} from "../../../shared/database/onboarding/ibans.js";
import {
  findOnboarding,
  reviewOnboarding,
} from "../../../shared/database/onboarding/onboarding.js";
import { updateAttributes } from "../../../shared/database/wallet/attributes.js";
import { closeWallet, suspendWallet } from "../../../shared/database/wallet/states.js";
import { updateWallet } from "../../../shared/database/wallet/update.js";
import { findWallet } from "../../../shared/database/wallet/wallets.js";
import { sctFor } from "../../support/wallet/bank-fixtures.js";
import { otherLastName, otherTaxId } from "../../support/wallet/identities.js";
import {
  acme,
  auditOf,
  ibanOf,
  made,
  openWallet,
  openWalletTest,
  someone,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

let wallets: WalletTest;
beforeAll(async () => {
  wallets = await openWalletTest();
});
afterAll(() => wallets.end());

const collectionIban = "IT83X0999903200ACME00000001";
const reader = { ...acme, isOperator: false };

/** A wallet of somebody of their own, with or without an IBAN that a transfer has to prove. */
const open = async (
  proof: "none" | "waiting" | "validated",
  debtorName = (firstName: string, lastName: string) => `${lastName} ${firstName}`,
) => {
  const person = someone();
  const { firstName, lastName } = person.owner;
  const { walletId } = await openWallet(wallets.database, person);
  if (proof === "none") return { walletId, person };
  const { code } = made(await setIban(wallets.database, acme, walletId, ibanOf(person.iban)));
  if (proof === "waiting") return { walletId, person };
  const message = sctFor(
    { walletId, code, iban: person.iban },
    { debtorName: debtorName(firstName, lastName), creditorIban: collectionIban },
  );
  const received = await receiveNotification(wallets.database, message);
  if (received.result !== "stored") throw new Error(received.result);
  const { bankNotificationId } = received;
  const match = await matchSct(wallets.database, { walletId, attempt: 1, bankNotificationId });
  expect(match).toEqual({ result: "validated" });
  return { walletId, person };
};
type Subject = Awaited<ReturnType<typeof open>>;

const walletOf = async ({ walletId }: Subject) =>
  made(await findWallet(wallets.database, reader, walletId));
const stepsOf = async ({ walletId }: Subject) =>
  made(await findOnboarding(wallets.database, reader, walletId)).steps.map(({ status }) => status);

const rename = ({ walletId, person }: Subject, lastName: string) => {
  const { firstName, phoneNumber } = person.owner;
  return updateAttributes(wallets.database, acme, walletId, { firstName, lastName, phoneNumber });
};
const toAnother = (subject: Subject) =>
  rename(subject, otherLastName(subject.person.owner.lastName));
const toAnotherTaxId = ({ walletId, person }: Subject) => {
  const { taxId, email } = person.owner;
  return updateWallet(wallets.database, acme, walletId, { taxId: otherTaxId(taxId), email });
};

const sign = ({ walletId }: Subject) => requestSignature(wallets.database, acme, walletId);
const store = ({ walletId }: Subject, attempt = 1) =>
  storeSignedContract(wallets.database, walletId, attempt, contractDocumentKey(walletId, attempt));

describe("the IBAN", () => {
  test.each([
    ["none", false],
    ["waiting", false],
    ["validated", true],
  ] as const)("that is %s: another name asks for a new proof: %s", async (proof, isAskedAnew) => {
    const subject = await open(proof);
    const before = await walletOf(subject);
    const attempts = await findIbanValidation(wallets.database, subject.walletId);
    const answered = made(await toAnother(subject));
    expect(answered).toEqual(await walletOf(subject));
    expect(answered.isIbanValidated).toBe(false);
    expect(answered.iban).toBe(before.iban);
    expect(answered.ibanValidationCode !== before.ibanValidationCode).toBe(isAskedAnew);
    const awaited = await findIbanValidation(wallets.database, subject.walletId);
    expect(awaited?.attempt).toBe(isAskedAnew ? 2 : attempts?.attempt);
    expect(awaited?.code ?? null).toBe(answered.ibanValidationCode);
    const actions = (await auditOf(wallets.database, subject.walletId)).map(({ action }) => action);
    expect(actions.includes("invalidateIban")).toBe(isAskedAnew);
  });

  test.each<[string, (subject: Subject) => Promise<unknown>, string?]>([
    ["the same name again", (subject) => rename(subject, subject.person.owner.lastName)],
    ["capitals", (subject) => rename(subject, subject.person.owner.lastName.toUpperCase())],
    ["another tax id", toAnotherTaxId],
    [
      "another phone number alone",
      ({ walletId, person }) =>
        updateAttributes(wallets.database, acme, walletId, {
          ...person.owner,
          phoneNumber: "+393330000000",
        }),
    ],
  ])("validated stays so for %s", async (_what, change) => {
    const subject = await open("validated");
    const { ibanValidationCode } = await walletOf(subject);
    expect(await change(subject)).toMatchObject({ ok: true });
    expect(await walletOf(subject)).toMatchObject({ isIbanValidated: true, ibanValidationCode });
  });

  test("proved by a joint account stays validated for the other holder", async () => {
    const subject = await open(
      "validated",
      (first, last) => `${first} ${last} e ${first} ${otherLastName(last)}`,
    );
    expect(made(await toAnother(subject))).toMatchObject({ isIbanValidated: true });
  });
});

describe("the contract", () => {
  test("is filled with the data of the moment when its signature was asked for", async () => {
    const subject = await open("none");
    made(await sign(subject));
    const { lastName } = subject.person.owner;
    made(await toAnother(subject));
    const { walletId } = subject;
    expect(await findWantedContract(wallets.database, { walletId, attempt: 1 })).toMatchObject({
      holder: { lastName },
    });
    // While it is being sealed, nobody asks for another one.
    expect(made(await sign(subject))).toMatchObject({ status: "Signing", attempt: 1 });
    expect(await store(subject)).toBe(true);
    expect((await stepsOf(subject))[1]).toBe("Waiting");
    expect(made(await sign(subject))).toMatchObject({ status: "Signing", attempt: 2 });
    expect(await findWantedContract(wallets.database, { walletId, attempt: 2 })).toMatchObject({
      holder: { lastName: otherLastName(lastName) },
    });
  });

  test.each<[string, boolean, (subject: Subject) => Promise<unknown>]>([
    ["another name", true, toAnother],
    ["another tax id", true, toAnotherTaxId],
    [
      "another spelling",
      false,
      (subject) => rename(subject, subject.person.owner.lastName.toUpperCase()),
    ],
  ])("signed, after %s, is to be signed anew: %s", async (_what, isAskedAnew, change) => {
    const subject = await open("none");
    made(await sign(subject));
    await store(subject);
    await change(subject);
    expect((await stepsOf(subject))[1]).toBe(isAskedAnew ? "Waiting" : "Completed");
    const again = made(await sign(subject));
    expect(again.status).toBe(isAskedAnew ? "Signing" : "Signed");
    // The one of before is readable until the new one takes its place.
    expect(again.documentKey).toBe(contractDocumentKey(subject.walletId, 1));
    if (!isAskedAnew) return;
    expect(made(await declineContract(wallets.database, acme, subject.walletId))).toMatchObject({
      status: "Declined",
      documentKey: contractDocumentKey(subject.walletId, 1),
    });
    expect(made(await sign(subject))).toMatchObject({ status: "Signing", attempt: 3 });
    await store(subject, 3);
    expect(await findContract(wallets.database, subject.walletId)).toMatchObject({
      status: "Signed",
      documentKey: contractDocumentKey(subject.walletId, 3),
    });
    expect((await stepsOf(subject))[1]).toBe("Completed");
  });
});

describe("an open mandate", () => {
  const openWithMandate = async (status: string): Promise<Subject> => {
    const subject = await open("validated");
    const mandate = { amountCents: 1000n, frequency: "Monthly" } as const;
    made(await initialiseMandate(wallets.database, acme, subject.walletId, mandate));
    await wallets.database.execute("update borsello.mandate set status = $2 where wallet_id = $1", [
      subject.walletId,
      status,
    ]);
    return subject;
  };
  const mandateOf = async ({ walletId }: Subject) =>
    (
      await wallets.database.pool.query<{ status: string }>(
        "select status from borsello.mandate where wallet_id = $1",
        [walletId],
      )
    ).rows;

  test.each(["Draft", "Filled", "ActivationRequested", "Active", "DisableRequested"])(
    "that is %s forbids another tax id, and stays with another name",
    async (status) => {
      const subject = await openWithMandate(status);
      expect(await toAnotherTaxId(subject)).toMatchObject({ code: "SedaMandatePresent" });
      expect(made(await toAnother(subject))).toMatchObject({ isIbanValidated: false });
      expect(await mandateOf(subject)).toEqual([{ status }]);
    },
  );

  test.each<[string, (subject: Subject) => Promise<unknown>, string]>([
    [
      "another BIC",
      ({ walletId, person }) =>
        setIban(wallets.database, acme, walletId, { ...ibanOf(person.iban), bic: "BCITITMM" }),
      "Active",
    ],
    [
      "another IBAN",
      ({ walletId }) => setIban(wallets.database, acme, walletId, ibanOf(someone().iban)),
      "DisableRequested",
    ],
    ["no IBAN", ({ walletId }) => deleteIban(wallets.database, acme, walletId), "DisableRequested"],
  ])("that is Active: %s leaves it", async (_what, change, status) => {
    const subject = await openWithMandate("Active");
    expect(await change(subject)).toMatchObject({ ok: true });
    expect(await mandateOf(subject)).toEqual([{ status }]);
  });
});

describe("the wallet", () => {
  test("suspended takes another name, not another tax id; closed takes neither", async () => {
    const subject = await open("validated");
    made(await suspendWallet(wallets.database, acme, subject.walletId));
    expect(await toAnotherTaxId(subject)).toMatchObject({ code: "WalletNotActive" });
    expect(made(await toAnother(subject))).toMatchObject({
      status: "Suspended",
      isIbanValidated: false,
    });
    expect(await findIbanValidation(wallets.database, subject.walletId)).toMatchObject({
      status: "Waiting",
    });
    const zero = { requiresZeroBalance: false };
    made(await closeWallet(wallets.database, acme, subject.walletId, zero));
    expect(await toAnother(subject)).toMatchObject({ code: "WalletNotActive" });
    expect(await toAnotherTaxId(subject)).toMatchObject({ code: "WalletNotActive" });
  });

  test("whose onboarding had ended runs through it again, once however often it changes", async () => {
    const subject = await open("validated");
    made(await sign(subject));
    await store(subject);
    const { walletId } = subject;
    await wallets.database.execute(
      `insert into borsello.mandate (wallet_id, partner_key, mandate_unique_reference, debtor_name,
         debtor_iban, amount_cents, frequency, status)
       select wallet_id, partner_key, 'REF' || left(wallet_id::text, 20) || right(wallet_id::text, 8),
         last_name, iban, 1000, 'Monthly', 'Active' from borsello.wallet where wallet_id = $1`,
      [walletId],
    );
    expect(await reviewOnboarding(wallets.database, { walletId, attempt: 1 })).toMatchObject({
      status: "Completed",
    });
    made(await toAnother(subject));
    made(await rename(subject, `${otherLastName(subject.person.owner.lastName)}ne`));
    const view = made(await findOnboarding(wallets.database, reader, walletId));
    expect(view).toMatchObject({ status: "Running", endedAt: null });
    expect(view.steps.map(({ status }) => status)).toEqual(["Waiting", "Waiting", "Completed"]);
    expect(await findIbanValidation(wallets.database, walletId)).toMatchObject({ attempt: 2 });
  });
});
