/** Wallets that are closed in each phase of their onboarding, then reopened and reactivated. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStackDatabase } from "../support/platform/api.js";
import { instanceOf, partnerAt, type Owner, type Partner } from "../support/platform/partner.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";
import { outboxOf } from "../support/wallet/bank-fixtures.js";

let stack: TestStack;
let database: ReturnType<typeof openStackDatabase>;
let acme: Partner;
let globex: Partner;

beforeAll(async () => {
  stack = await startTestStack();
  database = openStackDatabase(stack);
  acme = partnerAt(stack, "acme");
  globex = partnerAt(stack, "globex");
});
afterAll(async () => {
  await database.close();
  await stack.stop();
});

const statuses = async (partner: Partner, owner: Owner): Promise<string[]> =>
  (await partner.onboarding(owner)).steps.map(({ status }) => status);

const eventsOf = async ({ walletId }: Owner, name: string) =>
  (await outboxOf(database, walletId)).filter(({ subject }) => subject === name);

const flowBecomes = async (instanceId: string, runtimeStatus: string): Promise<void> => {
  await expect.poll(() => instanceOf(stack, instanceId)).toMatchObject({ runtimeStatus });
};

/** What is still open of an acme wallet's onboarding, until it is complete. */
const completeAcme = async (owner: Owner): Promise<void> => {
  const [iban, contract] = await statuses(acme, owner);
  if (iban !== "Completed") {
    await acme.pay(owner, await acme.setIban(owner));
    await acme.stepBecomes(owner, "ibanValidation", "Completed");
  }
  if (contract !== "Completed") await acme.signContract(owner);
  await acme.initialiseMandate(owner, 25);
  await acme.signMandate(owner);
  await acme.onboardingBecomes(owner, "Completed");
};

interface Phase {
  readonly reached: () => Promise<Owner>;
  /** The steps while it is closed, and once it is reactivated. */
  readonly closed: readonly string[];
  readonly revived: readonly string[];
}

const validated = async (): Promise<Owner> => acme.openValidatedWallet();

/** The platform was asked to sign, and the flow has not come to it. */
const signing = async (): Promise<Owner> => {
  const owner = await validated();
  await database.execute(
    `insert into borsello.contract (wallet_id, partner_key, attempt, status)
     values ($1, 'acme', 1, 'Signing')`,
    [owner.walletId],
  );
  return owner;
};

const mandateRequested = async (): Promise<Owner> => {
  const owner = await validated();
  await acme.bankSays(owner, "mandateActivation", "silent");
  await acme.initialiseMandate(owner, 25);
  await acme.signMandate(owner);
  await acme.mandateBecomes(owner, "ActivationRequested");
  return owner;
};

const phases: Readonly<Record<string, Phase>> = {
  "before its IBAN is set": {
    reached: () => acme.openWallet(),
    closed: ["Failed", "Failed", "Failed"],
    revived: ["Waiting", "Waiting", "Waiting"],
  },
  "while its code is waited for": {
    reached: async () => {
      const owner = await acme.openWallet();
      await acme.setIban(owner);
      return owner;
    },
    closed: ["Failed", "Failed", "Failed"],
    revived: ["Waiting", "Waiting", "Waiting"],
  },
  "with a validated IBAN": {
    reached: validated,
    closed: ["Completed", "Failed", "Failed"],
    revived: ["Completed", "Waiting", "Waiting"],
  },
  "while its contract is being signed": {
    reached: signing,
    closed: ["Completed", "Failed", "Failed"],
    revived: ["Completed", "Waiting", "Waiting"],
  },
  "with a mandate that the bank was asked for": {
    reached: mandateRequested,
    closed: ["Completed", "Failed", "Failed"],
    revived: ["Completed", "Waiting", "Waiting"],
  },
};

describe("a wallet that is closed", () => {
  test.each(Object.entries(phases))(
    "%s has failed, and reactivated it goes on from the facts to its end",
    async (_, { reached, closed, revived }) => {
      const owner = await reached();
      await flowBecomes(`onboarding-${owner.walletId}`, "Running");
      const { iban, isIbanValidated } = await acme.wallet(owner);
      await acme.closeWallet(owner);
      expect(await acme.onboarding(owner)).toMatchObject({ status: "Failed" });
      expect(await statuses(acme, owner)).toEqual(closed);
      expect(await eventsOf(owner, "OnboardingEnded")).toMatchObject([
        { body: { status: "Failed", walletId: owner.walletId, partnerKey: "acme" } },
      ]);
      await acme.reviveWallet(owner);
      expect(await acme.wallet(owner)).toMatchObject({ iban, isIbanValidated });
      expect(await acme.onboarding(owner)).toMatchObject({ status: "Running" });
      expect(await statuses(acme, owner)).toEqual(revived);
      await flowBecomes(`onboarding-${owner.walletId}`, "Completed");
      await flowBecomes(`onboarding-${owner.walletId}-2`, "Running");
      if (reached === mandateRequested) {
        await acme.mandateBecomes(owner, "Disabled");
        await acme.bankSays(owner, "mandateActivation", "accepted");
      }
      await completeAcme(owner);
      await flowBecomes(`onboarding-${owner.walletId}-2`, "Completed");
      const ended = await eventsOf(owner, "OnboardingEnded");
      expect(ended.map(({ body }) => body["status"])).toEqual(["Failed", "Completed"]);
      expect(await eventsOf(owner, "ContractSigned")).toHaveLength(1);
    },
  );

  test("keeps the code of no validation: the old one credits nobody, the new one validates", async () => {
    const owner = await acme.openWallet();
    const first = await acme.setIban(owner);
    expect(await acme.instructions(owner)).toBe(first.ibanValidationCode);
    await acme.closeWallet(owner);
    expect(await acme.instructions(owner)).toBe("InstructionsNotFound");
    await acme.pay(owner, first);
    await flowBecomes(`iban-${owner.walletId}-1`, "Completed");
    await acme.reviveWallet(owner);
    const second = await acme.setIban(owner);
    expect(second.ibanValidationCode).not.toBe(first.ibanValidationCode);
    expect(await acme.instructions(owner)).toBe(second.ibanValidationCode);
    await acme.pay(owner, first);
    await acme.pay(owner, second);
    await acme.stepBecomes(owner, "ibanValidation", "Completed");
    await flowBecomes(`iban-${owner.walletId}-2`, "Completed");
  });

  test("once its onboarding is complete keeps that view, and starts anew for what closing took", async () => {
    const owner = await validated();
    await completeAcme(owner);
    const before = await acme.onboarding(owner);
    await acme.closeWallet(owner);
    await acme.mandateBecomes(owner, "Disabled");
    expect(await acme.onboarding(owner)).toEqual(before);
    await acme.reviveWallet(owner);
    expect(await statuses(acme, owner)).toEqual(["Completed", "Completed", "Waiting"]);
    await completeAcme(owner);
    await flowBecomes(`onboarding-${owner.walletId}-2`, "Completed");
  });

  test("once it is complete, with nothing to start anew, keeps its view for good", async () => {
    const owner = await globex.openValidatedWallet();
    await globex.signContract(owner);
    await globex.onboardingBecomes(owner, "Completed");
    const before = await globex.onboarding(owner);
    await globex.closeWallet(owner);
    await globex.reviveWallet(owner);
    expect(await globex.onboarding(owner)).toEqual(before);
    expect(await instanceOf(stack, `onboarding-${owner.walletId}-2`)).toBeNull();
    expect(await eventsOf(owner, "OnboardingEnded")).toHaveLength(1);
  });

  test("before an optional mandate was signed is onboarded in its next life, with nothing more to do", async () => {
    const owner = await globex.openValidatedWallet();
    await globex.initialiseMandate(owner, 25);
    await globex.signContract(owner);
    await globex.stepBecomes(owner, "contractSigning", "Completed");
    expect(await statuses(globex, owner)).toEqual(["Completed", "Completed", "Waiting"]);
    await globex.closeWallet(owner);
    expect(await globex.onboarding(owner)).toMatchObject({ status: "Failed" });
    await globex.reviveWallet(owner);
    await globex.onboardingBecomes(owner, "Completed");
    await flowBecomes(`onboarding-${owner.walletId}`, "Completed");
    await flowBecomes(`onboarding-${owner.walletId}-2`, "Completed");
    const ended = await eventsOf(owner, "OnboardingEnded");
    expect(ended.map(({ body }) => body["status"])).toEqual(["Failed", "Completed"]);
  });

  test("several times is onboarded once for each life, its flows ended", async () => {
    const owner = await acme.openWallet();
    await acme.setIban(owner);
    for (const life of [2, 3]) {
      await acme.closeWallet(owner);
      await acme.reviveWallet(owner);
      await flowBecomes(`onboarding-${owner.walletId}-${life}`, "Running");
    }
    await completeAcme(owner);
    await flowBecomes(`onboarding-${owner.walletId}`, "Completed");
    await flowBecomes(`onboarding-${owner.walletId}-2`, "Completed");
    await flowBecomes(`onboarding-${owner.walletId}-3`, "Completed");
    expect(await eventsOf(owner, "OnboardingEnded")).toHaveLength(3);
  });
});

test("the IBAN of a closed wallet outlives the validation's time, and no other wallet gets it", async () => {
  const owner = await acme.openWallet();
  await acme.setIban(owner);
  await acme.closeWallet(owner);
  const { startedAt } = await acme.onboarding(owner);
  await acme.moveClock(startedAt, 31);
  expect((await acme.wallet(owner)).iban).toBe(owner.person.iban);
  const other = await acme.openWallet();
  await expect(acme.setIban(other, owner.person.iban)).rejects.toThrow("IbanAlreadyAssociated");
  await acme.reviveWallet(owner);
  await completeAcme(owner);
});
