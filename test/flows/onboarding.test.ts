/** Onboardings through the front door, to each end that needs no time-out. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { customer } from "../../bench/platform/customers.js";
import { instanceOf, partnerAt, type Partner } from "../support/platform/partner.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";

let stack: TestStack;
let acme: Partner;
let globex: Partner;

beforeAll(async () => {
  stack = await startTestStack();
  acme = partnerAt(stack, "acme");
  globex = partnerAt(stack, "globex");
});
afterAll(async () => {
  await stack.stop();
});

describe("where a mandate is required", () => {
  test("an onboarding is complete with IBAN, contract and active mandate, in any order", async () => {
    const owner = await acme.openWallet();
    expect(await acme.signContract(owner)).toMatchObject({ status: "Signed" });
    await acme.pay(owner, await acme.setIban(owner));
    await acme.stepBecomes(owner, "ibanValidation", "Completed");
    expect((await acme.onboarding(owner)).status).toBe("Running");
    await acme.initialiseMandate(owner, 25);
    expect(await acme.step(owner, "mandateActivation")).toMatchObject({ status: "Waiting" });
    await acme.signMandate(owner);
    await acme.onboardingBecomes(owner, "Completed");
    const view = await acme.onboarding(owner);
    expect(view.steps.map(({ name, status }) => [name, status])).toEqual([
      ["ibanValidation", "Completed"],
      ["contractSigning", "Completed"],
      ["mandateActivation", "Completed"],
    ]);
    for (const { startedAt, endedAt } of view.steps)
      expect([startedAt, endedAt]).not.toContain(null);
    expect(view.endedAt).not.toBeNull();
    expect(await acme.mandate(owner)).toMatchObject({ status: "Active" });
  });

  test("a mandate that the bank refuses fails its step, and the next one completes it", async () => {
    const owner = await acme.openValidatedWallet();
    await acme.signContract(owner);
    await acme.initialiseMandate(owner, 10.99);
    await acme.signMandate(owner);
    await acme.stepBecomes(owner, "mandateActivation", "Failed", /rejected/);
    expect(await acme.mandate(owner)).toMatchObject({ status: "Rejected" });
    expect((await acme.onboarding(owner)).status).toBe("Running");
    await acme.initialiseMandate(owner, 25);
    await acme.signMandate(owner);
    await acme.onboardingBecomes(owner, "Completed");
  });

  test("a mandate disabled later is revoked at the bank, and the onboarding stays complete", async () => {
    const owner = await acme.openValidatedWallet();
    await acme.signContract(owner);
    const { mandateId } = await acme.initialiseMandate(owner, 25);
    await acme.signMandate(owner);
    await acme.onboardingBecomes(owner, "Completed");
    expect(await instanceOf(stack, `mandate-${mandateId}`)).toMatchObject({
      runtimeStatus: "Running",
      customStatus: "The mandate is active; waiting for somebody to disable it",
    });
    expect(await acme.disableMandate(owner)).toMatchObject({ status: "DisableRequested" });
    await acme.mandateBecomes(owner, "Disabled");
    expect((await acme.onboarding(owner)).status).toBe("Completed");
    await expect
      .poll(() => instanceOf(stack, `mandate-${mandateId}`))
      .toMatchObject({ runtimeStatus: "Completed" });
  });
});

describe("where a mandate is optional", () => {
  test("an onboarding without one is complete with IBAN and contract", async () => {
    const owner = await globex.openValidatedWallet();
    await globex.signContract(owner);
    await globex.onboardingBecomes(owner, "Completed");
    expect(await globex.step(owner, "mandateActivation")).toMatchObject({ status: "Skipped" });
  });

  test("one that was initialised by then is waited for, and may be rejected", async () => {
    const owner = await globex.openValidatedWallet();
    await globex.initialiseMandate(owner, 10.99);
    await globex.signContract(owner);
    await globex.stepBecomes(owner, "contractSigning", "Completed");
    expect((await globex.onboarding(owner)).status).toBe("Running");
    await globex.signMandate(owner);
    await globex.onboardingBecomes(owner, "Completed");
    expect(await globex.step(owner, "mandateActivation")).toMatchObject({
      status: "Skipped",
      detail: expect.stringContaining("rejected") as string,
    });
  });
});

describe("the first transfer", () => {
  test.each([
    ["of too small an amount", { amount: 0.99 }, /Amount/],
    ["of the wrong name", { debtorName: "Somebody Else" }, /DebtorName/],
    ["from another IBAN", { debtorIban: customer(900_001).iban }, /DebtorIban/],
  ])(
    "%s leaves the step waiting with the reason, and the right one completes it",
    async (_, transfer, why) => {
      const owner = await acme.openWallet();
      const instructions = await acme.setIban(owner);
      await acme.pay(owner, instructions, transfer);
      await acme.stepBecomes(owner, "ibanValidation", "Waiting", why);
      await acme.pay(owner, instructions);
      await acme.stepBecomes(owner, "ibanValidation", "Completed");
    },
  );

  test("counts for the IBAN that replaced another one, not for the replaced one", async () => {
    const owner = await acme.openWallet();
    const first = await acme.setIban(owner);
    const firstFlow = `iban-${owner.walletId}-1`;
    await expect
      .poll(async () => (await instanceOf(stack, firstFlow))?.customStatus)
      .toContain(`with code ${first.ibanValidationCode}`);
    const iban = customer(900_002).iban;
    const second = await acme.setIban(owner, iban);
    await expect
      .poll(() => instanceOf(stack, firstFlow))
      .toMatchObject({
        runtimeStatus: "Completed",
        customStatus: "The validation is over: Replaced",
      });
    await acme.pay(owner, first);
    await acme.pay(owner, second, { debtorIban: iban });
    await acme.stepBecomes(owner, "ibanValidation", "Completed");
    await expect
      .poll(() => instanceOf(stack, `iban-${owner.walletId}-2`))
      .toMatchObject({ customStatus: "The validation is over: Validated" });
  });
});

describe("the contract", () => {
  test("declined fails its step, and signed later completes it", async () => {
    const owner = await acme.openWallet();
    expect(await acme.declineContract(owner)).toMatchObject({ status: "Declined" });
    await acme.stepBecomes(owner, "contractSigning", "Failed", /declined/);
    expect((await acme.step(owner, "contractSigning"))?.endedAt).not.toBeNull();
    expect(await acme.signContract(owner)).toMatchObject({ status: "Signed" });
    await acme.stepBecomes(owner, "contractSigning", "Completed");
  });

  test("once signed cannot be declined", async () => {
    const owner = await acme.openWallet();
    await acme.signContract(owner);
    expect(await acme.declineContract(owner)).toMatchObject({ status: "Signed" });
  });
});

describe("a wallet that is closed", () => {
  const flowBecomes = async (instanceId: string, runtimeStatus: string): Promise<void> => {
    await expect.poll(() => instanceOf(stack, instanceId)).toMatchObject({ runtimeStatus });
  };

  test("ends its onboarding and leaves no flow behind, deleted for good or not", async () => {
    const owner = await acme.openWallet();
    await acme.setIban(owner);
    await flowBecomes(`iban-${owner.walletId}-1`, "Running");
    expect(await acme.closeWallet(owner)).toMatchObject({ status: "Closed" });
    await acme.onboardingBecomes(owner, "Failed");
    await flowBecomes(`onboarding-${owner.walletId}`, "Completed");
    await flowBecomes(`iban-${owner.walletId}-1`, "Completed");
    await acme.destroyWallet(owner);
  });

  test("has its active mandate revoked at the bank", async () => {
    const owner = await acme.openValidatedWallet();
    await acme.initialiseMandate(owner, 25);
    const { mandateId } = await acme.signMandate(owner);
    await acme.mandateBecomes(owner, "Active");
    await acme.closeWallet(owner);
    await acme.mandateBecomes(owner, "Disabled");
    await flowBecomes(`mandate-${mandateId}`, "Completed");
  });
});
