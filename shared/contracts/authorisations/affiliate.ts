/** How an affiliate is asked, whatever stands behind it: an endpoint of its own, or a wallet of ours. */
import type { O2iTarget } from "../platform/o2i-settings.js";
import type { O2iAnswer, O2iKind } from "./o2i.js";

/** What is needed of a request (card seed, 2.7); it is sent with all that it holds. */
export interface O2iMessage {
  readonly transactionId: string;
  readonly refTransactionId: string | null;
  readonly authorizationCode: string | null;
  readonly responseCode: string | null;
}

/** Whom to ask, and where. */
export interface Affiliate extends O2iTarget {
  readonly partnerKey: string;
}

export type Asked =
  | { readonly reached: true; readonly answer: O2iAnswer }
  | {
      readonly reached: false;
      /** A few fixed words, for logs and records. */
      readonly reason: string;
      /** It may have got the request, and may have approved it. */
      readonly inDoubt: boolean;
    };

/** `ask` throws for outages of the platform's own parts alone, never for what the affiliate does. */
export interface AffiliatePort<Message extends O2iMessage = O2iMessage> {
  readonly ask: (affiliate: Affiliate, kind: O2iKind, request: Message) => Promise<Asked>;
}

/** An answer that came after its time, to a request that did not end as approved. */
export interface LateAnswer<Message extends O2iMessage = O2iMessage> {
  readonly partnerKey: string;
  readonly kind: O2iKind;
  readonly request: Message;
  readonly answer: O2iAnswer;
}
