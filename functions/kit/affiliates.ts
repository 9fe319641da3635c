/** How handlers ask affiliates about their cards, and what tells those later what they must still be told. */
import type {
  AffiliatePort,
  LateAnswer,
  O2iMessage,
} from "../../shared/contracts/authorisations/affiliate.js";
import type { Partner } from "../../shared/database/access/partners.js";
import {
  claimPushes,
  pushAgain,
  pushGivenUp,
  pushTold,
  type ClaimedPush,
} from "../../shared/database/authorisations/o2i-pushes.js";
import { o2iTargetOf } from "../../shared/database/authorisations/o2i-targets.js";
import type { Database } from "../../shared/database/platform/database.js";
import { isHeard } from "../../shared/domain/authorisations/approval.js";
import { inRounds } from "../../shared/events/rounds.js";
import { affiliatePort } from "../../shared/affiliates/affiliate-port.js";
import { httpAffiliates } from "../../shared/affiliates/http-affiliates.js";
import type { Config } from "../../shared/platform/config.js";
import type { Logger } from "../../shared/platform/logger.js";
import type { NoteFailure } from "../../shared/platform/outage.js";

export interface Affiliates extends AffiliatePort {
  /** Tells what is due; settles when there is nothing more that could be told now. */
  readonly tellDue: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface AffiliatesMeans {
  readonly config: Pick<Config, "environment" | "affiliateSecrets">;
  readonly database: Database;
  readonly partners: { readonly byKey: (partnerKey: string) => Promise<Partner | undefined> };
  readonly logger: Logger;
  readonly note: NoteFailure;
  /** Asks the wallet that a card's financial reference names. */
  readonly wallet: AffiliatePort;
  readonly keepLate: (late: LateAnswer) => Promise<void>;
}

const perAffiliate = 20;

export const openAffiliates = (means: AffiliatesMeans): Affiliates => {
  const { config, database, partners, logger, note } = means;
  const isProduction = config.environment === "production";
  const http = httpAffiliates({
    ...{ isProduction, secrets: config.affiliateSecrets, logger, note },
    onLate: async (late) => {
      await means.keepLate(late);
      rounds.ask();
    },
  });
  const port = affiliatePort<O2iMessage>({ http, wallet: means.wallet });

  const tell = async (push: ClaimedPush): Promise<void> => {
    const { partnerKey, transactionId, kind, request, attempts } = push;
    const partner = await partners.byKey(partnerKey);
    if (partner === undefined) throw new Error(`The affiliate ${partnerKey} of a push is gone.`);
    const target = await o2iTargetOf(database, partner, !isProduction);
    const asked = await port.ask({ ...target, partnerKey }, kind, request);
    if (asked.reached && isHeard(asked.answer)) {
      await pushTold(database, push, asked.answer.responseCode);
      return;
    }
    const waitSeconds = partner.settings.settlement.retrySeconds[attempts];
    if (waitSeconds !== undefined) {
      await pushAgain(database, push, waitSeconds);
      return;
    }
    await pushGivenUp(database, push);
    logger.error("An affiliate could not be told: somebody has to.", {
      ...{ affiliate: partnerKey, kind, transactionId, attempts },
    });
  };

  const tellAll = async (): Promise<void> => {
    try {
      for (;;) {
        const claimed = rounds.isClosed() ? [] : await claimPushes(database, perAffiliate);
        if (claimed.length === 0) return;
        await Promise.all(
          claimed.map((push) =>
            tell(push).catch((error: unknown) => {
              note("telling an affiliate", error);
            }),
          ),
        );
      }
    } catch (error) {
      note("looking for what affiliates must be told", error);
    }
  };
  const rounds = inRounds(tellAll);

  return {
    ask: port.ask,
    tellDue: async () => {
      rounds.ask();
      await rounds.settled();
    },
    close: async () => {
      rounds.close();
      http.close();
      await rounds.settled();
    },
  };
};
