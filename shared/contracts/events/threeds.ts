/** Events of 3-D Secure (contract 4.5). */
import { riskLevels } from "../../domain/threeds/risk.js";
import { authMethods, resolvedStatuses } from "../../domain/threeds/statuses.js";
import { businessEvent, type BusinessEvent } from "./event.js";
import { DateTime, Id, orNull, PartnerKey, Text, Word } from "./fields.js";
import { acsTransactionId, cardId, moments, partnerKey } from "../story/story.js";

const threeDsResolved = businessEvent({
  name: "ThreeDsResolved",
  forcedAs: null,
  session: ["cardId"],
  entity: { name: "3-D Secure transaction", id: "transactionId" },
  payload: {
    partnerKey: PartnerKey,
    transactionId: Text.describe("The ACS transaction id."),
    cardId: Id,
    status: Word(resolvedStatuses),
    previousStatus: Word(["OobRaised"]),
    authMethod: orNull(Word(authMethods)).describe("Null: the time ran out."),
    resolvedAt: DateTime,
    riskLevel: Word(riskLevels),
  },
  summary: "A challenge out of band is over",
  description: "The card holder was authenticated or not, or did not answer in time.",
  example: {
    partnerKey,
    transactionId: acsTransactionId,
    cardId,
    status: "Authenticated",
    previousStatus: "OobRaised",
    authMethod: "07",
    resolvedAt: moments.challengeResolved,
    riskLevel: "MEDIUM",
  },
});

export const threeDsEvents: readonly BusinessEvent[] = [threeDsResolved];
