/** The sandbox bank: answers requests by script, and lets credits arrive when it is told to. */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import {
  bankQueues,
  BankRequestMessage,
  type BankNotificationMessage,
  type BankOutcomeMessage,
} from "../../shared/contracts/platform/bank-messages.js";
import {
  decidePaymentRoute,
  scriptBankRoute,
  sendBankNotificationRoute,
} from "../../shared/contracts/sandbox/bank.js";
import { collectingPartner } from "../../shared/database/bank/notifications.js";
import { platformNow } from "../../shared/database/platform/platform-time.js";
import { decide, scriptPayment, writeScript } from "../../shared/database/sandbox/bank-script.js";
import { findOperation } from "../../shared/database/settlement/operations.js";
import {
  decisionByCents,
  outcomesOf,
  type BankDecision,
} from "../../shared/domain/bank/sandbox-script.js";
import { refusal } from "../../shared/domain/outcome.js";
import { sendNow, type OutgoingMessage } from "../../shared/events/service-bus.js";
import { registerQueueTrigger } from "../broker/queue-trigger.js";
import { endpoint } from "../kit/endpoint.js";
import type { Services } from "../kit/services.js";

interface Answered {
  readonly requestId: string;
  readonly kind: string;
  readonly decision: BankDecision;
  readonly reasonCode: string | null;
  /** Another word than at the last time, so that the broker does not take it for a repeat. */
  readonly mark?: string;
}

/** The codes of the scheme for "not specified by the agent" and "closed account". */
const reasonOf = { refused: "MS03", returned: "AC04", accepted: null, booked: null } as const;

const answer = async (
  { bus, database }: Pick<Services, "bus" | "database">,
  { requestId, kind, decision, reasonCode, mark = "" }: Answered,
): Promise<void> => {
  const today = (await platformNow(database)).slice(0, "YYYY-MM-DD".length);
  const messages = outcomesOf(kind, decision).map((outcome): OutgoingMessage => {
    const body: BankOutcomeMessage = {
      requestId,
      outcome,
      reasonCode: outcome === "refused" ? (reasonCode ?? reasonOf.refused) : reasonOf[outcome],
      transactionReference: `SB-${requestId}`,
      bookingDate: outcome === "booked" ? today : null,
    };
    return {
      messageId: `${requestId}-${outcome}${mark}`,
      subject: "BankOutcome",
      body: JSON.stringify(body),
    };
  });
  await sendNow(bus, bankQueues.outcomes, messages);
};

const Concerned = z.object({
  creditorIban: z.string().nullable().default(null),
  debtorIban: z.string().nullable().default(null),
  operationId: z.uuid().nullable().default(null),
});

/** Whose account a request concerns: payments and returns go to it, all else debits it. */
const concernedBy = (request: BankRequestMessage) => {
  const { creditorIban, debtorIban, operationId } = Concerned.parse(request);
  const pays = request.kind === "payment" || request.kind === "return";
  return { iban: pays ? creditorIban : debtorIban, operationId };
};

export const registerSandboxBank = (services: Services): void => {
  const { environment, sandboxBank, bankFolder } = services.config;
  if (environment === "production" || !sandboxBank) return;
  registerQueueTrigger(services, {
    name: "sandboxBank",
    // Where the bank has files, this one answers only what there is no file for.
    queue: bankFolder === null ? bankQueues.requests : bankQueues.mandateRequests,
    message: BankRequestMessage,
    handle: async ({ bus, database }, request) => {
      const { requestId, kind } = request;
      const byDefault = decisionByCents(request);
      const asked = { requestId, kind, byDefault, ...concernedBy(request) };
      const { outcome: decision, reasonCode, wasAnswered } = await decide(database, asked);
      const mark = wasAnswered ? `-${randomUUID()}` : "";
      await answer({ bus, database }, { requestId, kind, decision, reasonCode, mark });
      return undefined;
    },
  });
};

const scriptBank = endpoint(scriptBankRoute, async ({ database }, { body, query, caller, ok }) => {
  const iban = body.iban?.replaceAll(" ", "").toUpperCase() ?? null;
  const reasonCode = query.reasonCode ?? null;
  await writeScript(database, { ...body, iban, reasonCode, partnerKey: caller.partnerKey });
  return ok({ ...body, iban });
});

const decisions = { complete: "accepted", reject: "refused", timeout: "silent" } as const;

const decidePayment = endpoint(
  decidePaymentRoute,
  async (services, { params, query, caller, ok, refuse }) => {
    const { database } = services;
    const { operationId, verb } = params;
    const { partnerKey } = caller;
    const decision = decisions[verb];
    const reasonCode = query.reasonCode ?? null;
    const scripted = await scriptPayment(database, partnerKey, operationId, {
      outcome: decision,
      reasonCode,
    });
    if (!scripted.ok) return refuse(scripted);
    const requestId = scripted.value;
    const mark = `-${randomUUID()}`;
    if (requestId !== null)
      await answer(services, { requestId, kind: "payment", decision, reasonCode, mark });
    const found = await findOperation(database, partnerKey, operationId);
    return found === undefined ? refuse(refusal("OperationNotFound", { operationId })) : ok(found);
  },
);

export const bankScriptEndpoints = [scriptBank, decidePayment] as const;

export const sendBankNotification = endpoint(
  sendBankNotificationRoute,
  async ({ bus, database }, { body, caller, ok, refuse }) => {
    if (!caller.isOperator) {
      const owner = await collectingPartner(database, body.creditorIban);
      if (owner !== caller.partnerKey)
        return refuse(
          refusal("PartnerMismatch", {
            creditorIban:
              "is not the collection account of the token's partner: only platform may let others' be paid.",
          }),
        );
    }
    const messageId = randomUUID();
    const notification: BankNotificationMessage = {
      ...body,
      transactionReference: messageId,
      paymentGatewayReference: null,
      creditorName: null,
      receptionDate: await platformNow(database),
    };
    await sendNow(bus, bankQueues.notifications, [
      { messageId, subject: "BankNotification", body: JSON.stringify(notification) },
    ]);
    return ok({ messageId });
  },
);
