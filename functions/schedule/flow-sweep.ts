/** Every five minutes: starts flows anew that the tables say should run and that have no instance. */
import type { Timer } from "@azure/functions";
import { app, type DurableClient } from "durable-functions";
import { dueFlows, type DueFlow } from "../../shared/database/onboarding/flow-state.js";
import { startOnce, type FlowClient, type FlowStart } from "../../shared/durable/flow-client.js";
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

const subjectsPerSweep = 500;

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

export interface Sweep {
  readonly started: readonly string[];
  /** Where the next sweep goes on; null: at the beginning. */
  readonly next: string | null;
}

/**
 * A flow that ended while its row says that it should run gets another life: its message came while
 * it was ending. One that an operator stopped stays so until its instance is purged.
 */
const restartAfter = ["completed", "failed"] as const;

/** Looks at the wallets and stores after `after`, a page at a time. */
export const sweepFlows = async (
  { database }: Pick<Services, "database">,
  client: FlowClient,
  after: string | null,
  subjectsMax = subjectsPerSweep,
): Promise<Sweep> => {
  const due = await dueFlows(database, after, subjectsMax);
  const started: string[] = [];
  for (const flow of due) {
    const start = startOf(flow);
    if (start !== undefined && (await startOnce(client, { ...start, restartAfter })))
      started.push(start.instanceId);
  }
  const subjects = new Set(due.map(({ subjectId }) => subjectId)).size;
  return { started, next: subjects < subjectsMax ? null : (due.at(-1)?.subjectId ?? null) };
};

export const registerFlowSweep = (services: Services): void => {
  let after: string | null = null;
  app.client.timer("flowSweep", {
    schedule: "0 */5 * * * *",
    handler: async (_timer: Timer, client: DurableClient) => {
      const { started, next } = await sweepFlows(services, client, after);
      after = next;
      if (started.length > 0) services.logger.warn("Flows were started anew.", { started });
    },
  });
};
