/** A request of the card network, from its coming to its answer: reserved, asked of the affiliate, kept. */
import type { AffiliatePort } from "../../shared/contracts/authorisations/affiliate.js";
import type { O2iAnswer, O2iKind, O2iRequest } from "../../shared/contracts/authorisations/o2i.js";
import type { PartnerSettings } from "../../shared/contracts/platform/partner-settings.js";
import type { Actor } from "../../shared/database/access/wallet-access.js";
import {
  beginAuthorisation,
  type Asking,
  type Begun,
} from "../../shared/database/authorisations/begin.js";
import { keepAnswer } from "../../shared/database/authorisations/end.js";
import { o2iTargetOf } from "../../shared/database/authorisations/o2i-targets.js";
import { billedCents } from "../../shared/domain/authorisations/amounts.js";
import { answerOf } from "../../shared/domain/authorisations/answer.js";
import { approvalCode } from "../../shared/domain/authorisations/approval.js";
import { defaultLimits } from "../../shared/domain/authorisations/limits.js";
import { success, type Outcome } from "../../shared/domain/outcome.js";
import { DependencyUnavailableError } from "../../shared/platform/dependency-unavailable.js";
import { requestHash } from "../../shared/platform/request-hash.js";
import type { Services } from "../kit/services.js";
import { AffiliateUnreachedError } from "./affiliate-unreached.js";

export interface Affiliate extends Actor {
  readonly settings: PartnerSettings;
}

export type O2iRefusal = "CardTokenInvalid" | "CurrencyNotSupported" | "AmountScaleInvalid";

export interface Means extends Pick<Services, "database" | "changes" | "clock"> {
  readonly config: Pick<Services["config"], "environment">;
  readonly affiliates: AffiliatePort;
}

/** Longer than both attempts at an affiliate: who has an answer by then has kept it. */
const patienceMs = 6_000;

/** Between two looks where nobody tells of an answer: another process may be asking. */
const pauseMs = 100;

/** Until an answer is kept, or nobody is asking any more. */
const beginOnce = async (
  { database, changes, clock }: Means,
  asking: Asking,
): Promise<Outcome<Exclude<Begun, { readonly step: "wait" }>, "CardTokenInvalid">> => {
  const giveUpAt = clock.nowMs() + patienceMs;
  // All that is asked about a card waits together: a reversal for what it reverses, a repeat for the first.
  const watch = changes.watch(asking.request.cardToken);
  try {
    for (;;) {
      const begun = await beginAuthorisation(database, asking);
      if (!begun.ok) return begun;
      if (begun.value.step !== "wait") return success(begun.value);
      if (clock.nowMs() > giveUpAt) throw new DependencyUnavailableError("the affiliate");
      await watch.next(pauseMs);
    }
  } finally {
    watch.close();
  }
};

/**
 * Safe to be called again with the same request: it gets the same answer, also while the first is under
 * way. Throws AffiliateUnreachedError where nobody answers; nothing is kept then. `taken`: what the affiliate
 * is told has happened, so that it counts whether it answers or not, and is told it later.
 */
export const authorise = async (
  means: Means,
  affiliate: Affiliate,
  kind: O2iKind,
  request: O2iRequest,
  { taken = false }: { readonly taken?: boolean } = {},
): Promise<Outcome<O2iAnswer, O2iRefusal>> => {
  const { database, affiliates, changes, config } = means;
  const { partnerKey, settings } = affiliate;
  const billed = billedCents(request);
  if (!billed.ok) return billed;
  const cents = billed.value;
  const { cardToken, type, refTransactionId, transactionId } = request;
  const target = await o2iTargetOf(database, affiliate, config.environment !== "production");
  const begun = await beginOnce(means, {
    ...{ actor: affiliate, kind, request, cents },
    // Times and codes of the network may differ when it asks again; what it asks for may not.
    requestHash: requestHash({ kind, cardToken, type, cents: String(cents), refTransactionId }),
    defaultLimits: defaultLimits(settings.cards.limits),
  });
  if (!begun.ok) return begun;
  if (begun.value.step === "answered") return success(begun.value.answer);
  const { isAgain } = begun.value;

  const asked = await affiliates.ask({ ...target, partnerKey }, kind, request);
  const code = taken ? approvalCode : target.standIn;
  const standIn = code === null ? null : answerOf(transactionId, code);
  const askedFor = { actor: affiliate, kind, request, isAgain };
  const kept = await keepAnswer(database, askedFor, asked, standIn);
  changes.tell(cardToken);
  if (kept === null) throw new AffiliateUnreachedError();
  return success(kept);
};
