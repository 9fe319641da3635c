/** An onboarding that its wallet's closing ends, and that starts again from the facts, on real tables. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { initialiseMandate } from "../../../shared/database/mandates/mandates.js";
import {
  contractDocumentKey,
  findContract,
  requestSignature,
  storeSignedContract,
} from "../../../shared/database/onboarding/contracts.js";
import { findIbanValidation, setIban } from "../../../shared/database/onboarding/ibans.js";
import {
  expireOnboarding,
  findOnboarding,
  reviewOnboarding,
} from "../../../shared/database/onboarding/onboarding.js";
import { restartOnboarding } from "../../../shared/database/onboarding/restart.js";
import {
  closeWallet,
  reactivateWallet,
  reopenWallet,
  suspendWallet,
} from "../../../shared/database/wallet/states.js";
import { updateWallet } from "../../../shared/database/wallet/update.js";
import { createWallet, findWallet } from "../../../shared/database/wallet/wallets.js";
import { outboxOf } from "../../support/wallet/bank-fixtures.js";
import { otherTaxId } from "../../support/wallet/identities.js";
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

let wallets: WalletTest;
beforeAll(async () => {
  wallets = await openWalletTest();
});
afterAll(() => wallets.end());

const reader = { ...acme, isOperator: false };

const walletOf = async (walletId: string) =>
  made(await findWallet(wallets.database, reader, walletId));
const viewOf = async (walletId: string) =>
  made(await findOnboarding(wallets.database, reader, walletId));
const stepsOf = async (walletId: string) =>
  (await viewOf(walletId)).steps.map(({ status, detail }) => [status, detail]);

const close = async (walletId: string) => {
  made(await suspendWallet(wallets.database, acme, walletId));
  return made(await closeWallet(wallets.database, acme, walletId, { requiresZeroBalance: false }));
};
const reopen = async (walletId: string) =>
  made(await reopenWallet(wallets.database, acme, walletId));
const reactivate = async (walletId: string) =>
  made(await reactivateWallet(wallets.database, acme, walletId));

const validated = (walletId: string) =>
  wallets.database.execute(
    `with validation as (
       update borsello.iban_validation set status = 'Validated' where wallet_id = $1)
     update borsello.wallet set is_iban_validated = true where wallet_id = $1`,
    [walletId],
  );

/** Waits for a transfer and for its contract's signature. */
const busyWallet = async () => {
  const owner = someone();
  const { walletId } = await openWallet(wallets.database, owner);
  const { code } = made(await setIban(wallets.database, acme, walletId, ibanOf(owner.iban)));
  made(await requestSignature(wallets.database, acme, walletId));
  return { walletId, code, iban: owner.iban };
};

const told = async (walletId: string, pattern: RegExp) =>
  (await outboxOf(wallets.database, walletId))
    .filter(({ subject }) => pattern.test(subject))
    .map(({ subject, body }) => [subject, body["attempt"] ?? body["status"]]);

describe("closing", () => {
  test("ends the IBAN's validation, the contract's signing and the view, each with the reason", async () => {
    const { walletId, iban } = await busyWallet();
    const closed = await close(walletId);
    expect(closed).toMatchObject({ iban, isIbanValidated: false, ibanValidationCode: null });
    expect(await findIbanValidation(wallets.database, walletId)).toMatchObject({
      status: "Closed",
    });
    expect(await findContract(wallets.database, walletId)).toMatchObject({ status: "Closed" });
    expect(await viewOf(walletId)).toMatchObject({ status: "Failed" });
    const steps = await stepsOf(walletId);
    expect(steps[0]).toEqual(["Failed", "The wallet was closed before its IBAN was validated"]);
    expect(steps[1]).toEqual(["Failed", "The wallet was closed before its contract was signed"]);
    expect(await told(walletId, /^(IbanChanged|Onboarding)/)).toEqual([
      ["OnboardingClosed", undefined],
      ["IbanChanged", 1],
      ["OnboardingEnded", "Failed"],
    ]);
  });

  test("tells of the end with the view as its endpoint shows it, and once", async () => {
    const { walletId } = await busyWallet();
    await close(walletId);
    await reviewOnboarding(wallets.database, { walletId, attempt: 1 });
    const ended = (await outboxOf(wallets.database, walletId)).filter(
      ({ subject }) => subject === "OnboardingEnded",
    );
    expect(ended).toHaveLength(1);
    expect(ended[0]?.destinations).toEqual(["acme", "platform-events"]);
    expect(ended[0]?.body).toMatchObject({ ...(await viewOf(walletId)), partnerKey: "acme" });
  });

  test("leaves the step of a mandate that was active as it was", async () => {
    const { walletId } = await openValidatedWallet(wallets.database);
    const mandate = { amountCents: 1000n, frequency: "Monthly" } as const;
    made(await initialiseMandate(wallets.database, acme, walletId, mandate));
    await wallets.database.execute(
      "update borsello.mandate set status = 'Active' where wallet_id = $1",
      [walletId],
    );
    await close(walletId);
    expect(await stepsOf(walletId)).toEqual([
      ["Completed", null],
      ["Failed", "The wallet was closed before its contract was signed"],
      ["Completed", null],
    ]);
  });

  test("leaves a view that had ended as it was", async () => {
    const { walletId } = await busyWallet();
    await expireOnboarding(wallets.database, { walletId, attempt: 1 });
    const before = await viewOf(walletId);
    await close(walletId);
    expect(await viewOf(walletId)).toEqual(before);
  });
});

describe("reopening and reactivating", () => {
  test("give the IBAN a new code and run the view again, from a start of its own", async () => {
    const { walletId, code, iban } = await busyWallet();
    await close(walletId);
    const reopened = await reopen(walletId);
    expect(reopened).toMatchObject({ iban, ibanValidationCode: null });
    expect((await viewOf(walletId)).status).toBe("Failed");
    const active = await reactivate(walletId);
    expect(active.ibanValidationCode).not.toBeNull();
    expect(active.ibanValidationCode).not.toBe(code);
    expect(active).toEqual(await walletOf(walletId));
    expect(await findIbanValidation(wallets.database, walletId)).toMatchObject({
      ...{ attempt: 2, status: "Waiting", iban, code: active.ibanValidationCode },
    });
    expect(await viewOf(walletId)).toMatchObject({ status: "Running", endedAt: null });
    const steps = await stepsOf(walletId);
    expect(steps[0]?.[1]).toContain(active.ibanValidationCode);
    expect(steps[1]?.[0]).toBe("Waiting");
    expect(await told(walletId, /^(IbanSet|OnboardingRestarted)$/)).toEqual([
      ["IbanSet", 1],
      ["IbanSet", 2],
      ["OnboardingRestarted", 2],
    ]);
    expect(made(await requestSignature(wallets.database, acme, walletId))).toMatchObject({
      ...{ status: "Signing", attempt: 2 },
    });
  });

  test("keep what is settled, and restart nothing where nothing is open", async () => {
    const { database } = wallets;
    const initech = { partnerKey: "initech", clientId: "initech-client" };
    const { owner, iban } = someone();
    const wanted = { ...owner, originatingDealerKey: "dealer-bari" };
    const { walletId } = made(await createWallet(database, initech, wanted));
    made(await setIban(database, initech, walletId, ibanOf(iban)));
    await validated(walletId);
    await reviewOnboarding(database, { walletId, attempt: 1 });
    const view = async () =>
      made(await findOnboarding(database, { ...initech, isOperator: false }, walletId));
    const before = await view();
    expect(before.status).toBe("Completed");
    made(await suspendWallet(database, initech, walletId));
    made(await closeWallet(database, initech, walletId, { requiresZeroBalance: false }));
    made(await reopenWallet(database, initech, walletId));
    made(await reactivateWallet(database, initech, walletId));
    expect(await view()).toEqual(before);
    expect(await told(walletId, /^(IbanSet|OnboardingRestarted)$/)).toEqual([["IbanSet", 1]]);
  });

  test("start an expired view anew where a step is open", async () => {
    const { walletId } = await openWallet(wallets.database);
    await expireOnboarding(wallets.database, { walletId, attempt: 1 });
    made(await suspendWallet(wallets.database, acme, walletId));
    await reactivate(walletId);
    expect((await viewOf(walletId)).status).toBe("Running");
  });

  test("can end and start again many times, each life with its own end and its own reminders", async () => {
    const { walletId } = await busyWallet();
    for (const attempt of [1, 2, 3]) {
      expect(await reviewOnboarding(wallets.database, { walletId, attempt })).toMatchObject({
        status: "Running",
        reminders: 0,
      });
      await close(walletId);
      await reopen(walletId);
      await reactivate(walletId);
      expect((await reviewOnboarding(wallets.database, { walletId, attempt })).status).toBe(
        "Restarted",
      );
      await expireOnboarding(wallets.database, { walletId, attempt });
      expect((await viewOf(walletId)).status).toBe("Running");
    }
    expect((await told(walletId, /^OnboardingEnded$/)).length).toBe(3);
  });
});

describe("a restart", () => {
  const restart = (walletId: string) =>
    wallets.database.transaction((tx) => restartOnboarding(tx, acme, walletId));

  test("asked for again does nothing more", async () => {
    const { walletId } = await openValidatedWallet(wallets.database);
    await expireOnboarding(wallets.database, { walletId, attempt: 1 });
    await wallets.database.execute(
      "update borsello.wallet set is_iban_validated = false where wallet_id = $1",
      [walletId],
    );
    await restart(walletId);
    await restart(walletId);
    expect(await told(walletId, /^(IbanSet|OnboardingRestarted)$/)).toEqual([
      ["IbanSet", 1],
      ["IbanSet", 2],
      ["OnboardingRestarted", 2],
    ]);
  });

  test("of a suspended wallet is at once, of a reopened one at its reactivation", async () => {
    const { walletId } = await openWallet(wallets.database);
    await expireOnboarding(wallets.database, { walletId, attempt: 1 });
    made(await suspendWallet(wallets.database, acme, walletId));
    await restart(walletId);
    expect((await viewOf(walletId)).status).toBe("Running");
    await reactivate(walletId);
    await close(walletId);
    await reopen(walletId);
    await restart(walletId);
    expect((await viewOf(walletId)).status).toBe("Failed");
    await reactivate(walletId);
    expect((await viewOf(walletId)).status).toBe("Running");
  });

  test("is complete, and wakes its flow, once the contract shows the wallet's holder again", async () => {
    const { database } = wallets;
    const { owner, iban } = someone();
    const wanted = { ...owner, originatingDealerKey: "dealer-turin" };
    const { walletId } = made(await createWallet(database, globex, wanted));
    made(await setIban(database, globex, walletId, ibanOf(iban)));
    await validated(walletId);
    made(await requestSignature(database, globex, walletId));
    await storeSignedContract(database, walletId, 1, contractDocumentKey(walletId, 1));
    await reviewOnboarding(database, { walletId, attempt: 1 });
    const view = async () =>
      made(await findOnboarding(database, { ...globex, isOperator: false }, walletId));
    const { taxId, email } = owner;
    made(await updateWallet(database, globex, walletId, { taxId: otherTaxId(taxId), email }));
    expect((await view()).status).toBe("Running");
    made(await updateWallet(database, globex, walletId, { taxId, email }));
    expect(await view()).toMatchObject({
      ...{ status: "Completed", steps: [{}, { status: "Completed" }, {}] },
    });
    expect(await told(walletId, /^Onboarding/)).toEqual([
      ["OnboardingEnded", "Completed"],
      ["OnboardingRestarted", 2],
      ["OnboardingEnded", "Completed"],
      ["OnboardingClosed", undefined],
    ]);
  });

  test("of a closed wallet, or of one that is gone, does nothing", async () => {
    const { walletId } = await busyWallet();
    await close(walletId);
    await restart(walletId);
    await restart("01890a5d-ac96-774b-bcce-b302099a8057");
    expect(await told(walletId, /^OnboardingRestarted$/)).toEqual([]);
  });
});

test.each(["Suspended", "Closed"])("a wallet that is %s takes no new identity", async (status) => {
  const { walletId } = await openWallet(wallets.database);
  await wallets.database.execute("update borsello.wallet set status = $2 where wallet_id = $1", [
    walletId,
    status,
  ]);
  const { taxId, email } = someone().owner;
  expect(await updateWallet(wallets.database, acme, walletId, { taxId, email })).toMatchObject({
    ...{ ok: false, code: "WalletNotActive", properties: { status } },
  });
});
