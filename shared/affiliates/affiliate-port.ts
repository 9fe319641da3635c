/** Chooses how an affiliate is asked, by its endpoint. */
import type { AffiliatePort, O2iMessage } from "../contracts/authorisations/affiliate.js";

/** One without any endpoint is never reached. */
export const affiliatePort = <Message extends O2iMessage>(ports: {
  readonly http: AffiliatePort<Message>;
  readonly wallet: AffiliatePort<Message>;
}): AffiliatePort<Message> => ({
  ask: async (affiliate, kind, request) => {
    const { endpoint } = affiliate;
    if (endpoint === null) return { reached: false, reason: "no endpoint is set", inDoubt: false };
    return ports[endpoint === "wallet" ? "wallet" : "http"].ask(affiliate, kind, request);
  },
});
