/** An authorisation that the card processor asks for by message: its answer goes back as a command. */
import { errorTable } from "../../shared/contracts/errors.js";
import type { O2iAnswer, O2iRequest } from "../../shared/contracts/authorisations/o2i.js";
import { affiliateOfToken, tellAnswer } from "../../shared/database/authorisations/told-answers.js";
import { answerOf } from "../../shared/domain/authorisations/answer.js";
import { declineCodes } from "../../shared/domain/authorisations/declines.js";
import { success, type Outcome } from "../../shared/domain/outcome.js";
import type { DeadLetterReason } from "../../shared/events/service-bus.js";
import type { Services } from "../kit/services.js";
import { AffiliateUnreachedError } from "./affiliate-unreached.js";
import { authorise, type Means, type O2iRefusal } from "./authorise.js";

const refused = (reason: O2iRefusal): DeadLetterReason => ({
  reason,
  description: errorTable[reason].description,
});

/** In whose name the audit tells of it. */
const clientId = "card-processor";

type Decided = Outcome<O2iAnswer, O2iRefusal>;

/**
 * The processor is told at once that nobody answered, and asks anew if it still wants to: a message that waited for
 * one affiliate would keep those of all others waiting, and be answered when nobody is at the till any more.
 */
const orUnavailable = (
  { transactionId }: O2iRequest,
  decided: Promise<Decided>,
): Promise<Decided> =>
  decided.catch((error: unknown) => {
    if (!(error instanceof AffiliateUnreachedError)) throw error;
    return success(answerOf(transactionId, declineCodes.issuerUnavailable));
  });

/** Safe to be run twice. A response code tells that the processor has decided already: an advice. */
export const receiveAuthorisation = async (
  services: Means & Pick<Services, "partners">,
  request: O2iRequest,
): Promise<DeadLetterReason | undefined> => {
  const { database, partners } = services;
  const partnerKey = await affiliateOfToken(database, request.cardToken);
  const partner = partnerKey === undefined ? undefined : await partners.byKey(partnerKey);
  if (partner === undefined) return refused("CardTokenInvalid");
  const affiliate = { partnerKey: partner.partnerKey, settings: partner.settings, clientId };
  const kind = request.responseCode === null ? "request" : "advice";
  const taken = kind === "advice";
  const deciding = authorise(services, affiliate, kind, request, { taken });
  const answered = await orUnavailable(request, deciding);
  if (!answered.ok) return refused(answered.code);
  await tellAnswer(database, affiliate.partnerKey, request.cardToken, answered.value);
  return undefined;
};
