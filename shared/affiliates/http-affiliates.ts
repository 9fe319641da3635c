/** All affiliates that have an endpoint of their own: each its own connections, bounds and breaker. */
import type { AffiliatePort, O2iMessage } from "../contracts/authorisations/affiliate.js";
import { httpAffiliate, type HttpAffiliate, type HttpAffiliateMeans } from "./http-affiliate.js";

export interface HttpAffiliates<Message extends O2iMessage> extends AffiliatePort<Message> {
  readonly close: () => void;
}

interface Known<Message extends O2iMessage> {
  /** Where and how it is asked: one that is set anew begins anew, and the old one's requests run out. */
  readonly by: string;
  readonly http: HttpAffiliate<Message>;
}

export const httpAffiliates = <Message extends O2iMessage>(
  means: HttpAffiliateMeans<Message>,
): HttpAffiliates<Message> => {
  const known = new Map<string, Known<Message>>();
  return {
    ask: async (affiliate, kind, request) => {
      const { partnerKey, endpoint, auth } = affiliate;
      const by = JSON.stringify([endpoint, auth]);
      let found = known.get(partnerKey);
      if (found?.by !== by) {
        found = { by, http: httpAffiliate(affiliate, means) };
        known.set(partnerKey, found);
      }
      return found.http.ask(kind, request);
    },
    close: () => {
      for (const { http } of known.values()) http.close();
    },
  };
};
