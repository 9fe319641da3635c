/** The event of a wallet's mandate (contract 4.7). */
import { z } from "zod";
import { Mandate, mandateStatuses } from "../mandates/mandates.js";
import { businessEvent, type BusinessEvent } from "./event.js";
import {
  holder,
  iban,
  mandateId,
  mandateUniqueReference,
  moments,
  partnerKey,
  walletId,
} from "../story/story.js";

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
    type: "Seda",
    partnerKey,
    mandateUniqueReference: mandateUniqueReference,
    debtorName: `${holder.firstName} ${holder.lastName}`,
    debtorIban: iban,
    amount: 50,
    frequency: "Monthly",
    creationDate: moments.mandateSigned,
    fillDate: moments.mandateSigned,
    activationRequestDate: moments.mandateSigned,
    activationDate: moments.mandateActive,
    disableRequestDate: null,
    disabledDate: null,
    rejectionDate: null,
    status: "Active",
    nextDepositRequestDate: "2025-03-10",
    lastDepositRequestedDate: null,
    addressStreet: "Via Roma 1",
    city: "Roma",
    lastError: null,
    lastFailureDate: null,
    nextDepositDate: "2025-03-11",
    lastDepositDate: null,
    previousStatus: "ActivationRequested",
  },
});

export const mandateEvents: readonly BusinessEvent[] = [mandateStatusChanged];
