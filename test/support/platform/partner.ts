/** A partner at the platform's front door: typed calls, its customers' banks, and what flows say. */
import { expect } from "vitest";
import { z } from "zod";
import { customer, type Customer } from "../../../bench/platform/customers.js";
import { moveClockRoute } from "../../../shared/contracts/sandbox/clock.js";
import { declineContractRoute } from "../../../shared/contracts/sandbox/contract.js";
import {
  scriptBankRoute,
  sendBankNotificationRoute,
} from "../../../shared/contracts/sandbox/bank.js";
import { signContractRoute } from "../../../shared/contracts/onboarding/contract.js";
import {
  getSctInstructionsRoute,
  updateWalletIbanRoute,
} from "../../../shared/contracts/onboarding/iban.js";
import {
  disableMandateRoute,
  fillMandateRoute,
  getWalletMandateRoute,
  initialiseMandateRoute,
  signMandateRoute,
  type Mandate,
} from "../../../shared/contracts/mandates/mandates.js";
import {
  getOnboarding,
  type Onboarding,
  type OnboardingStep,
} from "../../../shared/contracts/onboarding/onboarding.js";
import {
  closeWalletRoute,
  destroyWalletRoute,
  reactivateWalletRoute,
  reopenWalletRoute,
  suspendWalletRoute,
} from "../../../shared/contracts/wallet/states.js";
import {
  createWalletRoute,
  getWalletRoute,
  type Wallet,
} from "../../../shared/contracts/wallet/wallets.js";
import { client, type CallResult } from "../../../shared/http/client.js";
import type { TestStack } from "./stack.js";

export interface Instructions {
  readonly destinationIban: string;
  readonly transferAmount: number;
  readonly ibanValidationCode: string;
}

/** A transfer as the customer's bank sends it; by default the one that the instructions ask for. */
export interface Transfer {
  readonly debtorName?: string;
  readonly debtorIban?: string;
  readonly amount?: number;
}

/** One wallet and its customer. */
export interface Owner {
  readonly walletId: string;
  readonly person: Customer;
}

const valueOf = <Value>(result: CallResult<Value>): Value => {
  if (result.ok) return result.value;
  throw new Error(`${result.status} ${JSON.stringify(result.error)}`);
};

const patience = { interval: 50 };
let customers = 0;

const InstanceStatus = z.object({ runtimeStatus: z.string(), customStatus: z.unknown() });
export type InstanceStatus = z.output<typeof InstanceStatus>;

export type StepView = z.output<typeof OnboardingStep>;

export const partnerAt = (stack: TestStack, partnerKey: "acme" | "globex") => {
  const partner = client(stack.url, {
    partnerKey,
    clientId: `${partnerKey}-client`,
    clientSecret: `${partnerKey}-local-secret`,
    authKey: `${partnerKey}-local-authkey`,
  });
  const call: typeof partner.call = (route, input) => partner.call(route, input);
  const dealers = { acme: "dealer-rome", globex: "dealer-turin" } as const;

  const openWallet = async (): Promise<Owner> => {
    const person = customer((customers += 1));
    const body = { ...person.owner, originatingDealerKey: dealers[partnerKey] };
    const { walletId } = valueOf(await call(createWalletRoute, { body }));
    return { walletId, person };
  };

  const setIban = async ({ walletId, person }: Owner, iban = person.iban): Promise<Instructions> =>
    valueOf(await call(updateWalletIbanRoute, { params: { walletId }, body: { iban, bic: null } }));

  const pay = async (
    { person }: Owner,
    { destinationIban, transferAmount, ibanValidationCode }: Instructions,
    transfer: Transfer = {},
  ): Promise<void> => {
    const body = {
      type: "IncomingSctStandard" as const,
      debtorName: `${person.owner.firstName} ${person.owner.lastName}`,
      debtorIban: person.iban,
      creditorIban: destinationIban,
      amount: transferAmount,
      reason: ibanValidationCode,
      ...transfer,
    };
    valueOf(await call(sendBankNotificationRoute, { body }));
  };

  const onboarding = async ({ walletId }: Owner): Promise<Onboarding> =>
    valueOf(await call(getOnboarding, { params: { walletId } }));

  const step = async (owner: Owner, name: StepView["name"]): Promise<StepView | undefined> =>
    (await onboarding(owner)).steps.find((found) => found.name === name);

  const stepBecomes = async (
    owner: Owner,
    name: StepView["name"],
    status: StepView["status"],
    detail = /(?:)/,
  ): Promise<void> => {
    const now = async () => {
      const found = await step(owner, name);
      return { status: found?.status, fits: detail.test(found?.detail ?? "") };
    };
    await expect.poll(now, patience).toEqual({ status, fits: true });
  };

  const onboardingBecomes = async (owner: Owner, status: Onboarding["status"]): Promise<void> => {
    await expect.poll(() => onboarding(owner), patience).toMatchObject({ status });
  };

  const mandate = async ({ walletId }: Owner): Promise<Mandate> =>
    valueOf(await call(getWalletMandateRoute, { params: { walletId } }));

  return {
    openWallet,
    setIban,
    pay,
    onboarding,
    step,
    stepBecomes,
    onboardingBecomes,
    mandate,
    /** A wallet whose IBAN is validated. */
    openValidatedWallet: async (): Promise<Owner> => {
      const owner = await openWallet();
      await pay(owner, await setIban(owner));
      await stepBecomes(owner, "ibanValidation", "Completed");
      return owner;
    },
    signContract: async ({ walletId }: Owner) =>
      valueOf(await call(signContractRoute, { params: { walletId } })),
    declineContract: async ({ walletId }: Owner) =>
      valueOf(await call(declineContractRoute, { params: { walletId } })),
    initialiseMandate: async ({ walletId }: Owner, amount: number): Promise<Mandate> => {
      const body = { amount, frequency: "Monthly" as const };
      return valueOf(await call(initialiseMandateRoute, { params: { walletId }, body }));
    },
    signMandate: async ({ walletId }: Owner): Promise<Mandate> => {
      valueOf(await call(fillMandateRoute, { params: { walletId } }));
      return valueOf(await call(signMandateRoute, { params: { walletId } }));
    },
    disableMandate: async ({ walletId }: Owner): Promise<Mandate> =>
      valueOf(await call(disableMandateRoute, { params: { walletId } })),
    /** Suspended first, as closing asks. */
    closeWallet: async ({ walletId }: Owner): Promise<Wallet> => {
      valueOf(await call(suspendWalletRoute, { params: { walletId } }));
      return valueOf(await call(closeWalletRoute, { params: { walletId } }));
    },
    /** From Closed by way of Suspended. */
    reviveWallet: async ({ walletId }: Owner): Promise<Wallet> => {
      valueOf(await call(reopenWalletRoute, { params: { walletId } }));
      return valueOf(await call(reactivateWalletRoute, { params: { walletId } }));
    },
    /** How the bank answers what concerns the customer's account. */
    bankSays: async (
      { person }: Owner,
      kind: "mandateActivation" | "mandateRevocation" | "directDebit",
      outcome: "accepted" | "refused" | "silent" | "returned",
    ): Promise<void> => {
      valueOf(await call(scriptBankRoute, { body: { kind, iban: person.iban, outcome } }));
    },
    /** The refusal's code, or the code that a transfer's reason has to name. */
    instructions: async ({ walletId }: Owner): Promise<string> => {
      const found = await call(getSctInstructionsRoute, { params: { walletId } });
      return found.ok ? found.value.reason : found.error.errorCode;
    },
    wallet: async ({ walletId }: Owner): Promise<Wallet> =>
      valueOf(await call(getWalletRoute, { params: { walletId } })),
    destroyWallet: async ({ walletId }: Owner): Promise<Wallet> =>
      valueOf(await call(destroyWalletRoute, { params: { walletId } })),
    mandateBecomes: async (owner: Owner, status: Mandate["status"]): Promise<void> => {
      await expect.poll(() => mandate(owner), patience).toMatchObject({ status });
    },
    /** Moves platform time forward from a date by so many days. */
    moveClock: async (from: string, days: number): Promise<void> => {
      const now = new Date(new Date(from).getTime() + days * 86_400_000).toISOString();
      valueOf(await call(moveClockRoute, { body: { now } }));
    },
  };
};

export type Partner = ReturnType<typeof partnerAt>;

/** A flow's instance as the management API shows it; null: there is none. */
export const instanceOf = async (
  stack: TestStack,
  instanceId: string,
): Promise<InstanceStatus | null> => {
  const path = `/runtime/webhooks/durabletask/instances/${instanceId}?code=local-key`;
  const answer = await fetch(stack.url + path);
  return answer.status === 404 ? null : InstanceStatus.parse(await answer.json());
};
