/** Which of an onboarding's three steps stands where: from the facts of its wallet, nothing else. */

export type StepName = "ibanValidation" | "contractSigning" | "mandateActivation";
export type StepStatus = "Waiting" | "Running" | "Completed" | "Failed" | "Skipped";

export interface OnboardingStep {
  readonly name: StepName;
  readonly status: StepStatus;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly detail: string | null;
}

export interface IbanFacts {
  readonly status: "Waiting" | "Validated" | "Expired" | "Replaced" | "Closed";
  readonly code: string;
  readonly requestedAt: string;
  readonly expiresAt: string;
  readonly endedAt: string | null;
  /** Why the last credit did not fit. */
  readonly feedback: string | null;
}

export interface ContractFacts {
  /** Whether it shows the person who is the wallet's holder now. */
  readonly isOfHolder: boolean;
  readonly status: "Signing" | "Signed" | "Declined" | "Closed";
  readonly requestedAt: string;
  readonly endedAt: string | null;
}

export interface MandateFacts {
  readonly status:
    | "Draft"
    | "Filled"
    | "ActivationRequested"
    | "Active"
    | "DisableRequested"
    | "Disabled"
    | "Cancelled"
    | "Rejected";
  readonly createdAt: string;
  readonly activatedAt: string | null;
  readonly rejectedAt: string | null;
  readonly lastError: string | null;
}

export interface OnboardingFacts {
  /** Whether the wallet has an IBAN, validated or not. */
  readonly hasIban: boolean;
  /** Whether the IBAN that the wallet has now is validated. */
  readonly isIbanValidated: boolean;
  readonly isActivationFlowEnabled: boolean;
  readonly mandateSetting: "required" | "optional" | "none";
  /** The latest of each; null: never. */
  readonly iban: IbanFacts | null;
  readonly contract: ContractFacts | null;
  readonly mandate: MandateFacts | null;
}

type StepState = Omit<OnboardingStep, "name">;

const state = (
  status: StepStatus,
  detail: string | null,
  startedAt: string | null = null,
  endedAt: string | null = null,
): StepState => ({ status, detail, startedAt, endedAt });

const ibanValidation = ({ hasIban, iban, isIbanValidated }: OnboardingFacts): StepState => {
  if (iban === null) return state("Waiting", "Waiting for an IBAN");
  const { status, code, requestedAt, expiresAt, endedAt, feedback } = iban;
  if (status === "Waiting") {
    const wanted = `Waiting for the first SCT with code ${code} (until ${expiresAt.slice(0, 10)})`;
    const refused = feedback === null ? "" : `; the last one did not fit: ${feedback}`;
    return state("Waiting", wanted + refused, requestedAt);
  }
  if (status === "Expired") {
    const why = "No fitting SCT came in time, so the IBAN was cleared: set one again";
    return state("Failed", why, requestedAt, endedAt);
  }
  if (status === "Validated" && isIbanValidated) {
    return state("Completed", null, requestedAt, endedAt);
  }
  if (hasIban) return state("Waiting", "The IBAN is to be validated anew, with a new code");
  return state("Waiting", "The IBAN was removed: waiting for another one");
};

const contractSigning = ({ contract, isActivationFlowEnabled }: OnboardingFacts): StepState => {
  if (!isActivationFlowEnabled) {
    return state("Skipped", "The contract activation flow is not enabled for this partner");
  }
  if (contract === null) return state("Waiting", "Waiting for the contract's signature");
  const { status, requestedAt, endedAt } = contract;
  switch (status) {
    case "Signing":
      return state("Running", "The contract is being sealed", requestedAt);
    case "Signed": {
      if (contract.isOfHolder) return state("Completed", null, requestedAt, endedAt);
      const why = "Tax id or names have changed: waiting for the contract to be signed anew";
      return state("Waiting", why, requestedAt);
    }
    case "Declined":
      return state("Failed", "The contract was declined: sign it to go on", requestedAt, endedAt);
    case "Closed":
      return state("Waiting", "The wallet was closed before: waiting for the contract's signature");
  }
};

/** Without a mandate under way: what is missing where one is required, nothing elsewhere. */
const withoutMandate = (
  { mandateSetting }: OnboardingFacts,
  isRestDone: boolean,
  missing: string,
): StepState => {
  if (mandateSetting === "required") return state("Waiting", missing);
  return isRestDone
    ? state("Skipped", "No mandate was initialised, and the partner requires none")
    : state("Waiting", "A mandate may be initialised until the other steps are done");
};

const rejected = (facts: OnboardingFacts, mandate: MandateFacts): StepState => {
  const why = `The bank rejected the mandate${mandate.lastError === null ? "" : `: ${mandate.lastError}`}`;
  const status = facts.mandateSetting === "required" ? "Failed" : "Skipped";
  return state(status, why, mandate.createdAt, mandate.rejectedAt);
};

const mandateActivation = (facts: OnboardingFacts, isRestDone: boolean): StepState => {
  const { mandate, mandateSetting } = facts;
  if (mandateSetting === "none") return state("Skipped", "The partner's wallets need no mandate");
  if (mandate === null) return withoutMandate(facts, isRestDone, "Waiting for a mandate");
  const { status, createdAt, activatedAt, lastError } = mandate;
  switch (status) {
    case "Draft":
    case "Filled": {
      const before = lastError === null ? "" : ` (${lastError})`;
      return state("Waiting", `Waiting for the mandate's signature${before}`, createdAt);
    }
    case "ActivationRequested":
      return state("Running", "Waiting for the bank to activate the mandate", createdAt);
    case "Active":
      return state("Completed", null, createdAt, activatedAt);
    case "Rejected":
      return rejected(facts, mandate);
    case "Cancelled":
    case "DisableRequested":
    case "Disabled":
      return withoutMandate(facts, isRestDone, "The mandate was disabled: waiting for another one");
  }
};

const isDone = ({ status }: StepState): boolean => status === "Completed" || status === "Skipped";

export const onboardingSteps = (facts: OnboardingFacts): readonly OnboardingStep[] => {
  const iban = ibanValidation(facts);
  const contract = contractSigning(facts);
  const mandate = mandateActivation(facts, isDone(iban) && isDone(contract));
  return [
    { name: "ibanValidation", ...iban },
    { name: "contractSigning", ...contract },
    { name: "mandateActivation", ...mandate },
  ];
};

const closedBefore: Readonly<Record<StepName, string>> = {
  ibanValidation: "The wallet was closed before its IBAN was validated",
  contractSigning: "The wallet was closed before its contract was signed",
  mandateActivation: "The wallet was closed before its mandate was active",
};

/** The steps of a wallet that is closed now: what is open fails with that reason, what is settled stays. */
export const closedSteps = (facts: OnboardingFacts): readonly OnboardingStep[] =>
  onboardingSteps(facts).map((step) => {
    if (isDone(step)) return step;
    if (step.name === "mandateActivation" && facts.mandateSetting !== "required")
      return { ...step, status: "Skipped", detail: closedBefore.mandateActivation };
    const before = step.status === "Failed" && step.detail !== null ? `${step.detail}; ` : "";
    return { ...step, status: "Failed", detail: before + closedBefore[step.name] };
  });

/** Whether nothing is left to do. */
export const isOnboarded = (steps: readonly OnboardingStep[]): boolean => steps.every(isDone);

/** What is left to do, by name. */
export const openSteps = (steps: readonly OnboardingStep[]): readonly StepName[] =>
  steps.filter((step) => !isDone(step)).map(({ name }) => name);

/** What is left to do, as one sentence for a person. */
export const missingSteps = (steps: readonly OnboardingStep[]): string =>
  steps
    .filter((step) => !isDone(step))
    .map(({ name, detail }) => detail ?? name)
    .join("; ");

/** Days from an onboarding's start at which its partner is reminded of the steps that are open. */
export const reminderDays = [7, 30, 60] as const;
