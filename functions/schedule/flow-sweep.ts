/** Every five minutes: starts flows anew that the tables say should run and that have no instance. */
import { dueFlows, type DueFlow } from "../../shared/database/onboarding/flow-state.js";
import type { FlowStart } from "../../shared/durable/flow-client.js";
import { contractSigning, contractSigningId } from "../../orchestrations/contract-signing.flow.js";
import { ibanValidation, ibanValidationId } from "../../orchestrations/iban-validation.flow.js";
import {
  mandateActivation,
  mandateActivationId,
} from "../../orchestrations/mandate-activation.flow.js";
import {
  walletOnboarding,
  walletOnboardingId,
} from "../../orchestrations/wallet-onboarding.flow.js";
import type { Services } from "../kit/services.js";
import { registerSweep, type FlowSweep } from "./sweep.js";

const startOf = ({ flow, subjectId, attempt, mandateId }: DueFlow): FlowStart | undefined => {
  if (flow === "mandateActivation")
    return mandateId === null
      ? undefined
      : {
          flow: mandateActivation,
          instanceId: mandateActivationId(mandateId),
          input: { mandateId },
        };
  if (attempt === null) return undefined;
  const input = { walletId: subjectId, attempt };
  if (flow === "walletOnboarding")
    return { flow: walletOnboarding, instanceId: walletOnboardingId(subjectId, attempt), input };
  return flow === "ibanValidation"
    ? { flow: ibanValidation, instanceId: ibanValidationId(subjectId, attempt), input }
    : { flow: contractSigning, instanceId: contractSigningId(subjectId, attempt), input };
};

/**
 * A flow that ended while its row says that it should run gets another life: its message came while
 * it was ending. One that an operator stopped stays so until its instance is purged.
 */
const restartAfter = ["completed", "failed"] as const;

/** The wallets and stores whose rows say that a flow should be at work. */
export const dueFlowSweep = ({ database }: Pick<Services, "database">): FlowSweep<DueFlow> => ({
  name: "flowSweep",
  page: (after, subjectsMax) => dueFlows(database, after, subjectsMax),
  placeOf: ({ subjectId }) => subjectId,
  startOf: (due) => {
    const start = startOf(due);
    return start === undefined ? undefined : { ...start, restartAfter };
  },
});

export const registerFlowSweep = (services: Services): void => {
  registerSweep(services, { schedule: "0 */5 * * * *", sweep: dueFlowSweep(services) });
};
