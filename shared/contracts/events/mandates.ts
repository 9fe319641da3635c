/** The event of a wallet's mandate (contract 4.7). */
import { z } from "zod";
import { Mandate, mandateStatuses } from "../mandates/mandates.js";
import { businessEvent, type BusinessEvent } from "./event.js";
import { holder, iban, mandateId, moments, partnerKey, walletId } from "./story.js";

const mandateStatusChanged = businessEvent({
  name: "MandateStatusChanged",
  forcedAs: null,
  payload: { ...Mandate.shape, previousStatus: z.enum(mandateStatuses) },
  session: ["walletId"],
  entity: { name: "mandate", id: "mandateId" },
  summary: "A wallet's mandate has another status",
  example: {
    mandateId,
    walletId,
    storeId: null,
    type: "Core",
    partnerKey,
    mandateUniqueReference: "BORSELLO-7GQ2M4",
    debtorName: `${holder.firstName} ${holder.lastName}`,
    debtorIban: iban,
    amount: 50,
    frequency: "Monthly",
    creationDate: moments.contractSigned,
    fillDate: moments.contractSigned,
    activationRequestDate: moments.mandateSigned,
    activationDate: moments.mandateActive,
    disableRequestDate: null,
    disabledDate: null,
    rejectionDate: null,
    status: "Active",
    nextDepositRequestDate: "2026-03-11",
    lastDepositRequestedDate: null,
    addressStreet: "Via Roma 1",
    city: "Roma",
    lastError: null,
    lastFailureDate: null,
    nextDepositDate: "2026-03-12",
    lastDepositDate: null,
    previousStatus: "ActivationRequested",
  },
});

export const mandateEvents: readonly BusinessEvent[] = [mandateStatusChanged];
